import { idOf, idsOf } from './adapters/dialect'
import type { Row } from './host'
import type { Values } from './model'
import type { Found, Reader, RowTree } from './reader'
import type { Page } from './model'

// A state is the whole content of a block or page, from which it can be restored:
// Logseq's raw text, and on DB graphs properties by ident. Times are left out,
// because they cannot be set. Exclusions do not apply: states are for the person's
// own journal, and agents do not see them.

export interface BlockState {
  uuid: string
  text: string
  properties?: Values
  tags?: string[]
  collapsed?: true
  children?: BlockState[]
}

export interface PlacedBlockState extends BlockState {
  /** For a top-level block: the page's uuid on DB graphs, its name on file graphs, whose page uuids change. */
  page?: string
  /** For other blocks. */
  parent?: string
  /** The sibling before it; absent for the first. */
  after?: string
  /** The sibling behind it; absent for the last. */
  before?: string
}

export interface PageState {
  name: string
  uuid?: string
  day?: number
  /** On file graphs: the text of the first block, which holds the properties. */
  text?: string
  properties?: Values
  tags?: string[]
  recycled?: true
  blocks?: BlockState[]
}

/** A reference in a property, by something more stable than an id. */
export type Reference = { value: unknown } | { ident: string } | { uuid: string }

/** Properties that Logseq maintains and that cannot be set. */
const internalProperties = /^:logseq\.property(\.(embedding|recycle|history|view|table)[^/]*)?\/(deleted-at|created-by.*|created-from-property|built-in\?|last-visited.*)$|^:logseq\.property\.(embedding|recycle|history)/

type Entities = Map<number, Row>

export class StateReader {
  constructor(private readonly reader: Reader) {}

  private get db(): boolean {
    return this.reader.dialect.kind === 'db'
  }

  async block(uuid: string, children: boolean): Promise<PlacedBlockState | undefined> {
    const found = await this.reader.blockRow(uuid)
    if (!found || found.page.is.recycled) return undefined
    const position = findInTree(await this.reader.outline(found.page), uuid)
    if (!position) return undefined
    const entities = await this.entities(children ? rowsOf([position.twig]) : [position.twig.row])
    return {
      ...(position.parent ? { parent: position.parent.row.uuid } : { page: this.db ? found.page.is.uuid : found.page.is.name }),
      ...(position.after ? { after: position.after.row.uuid } : {}),
      ...(position.before ? { before: position.before.row.uuid } : {}),
      ...this.blockState(position.twig, entities, children),
    }
  }

  async page(page: Found<Page>, blocks: boolean): Promise<PageState> {
    const outline = blocks ? await this.reader.outline(page) : []
    const entities = await this.entities([page.row, ...rowsOf(outline)])
    const before = this.db ? undefined : await this.reader.preBlock(page)
    return {
      name: page.is.name,
      ...(this.db ? { uuid: page.is.uuid, ...this.attributes(page.row, entities) } : {}),
      ...(page.is.journal_day ? { day: page.is.journal_day } : {}),
      ...(before ? { text: before.content ?? '' } : {}),
      ...(page.is.recycled ? { recycled: true as const } : {}),
      ...(outline.length > 0 ? { blocks: outline.map((twig) => this.blockState(twig, entities, true)) } : {}),
    }
  }

  /** Blocks that refer to a page, to a block or to one below it: Logseq may rewrite them with it. */
  async referrers(uuid: string): Promise<string[]> {
    const [row] = await this.reader.byUUID([uuid])
    if (!row) return []
    const found = await this.reader.blockRow(uuid)
    const inside = found ? rowsOf([findInTree(await this.reader.outline(found.page), uuid)?.twig ?? { row, children: [] }]) : [row]
    const ids = inside.map((one) => one.id as number)
    const rows = await this.reader.pull('?b', `[(ground [${ids.join(' ')}]) [?id ...]] [?b :block/refs ?id] [?b :block/page _]`)
    const own = new Set(ids)
    return rows.filter((one) => one.uuid && !own.has(one.id) && this.reader.dialect.isVisible(one)).map((one) => one.uuid as string).sort()
  }

  private blockState(twig: RowTree, entities: Entities, children: boolean): BlockState {
    const { row } = twig
    return {
      uuid: row.uuid,
      text: (this.db ? row.title : row.content) ?? '',
      ...(this.db ? this.attributes(row, entities) : {}),
      ...(this.db && row['collapsed?'] ? { collapsed: true as const } : {}),
      ...(children && twig.children.length > 0 ? { children: twig.children.map((one) => this.blockState(one, entities, true)) } : {}),
    }
  }

  private attributes(row: Row, entities: Entities): { properties?: Values; tags?: string[] } {
    const properties: Values = {}
    for (const key of Object.keys(row).sort()) {
      if (key.startsWith(':') && !internalProperties.test(key)) properties[key] = encode(row[key], entities)
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
  // DataScript has no order of several values, so they are sorted.
  if (Array.isArray(value)) return value.map((one) => encode(one, entities)).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  const [id] = references(value)
  const row = id === undefined ? undefined : entities.get(id)
  if (!row) return value
  if (':logseq.property/created-from-property' in row) return { value: row[':logseq.property/value'] ?? row.title ?? '' }
  return row.ident ? { ident: row.ident } : { uuid: row.uuid }
}

function rowsOf(twigs: RowTree[]): Row[] {
  return twigs.flatMap((twig) => [twig.row, ...rowsOf(twig.children)])
}

interface TreePosition {
  twig: RowTree
  parent?: RowTree
  after?: RowTree
  before?: RowTree
}

function findInTree(twigs: RowTree[], uuid: string, parent?: RowTree): TreePosition | undefined {
  for (const [at, twig] of twigs.entries()) {
    const [after, before] = [twigs[at - 1], twigs[at + 1]]
    if (twig.row.uuid === uuid) return { twig, ...(parent ? { parent } : {}), ...(after ? { after } : {}), ...(before ? { before } : {}) }
    const below = findInTree(twig.children, uuid, twig)
    if (below) return below
  }
  return undefined
}
