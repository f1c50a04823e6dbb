import { type Dialect, type NamedEntity, type NameLookup, type Property, idOf } from './adapters/dialect'
import { isUUID, numbers, string, uuid } from './edn'
import { Fault, asFault, notFound } from './fault'
import type { Host, Row } from './host'
import type { Block, Page } from './model'

// The Reader uses only DataScript queries: unlike calls of the editor they are
// answered while Logseq's window is hidden, and they work for both kinds of graph.

/** A row and its children, in order. */
export interface RowTree {
  row: Row
  children: RowTree[]
}

export interface Found<T> {
  row: Row
  is: T
}

export class Reader {
  constructor(
    readonly host: Host,
    readonly dialect: Dialect,
    /** References stay uuids, because the server resolves them. */
    private readonly rawReferences = false,
  ) {}

  /** The pages that a person made, sorted by name; those of which the clauses about ?p are true. */
  async pages(clauses = ''): Promise<Page[]> {
    return (await this.foundPages(clauses)).map(({ is }) => is)
  }

  async foundPages(clauses = ''): Promise<Found<Page>[]> {
    const rows = (await this.pull('?p', `${clauses} ${this.dialect.ownPages}`)).filter((row) => row.uuid)
    return (await this.toPages(rows)).sort((a, b) => compare(a.is.name.toLowerCase(), b.is.name.toLowerCase()))
  }

  /** A page by name, path or uuid. */
  async page(nameOrUUID: string): Promise<Found<Page>> {
    return choosePage(nameOrUUID, await this.pagesNamed(nameOrUUID))
  }

  /** The pages that a name, path or uuid may mean. */
  async pagesNamed(nameOrUUID: string): Promise<Found<Page>[]> {
    const byID = isUUID(nameOrUUID)
    const where = byID ? `[?p :block/uuid ${uuid(nameOrUUID)}]` : this.dialect.pageNamed(nameOrUUID)
    const rows = (await this.pull('?p', where)).filter((row) => row.name)
    const found = await this.toPages(rows)
    if (byID) return found
    const wanted = folded(nameOrUUID)
    const exact = found.filter(({ is }) => folded(is.name) === wanted)
    // "notes" is also the page a/b/notes, while it is the only one of that name.
    return exact.length > 0 ? exact : found.filter(({ is }) => folded(is.name).endsWith(`/${wanted}`))
  }

  async pageOfDay(day: number): Promise<Found<Page>> {
    const found = await this.findDay(day)
    if (!found) throw notFound('journal', String(day))
    return found
  }

  async findDay(day: number): Promise<Found<Page> | undefined> {
    const rows = await this.pull('?p', `[?p :block/journal-day ${day}]`)
    return (await this.toPages(rows)).find(({ is }) => !is.recycled)
  }

  /** A page by name or uuid; undefined if there is none. */
  async findPage(nameOrUUID: string): Promise<Found<Page> | undefined> {
    return this.page(nameOrUUID).catch((thrown) => {
      if (asFault(thrown).code !== 'NOT_FOUND') throw thrown
      return undefined
    })
  }

  /** All blocks of a page, as trees. */
  async tree(page: Found<Page>): Promise<Block[]> {
    return this.toBlocks(await this.outline(page), page)
  }

  /** The blocks below a block, down to depth levels. */
  async descendants(row: Row, page: Found<Page>, depth: number): Promise<Block[]> {
    const rows: Row[] = []
    for (let level = 0, parents = [row.id as number]; level < depth && parents.length > 0; level++) {
      const found = await this.pull('?b', `[(ground ${numbers(parents)}) [?p ...]] [?b :block/parent ?p]`)
      rows.push(...found)
      parents = found.filter((one) => this.dialect.isVisible(one)).map((one) => one.id as number)
    }
    return rows.length === 0 ? [] : this.toBlocks(this.buildTrees(rows, row.id), page)
  }

  /** All visible rows of a page, as trees. */
  async outline(page: Found<Page>): Promise<RowTree[]> {
    return this.buildTrees(await this.pull('?b', `[?b :block/page ${page.row.id}]`), page.row.id)
  }

  private async toBlocks(twigs: RowTree[], page: Found<Page>): Promise<Block[]> {
    const rows = flattenRows(twigs)
    const names = await this.resolveNames(rows, [page.row.id, ...rows.flatMap((row) => [row.id as number, idOf(row.parent) ?? page.row.id])])
    const grow = (siblings: RowTree[]): Block[] =>
      siblings.map(({ row, children }, order) => ({ ...this.makeBlock(row, names, order), children: grow(children) }))
    return grow(twigs)
  }

  /** The visible ones of rows as trees below root; a row without parent is a child of root. */
  private buildTrees(rows: Row[], root: number): RowTree[] {
    const below = new Map<number, Row[]>()
    for (const row of rows) {
      const parent = idOf(row.parent) ?? root
      const siblings = below.get(parent)
      if (siblings) siblings.push(row)
      else below.set(parent, [row])
    }
    const grow = (parent: number, depth: number): RowTree[] =>
      depth > 200 // a loop in a damaged graph
        ? []
        : this.visibleInOrder(below.get(parent) ?? [], parent).map((row) => ({ row, children: grow(row.id, depth + 1) }))
    return grow(root, 0)
  }

  /** All children of one parent are sorted before any is left out: in a file graph each row names the one to its left. */
  private visibleInOrder(rows: Row[], parent: number): Row[] {
    return this.dialect.sort(rows, parent).filter((row) => this.dialect.isVisible(row))
  }

  /** A block and its siblings, in order. */
  async siblings(row: Row): Promise<Row[]> {
    const parent = idOf(row.parent) ?? idOf(row.page)!
    return this.visibleInOrder(await this.pull('?b', `[?b :block/parent ${parent}]`), parent)
  }

  /** The first block of a page in a file graph, if it holds the page's properties. */
  async preBlock(page: Found<Page>): Promise<Row | undefined> {
    const rows = await this.pull('?b', `[?b :block/page ${page.row.id}] [?b :block/pre-block? true]`)
    return rows[0]
  }

  /** One block without children, and the page it is on. */
  async block(id: string): Promise<{ row: Row; block: Block; page: Found<Page> }> {
    const row = await this.shownRow(id)
    if (!row) throw notFound('block', id)
    const [[page], [block]] = await Promise.all([this.pagesOf([idOf(row.page)!]), this.blocks([row])])
    if (!page || !block) throw notFound('block', id)
    return { row, block: block.is, page }
  }

  /** The row of a block, and the page it is on; undefined when there is none. */
  async blockRow(id: string): Promise<{ row: Row; page: Found<Page> } | undefined> {
    const row = await this.shownRow(id)
    const [page] = row ? await this.pagesOf([idOf(row.page)!]) : []
    return row && page && { row, page }
  }

  private async shownRow(id: string): Promise<Row | undefined> {
    if (!isUUID(id)) return undefined
    const [row] = await this.pull('?b', `[?b :block/uuid ${uuid(id)}]`)
    return row && idOf(row.page) !== undefined && this.dialect.isVisible(row) ? row : undefined
  }

  /** Rows as blocks without children, in the same order; other rows are left out. */
  async blocks(rows: Row[]): Promise<Found<Block>[]> {
    const wanted = rows.filter((row) => row.uuid && idOf(row.page) !== undefined && this.dialect.isVisible(row))
    const ids = wanted.map((row) => idOf(row.page)!)
    const parents = wanted.map((row) => idOf(row.parent) ?? 0)
    const names = await this.resolveNames(wanted, [...ids, ...parents])
    return wanted.map((row) => ({ row, is: this.makeBlock(row, names, 0) }))
  }

  async pagesOf(ids: number[]): Promise<Found<Page>[]> {
    return this.toPages((await this.byID(ids)).filter((row) => row.name))
  }

  private async toPages(rows: Row[]): Promise<Found<Page>[]> {
    const [names, current] = [await this.resolveNames(rows), await this.pageProperties(rows)]
    return rows.map((row, at) => ({ row, is: this.dialect.page(current[at]!, names) }))
  }

  /** Pages of a file graph with the properties of the block that holds them: a page keeps those it had when that is gone. */
  private async pageProperties(rows: Row[]): Promise<Row[]> {
    const ids = this.dialect.kind === 'file' ? rows.filter((row) => row.properties).map((row) => row.id as number) : []
    if (ids.length === 0) return rows
    const blocks = await this.pull('?b', `[(ground ${numbers(ids)}) [?p ...]] [?b :block/page ?p] [?b :block/pre-block? true]`)
    const held = new Map(blocks.map((block) => [idOf(block.page), block.properties]))
    return rows.map((row) => (row.properties ? { ...row, properties: held.get(row.id) ?? {} } : row))
  }

  /** All rows that the clauses bind to variable, the oldest first. */
  async pull(variable: string, where: string): Promise<Row[]> {
    const rows = await this.host.query(`[:find (pull ${variable} [*]) :in $ :where ${where}]`)
    // Logseq's own order is that of a set: it differs from graph to graph, and by what is hidden in one.
    return (rows ?? []).map((row) => row[0] as Row).filter(Boolean).sort((a, b) => a.id - b.id)
  }

  async byID(ids: Iterable<number>): Promise<Row[]> {
    const unique = [...new Set(ids)]
    if (unique.length === 0) return []
    return this.pull('?e', `[(ground ${numbers(unique)}) [?e ...]]`)
  }

  async byUUID(uuids: Iterable<string>): Promise<Row[]> {
    const unique = [...new Set(uuids)].filter(isUUID)
    if (unique.length === 0) return []
    return this.pull('?b', `[(ground [${unique.map(uuid).join(' ')}]) [?u ...]] [?b :block/uuid ?u]`)
  }

  /** The graph's properties by ident; none on file graphs. */
  async properties(): Promise<Map<string, Property>> {
    if (this.dialect.kind === 'file') return new Map()
    const rows = await this.pull('?p', '[?p :block/tags ?c] [?c :db/ident :logseq.class/Property]')
    return new Map(
      rows.filter((row) => row.ident).map((row) => [
        row.ident as string,
        {
          ident: row.ident,
          title: row.title ?? row.name ?? row.ident,
          type: withoutColon(row[':logseq.property/type'] ?? 'default'),
          many: String(row.cardinality ?? row[':db/cardinality'] ?? '').endsWith('many'),
        },
      ]),
    )
  }

  /** The names of everything that the rows refer to. */
  async resolveNames(rows: Row[], more: number[] = []): Promise<NameLookup> {
    const named = new Map<number, NamedEntity>()
    const tags = this.rawReferences ? new Map<number, NamedEntity>() : named
    const { rawReferences: bare } = this
    if (rows.length === 0) return { of: () => undefined, path: () => undefined, tag: () => undefined, property: () => undefined, rawReferences: bare }
    const ids = new Set([...rows.flatMap((one) => this.dialect.referencedIDs(one)), ...more])
    // What is read already is not read again: on a long page the blocks above others are most of them.
    const read = rows.filter((row) => ids.has(row.id))
    for (const row of read) ids.delete(row.id)
    const referenced = [...read, ...(await this.byID(ids))]
    const paths = await this.paths([...rows, ...referenced])
    for (const row of referenced) {
      const name = { ...nameOf(row), ...(paths.has(row.id) ? { title: paths.get(row.id)! } : {}) }
      named.set(row.id, name)
      if (bare) tags.set(row.id, isPageOrBlock(row) ? { ...name, title: `[[${row.uuid}]]` } : name)
    }
    // Attributes with a namespace are properties; most rows have none.
    const typed = rows.some((row) => Object.keys(row).some((key) => key.startsWith(':')))
    const properties = typed ? await this.properties() : new Map<string, Property>()
    return { of: (id) => named.get(id), path: (id) => paths.get(id), tag: (id) => tags.get(id), property: (ident) => properties.get(ident), rawReferences: bare }
  }

  /** The paths of the pages among rows that are below others; the uppermost is a page of Logseq's own, and no part of them. */
  private async paths(rows: Row[]): Promise<Map<number, string>> {
    const known = new Map(rows.map((row) => [row.id as number, row]))
    const above = (row: Row | undefined) => (row ? this.dialect.above(row) : undefined)
    for (let next = rows; next.length > 0; ) {
      next = await this.byID(next.flatMap((row) => above(row) ?? []).filter((id) => !known.has(id)))
      for (const row of next) known.set(row.id, row)
    }
    const path = (row: Row, depth = 0): string => {
      const over = known.get(above(row) ?? -1)
      const title = String(row.title ?? row.name)
      return !over || over[':logseq.property/built-in?'] || depth > 50 ? title : `${path(over, depth + 1)}/${title}`
    }
    return new Map(rows.filter((row) => above(row) !== undefined).map((row) => [row.id as number, path(row)]))
  }

  /** The closed values of a property, the oldest first. */
  async choices(ident: string): Promise<NamedEntity[]> {
    const rows = await this.pull('?v', `[?v :block/closed-value-property ?p] [?p :db/ident ${ident}]`)
    return rows.map(nameOf).sort((a, b) => a.id - b.id)
  }

  /** Clauses that bind ?b to blocks whose text contains each of the words, wherever, ignoring case. */
  textMatches(words: string): string {
    // DataScript has includes? but no lower-case; a literal pattern has both.
    const clauses = wordsOf(words).map((word, at) => {
      const pattern = string(`(?i)${word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`)
      return `[(re-pattern ${pattern}) ?pattern${at}] [(re-find ?pattern${at} ?text)]`
    })
    return `[?b ${this.dialect.text} ?text] ${clauses.join(' ')}`
  }

  private makeBlock(row: Row, names: NameLookup, order: number): Block {
    const pageID = idOf(row.page)!
    const page = names.of(pageID)
    const parentID = idOf(row.parent)
    const parent = parentID === undefined || parentID === pageID ? null : names.of(parentID)?.uuid ?? null
    return {
      ...this.dialect.block(row, names),
      page: { uuid: page?.uuid ?? '', name: page?.title ?? '' },
      parent,
      order,
    }
  }
}

/** The words of a search; twelve at most, because each is a clause. */
export const wordsOf = (words: string): string[] => [...new Set(words.trim().split(/\s+/))].slice(0, 12)

const folded = (name: string) => name.trim().toLowerCase().normalize('NFC')

/** The one page that is meant: pages in use before recycled ones, what a person made before Logseq's own and before properties. */
export function choosePage(name: string, found: Found<Page>[]): Found<Page> {
  const inUse = found.filter(({ is }) => !is.recycled)
  const all = inUse.length > 0 ? inUse : found
  const made = all.filter(({ row, is }) => is.kind !== 'property' && !row[':logseq.property/built-in?'])
  const [best, ...others] = made.length > 0 ? made : all
  if (!best) throw notFound('page', name)
  if (others.length === 0 || made.length === 0 || inUse.length === 0) return best
  const candidates = made.map(({ is }) => ({ name: is.name, kind: is.kind, uuid: is.uuid }))
  throw new Fault('CONFLICT', `${made.length} pages are called "${name}"`, { candidates })
}

/** Whether a row is a page or block, and not a property value or Logseq's own. */
function isPageOrBlock(row: Row): boolean {
  if (!row.uuid || ':logseq.property/created-from-property' in row || 'closed-value-property' in row) return false
  return (row.name !== undefined || row.page !== undefined) && !String(row.ident ?? '').startsWith(':logseq.')
}

function nameOf(row: Row): NamedEntity {
  return {
    id: row.id,
    uuid: row.uuid,
    title: row['original-name'] ?? row.title ?? row.content ?? row.name ?? row.ident ?? '',
    ident: row.ident,
    value: row[':logseq.property/value'],
    journalDay: row['journal-day'],
  }
}

const flattenRows = (twigs: RowTree[]): Row[] => twigs.flatMap(({ row, children }) => [row, ...flattenRows(children)])

const withoutColon = (keyword: string) => keyword.replace(/^:/, '')

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
