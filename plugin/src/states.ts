import { idOf, idsOf } from './adapters/dialect'
import type { Row } from './host'
import type { Values } from './model'
import type { Found, Reader, Twig } from './reader'
import type { Page } from './model'

// A state is all that a block or page holds, so that it can be made again as it
// was: Logseq's own text, and on DB graphs properties by ident. Times are left
// out, because nobody can set them. Nothing is hidden here: states are for the
// person's own journal, and no agent reads them.

export interface Kept {
  uuid: string
  text: string
  properties?: Values
  tags?: string[]
  collapsed?: true
  children?: Kept[]
}

export interface KeptBlock extends Kept {
  /** Of a block on top: its uuid on DB graphs, its name on file graphs, whose page uuids do not last. */
  page?: string
  /** Of any other. */
  parent?: string
  after?: string
}

export interface KeptPage {
  name: string
  uuid?: string
  day?: number
  /** On file graphs: the text of the first block, which holds the properties. */
  text?: string
  properties?: Values
  tags?: string[]
  recycled?: true
  blocks?: Kept[]
}

/** What a property refers to, by what stays when ids do not. */
export type Reference = { value: unknown } | { ident: string } | { uuid: string }

/** What Logseq itself sees to, and nobody can set. */
const bookkeeping = /^:logseq\.property(\.(embedding|recycle|history|view|table)[^/]*)?\/(deleted-at|created-by.*|created-from-property|built-in\?|last-visited.*)$|^:logseq\.property\.(embedding|recycle|history)/

type Entities = Map<number, Row>

export class States {
  constructor(private readonly reader: Reader) {}

  private get db(): boolean {
    return this.reader.dialect.kind === 'db'
  }

  async block(uuid: string, children: boolean): Promise<KeptBlock | undefined> {
    const found = await this.reader.blockRow(uuid)
    if (!found || found.page.is.recycled) return undefined
    const spot = seek(await this.reader.outline(found.page), uuid)
    if (!spot) return undefined
    const entities = await this.entities(children ? rowsOf([spot.twig]) : [spot.twig.row])
    return {
      ...(spot.parent ? { parent: spot.parent.row.uuid } : { page: this.db ? found.page.is.uuid : found.page.is.name }),
      ...(spot.after ? { after: spot.after.row.uuid } : {}),
      ...this.kept(spot.twig, entities, children),
    }
  }

  async page(page: Found<Page>, blocks: boolean): Promise<KeptPage> {
    const outline = blocks ? await this.reader.outline(page) : []
    const entities = await this.entities([page.row, ...rowsOf(outline)])
    const before = this.db ? undefined : await this.reader.preBlock(page)
    return {
      name: page.is.name,
      ...(this.db ? { uuid: page.is.uuid, ...this.attributes(page.row, entities) } : {}),
      ...(page.is.journal_day ? { day: page.is.journal_day } : {}),
      ...(before ? { text: before.content ?? '' } : {}),
      ...(page.is.recycled ? { recycled: true as const } : {}),
      ...(outline.length > 0 ? { blocks: outline.map((twig) => this.kept(twig, entities, true)) } : {}),
    }
  }

  /** Blocks that refer to a page, or to a block or one below it: Logseq may rewrite them along with it. */
  async referrers(uuid: string): Promise<string[]> {
    const [row] = await this.reader.byUUID([uuid])
    if (!row) return []
    const found = await this.reader.blockRow(uuid)
    const inside = found ? rowsOf([seek(await this.reader.outline(found.page), uuid)?.twig ?? { row, children: [] }]) : [row]
    const ids = inside.map((one) => one.id as number)
    const rows = await this.reader.pull('?b', `[(ground [${ids.join(' ')}]) [?id ...]] [?b :block/refs ?id] [?b :block/page _]`)
    const own = new Set(ids)
    return rows.filter((one) => one.uuid && !own.has(one.id) && this.reader.dialect.shows(one)).map((one) => one.uuid as string).sort()
  }

  private kept(twig: Twig, entities: Entities, children: boolean): Kept {
    const { row } = twig
    return {
      uuid: row.uuid,
      text: (this.db ? row.title : row.content) ?? '',
      ...(this.db ? this.attributes(row, entities) : {}),
      ...(this.db && row['collapsed?'] ? { collapsed: true as const } : {}),
      ...(children && twig.children.length > 0 ? { children: twig.children.map((one) => this.kept(one, entities, true)) } : {}),
    }
  }

  private attributes(row: Row, entities: Entities): { properties?: Values; tags?: string[] } {
    const properties: Values = {}
    for (const key of Object.keys(row).sort()) {
      if (key.startsWith(':') && !bookkeeping.test(key)) properties[key] = encode(row[key], entities)
    }
    const tags = idsOf(row.tags).flatMap((id) => entities.get(id)?.ident ?? entities.get(id)?.uuid ?? []).sort()
    return {
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(tags.length > 0 ? { tags } : {}),
    }
  }

  private async entities(rows: Row[]): Promise<Entities> {
    if (!this.db) return new Map()
    const ids = rows.flatMap((row) => [...idsOf(row.tags), ...Object.keys(row).filter((key) => key.startsWith(':')).flatMap((key) => references(row[key]))])
    return new Map((await this.reader.byID(ids)).map((row) => [row.id as number, row]))
  }
}

function references(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(references)
  const id = typeof value === 'object' ? idOf(value) : undefined
  return id === undefined ? [] : [id]
}

function encode(value: unknown, entities: Entities): unknown {
  // Several values have no order in DataScript, so they are put in one.
  if (Array.isArray(value)) return value.map((one) => encode(one, entities)).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  const [id] = references(value)
  const row = id === undefined ? undefined : entities.get(id)
  if (!row) return value
  if (':logseq.property/created-from-property' in row) return { value: row[':logseq.property/value'] ?? row.title ?? '' }
  return row.ident ? { ident: row.ident } : { uuid: row.uuid }
}

function rowsOf(twigs: Twig[]): Row[] {
  return twigs.flatMap((twig) => [twig.row, ...rowsOf(twig.children)])
}

interface Spot {
  twig: Twig
  parent?: Twig
  after?: Twig
}

function seek(twigs: Twig[], uuid: string, parent?: Twig): Spot | undefined {
  for (const [at, twig] of twigs.entries()) {
    const after = twigs[at - 1]
    if (twig.row.uuid === uuid) return { twig, ...(parent ? { parent } : {}), ...(after ? { after } : {}) }
    const below = seek(twig.children, uuid, twig)
    if (below) return below
  }
  return undefined
}
