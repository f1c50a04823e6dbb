import { asFault } from './fault'
import type { OpenGraph } from './graph'
import type { Row } from './host'
import { idOf } from './adapters/dialect'
import type { Timers } from './connection'

// Notifies what changed, not how: the server reads it again, through the same
// exclusions as every request.

export interface ChangeNotice extends Record<string, unknown> {
  blocks: { uuid: string; page: string }[]
  pages: string[]
  deleted: string[]
  more?: true
}

const maxEntries = 200
const quietMs = 250 // four notifications a second

export class Changes {
  /** By id, or by uuid where Logseq gives no id. */
  private touched = new Set<number | string>()
  private deleted = new Set<string>()
  private overflow = false
  private scheduled = false

  constructor(
    private readonly graph: () => OpenGraph | undefined,
    private readonly notify: (changed: ChangeNotice) => void,
    private readonly timers: Timers,
    private readonly onError: (thrown: unknown) => void,
  ) {}

  /** Takes an event of DB.onChanged and ignores malformed parts. */
  handleEvent(event: unknown): void {
    const { blocks, txData, deletedBlockUuids } = (event ?? {}) as Row
    const counted = countedPages(list(blocks), list(txData))
    for (const row of list(blocks)) if (!counted.has(row)) this.add(idOf(row) ?? (row as Row | null)?.uuid)
    for (const uuid of list(deletedBlockUuids)) if (typeof uuid === 'string') this.remove(uuid)
    for (const datom of list(txData)) this.handleDatom(datom as unknown[])
    if (this.scheduled || this.touched.size + this.deleted.size === 0) return
    this.scheduled = true
    this.timers.after(quietMs, () => void this.flush())
  }

  /** A retracted uuid that is not set again means a deleted block. */
  private handleDatom(datom: unknown[]): void {
    if (!Array.isArray(datom)) return
    const [, attribute, value, , added] = datom
    if (!/(^|\/)uuid$/.test(String(attribute)) || typeof value !== 'string') return
    if (added === false) this.remove(value)
    else this.deleted.delete(value)
  }

  private add(id: unknown): void {
    if (typeof id !== 'number' && typeof id !== 'string') return
    if (this.touched.size >= maxEntries) this.overflow = true
    else this.touched.add(id)
  }

  private remove(uuid: string): void {
    if (this.deleted.size >= maxEntries) this.overflow = true
    else this.deleted.add(uuid)
  }

  private async flush(): Promise<void> {
    const { touched, deleted, overflow } = this
    this.touched = new Set()
    this.deleted = new Set()
    this.scheduled = this.overflow = false
    const graph = this.graph()
    if (!graph) return
    try {
      const changed = await describe(graph, touched)
      const seen = new Set(changed.blocks.map((block) => block.uuid))
      changed.deleted = [...deleted].filter((uuid) => !seen.has(uuid))
      if (overflow) changed.more = true
      if (changed.blocks.length + changed.pages.length + changed.deleted.length > 0) this.notify(changed)
    } catch (thrown) {
      this.onError(asFault(thrown))
    }
  }
}

/** What Logseq notes at a page whenever one of its blocks changes, hidden ones too. */
const notes = /(^|\/)(tx-id|updated-at|file)$/

/** The pages in an event of which nothing changed but these notes: their blocks say what changed. */
function countedPages(rows: unknown[], datoms: unknown[]): Set<unknown> {
  const of = (row: unknown) => datoms.filter((datom): datom is unknown[] => Array.isArray(datom) && datom[0] === idOf(row))
  const isPage = (row: unknown) => (row as Row | null)?.name !== undefined && (row as Row).page === undefined
  return new Set(rows.filter((row) => isPage(row) && of(row).length > 0 && of(row).every((datom) => notes.test(String(datom[1])))))
}

async function describe({ reader, visible: seen }: OpenGraph, touched: Set<number | string>): Promise<ChangeNotice> {
  const ids = [...touched].filter((id) => typeof id === 'number')
  const uuids = [...touched].filter((id) => typeof id === 'string')
  const rows = [...(await reader.byID(ids)), ...(await reader.byUUID(uuids))]
  const blocks = await seen.visibleBlocks(await reader.blocks(rows))
  const pages = (await reader.pagesOf(rows.map((row) => row.id))).map(({ is }) => is).filter((page) => !seen.hides(page))
  const names = [...pages.map((page) => page.name), ...blocks.map((block) => block.page.name)]
  return {
    blocks: blocks.map((block) => ({ uuid: block.uuid, page: block.page.name })),
    pages: [...new Set(names)],
    deleted: [],
  }
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
