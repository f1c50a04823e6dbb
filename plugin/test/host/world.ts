import d from 'datascript'
import { readInput, stringly } from './edn'

// A World is one graph in a real DataScript database, with the little that
// Logseq itself does around it: order, references, transactions that are heard.

export type Personality = 'og' | 'db'
export type Entity = Record<string, any>

/** Entity, attribute, value, transaction, and whether it was added. */
type Datom = [id: number, attribute: string, value: unknown, transaction: number, added: boolean]

/** The datoms without those that undo each other. */
function lasting(all: Datom[]): Datom[] {
  const first = new Map<string, Datom>()
  const last = new Map<string, Datom>()
  for (const datom of all) {
    const fact = JSON.stringify(datom.slice(0, 3))
    if (!first.has(fact)) first.set(fact, datom)
    last.set(fact, datom)
  }
  return [...last].filter(([fact, datom]) => first.get(fact)![4] === datom[4]).map(([, datom]) => datom)
}

/** The number of a transaction, which Logseq notes at all that it touches. */
const counted = (ids: number[], transaction: number) => ids.map((id): Datom => [id, ':block/tx-id', transaction, transaction + 1, true])

const ref = { ':db/valueType': ':db.type/ref' }
const many = { ':db/cardinality': ':db.cardinality/many' }
const unique = { ':db/unique': ':db.unique/identity' }

const schema: Record<string, Record<string, string>> = {
  ':db/ident': unique,
  ':block/uuid': unique,
  ':block/file': ref,
  ':block/page': ref,
  ':block/namespace': ref,
  ':block/parent': ref,
  ':block/left': ref,
  ':block/refs': { ...ref, ...many },
  ':block/tags': { ...ref, ...many },
  ':block/closed-value-property': { ...ref, ...many },
  ':logseq.property/status': ref,
  ':logseq.property/priority': ref,
  ':logseq.property/description': ref,
  ':logseq.property/created-from-property': ref,
  ':logseq.property/classes': { ...ref, ...many },
  ':logseq.property.class/extends': { ...ref, ...many },
  ':logseq.property.class/properties': { ...ref, ...many },
  ':logseq.property.recycle/original-parent': ref,
  ':logseq.property.recycle/original-page': ref,
}

export class World {
  private schema = schema
  private conn = d.create_conn(schema)
  private clock = 1_700_000_000_000
  /** On DB graphs: the blocks that Logseq's window has been sent. It looks for siblings and parents only among these. */
  readonly known = new Set<number>()
  /** The last key of order that was made for a page, property or value. */
  lastKey = 'b1U'
  /** What was shown to the person. */
  readonly shown: { content: string; status: string }[] = []
  /** Hears every operation, as DB.onChanged would. */
  heard?: (event: Entity) => void
  private operation: { name: string; datoms: Datom[] } | undefined

  constructor(
    readonly kind: Personality,
    readonly name: string,
  ) {}

  get text(): string {
    return this.kind === 'og' ? ':block/content' : ':block/title'
  }

  now(): number {
    return (this.clock += 1000)
  }

  /** Goes on from a time, so that two graphs can be given the same one. */
  setClock(at: number): void {
    this.clock = at
  }

  uuid(): string {
    return crypto.randomUUID()
  }

  transact(tx: unknown[]): Entity {
    const report = d.transact(this.conn, tx, null)
    // A negative transaction is a retraction.
    const datoms = report.tx_data.map((one: any): Datom => [one.e, one.a, one.v, Math.abs(one.tx), one.tx > 0])
    if (this.operation) this.operation.datoms.push(...datoms)
    else this.tell('', datoms)
    return report
  }

  /** Runs one operation of Logseq's, all of which is told at once. */
  operate<T>(name: string, run: () => T): T {
    if (this.operation) return run()
    this.operation = { name, datoms: [] }
    try {
      return run()
    } finally {
      const { name: done, datoms } = this.operation
      this.operation = undefined
      this.tell(done, datoms)
    }
  }

  /** Tells what was done so far, and goes on as another operation. */
  tellAs(name: string, next: string): void {
    if (!this.operation) return
    this.tell(name, this.operation.datoms)
    this.operation = { name: next, datoms: [] }
  }

  private tell(name: string, done: Datom[]): void {
    const datoms = lasting(done)
    if (!this.heard || datoms.length === 0) return
    const touched = new Set(datoms.map(([id]) => id))
    // Logseq counts the changes of a page of a DB graph at the page.
    if (this.kind === 'db') for (const id of [...touched]) touched.add(this.pageOf({ id, ...this.pull(id) }))
    for (const [, attribute, page, , added] of datoms) if (this.kind === 'db' && attribute === ':block/page' && !added) touched.add(page as number)
    const blocks = [...touched].map((id) => this.pull(id)).filter((row) => row[':block/uuid'])
    const gone = datoms.filter(([, attribute, , , added]) => attribute === ':block/uuid' && !added)
    const all = this.kind === 'db' ? [...datoms, ...counted([...touched], datoms[0]![3])] : datoms
    this.heard({
      blocks: [...blocks.map((row) => this.plain(row)), ...gone.map(([id, , uuid]) => ({ id, uuid }))],
      txData: all.map(([id, attribute, ...value]) => [id, attribute.replace(/^:/, ''), ...value]),
      txMeta: { outlinerOp: name },
      ...(this.kind === 'db' ? { deletedAssets: [], deletedBlockUuids: gone.map((datom) => datom[2]) } : {}),
    })
  }

  /** Adds an entity and gives its id. */
  add(entity: Entity): number {
    return this.transact([{ ':db/id': -1, ...entity }]).tempids['-1']
  }

  set(id: number, entity: Entity): void {
    this.transact([{ ':db/id': id, ...entity }])
  }

  /** Takes all values of an attribute off an entity. */
  clear(id: number, attribute: string): void {
    const present = this.pull(id)[attribute]
    if (present === undefined) return
    for (const value of Array.isArray(present) ? present : [present]) {
      this.transact([[':db/retract', id, attribute, value?.id ?? value]])
    }
  }

  /** Says that an attribute refers to entities, or holds several values. */
  declare(attribute: string, is: { ref: boolean; many: boolean }): void {
    this.schema = { ...this.schema, [attribute]: { ...(is.ref ? ref : {}), ...(is.many ? many : {}) } }
    this.conn = d.conn_from_datoms(d.datoms(d.db(this.conn), ':eavt'), this.schema)
  }

  retract(ids: number[]): void {
    this.transact(ids.map((id) => [':db.fn/retractEntity', id]))
  }

  pull(id: number): Entity {
    return withIDs(d.pull(d.db(this.conn), '["*"]', id) ?? {})
  }

  find(attribute: string, value: unknown): Entity | undefined {
    const [id] = this.having(attribute, value)
    return id === undefined ? undefined : this.pull(id)
  }

  all(attribute: string, value: unknown): Entity[] {
    return this.having(attribute, value).map((id) => this.pull(id))
  }

  /** What refers to an entity and what is unique is in an index; for the others a query is read. */
  private having(attribute: string, value: unknown): number[] {
    const is = this.schema[attribute]
    if (is?.[':db/valueType'] || is?.[':db/unique']) return d.datoms(d.db(this.conn), ':avet', attribute, value).map((datom: any) => datom.e as number)
    return d.q(`[:find ?e :in $ ?v :where [?e "${attribute}" ?v]]`, d.db(this.conn), value).map(([id]: number[]) => id!)
  }

  byUUID(uuid: unknown): Entity | undefined {
    return typeof uuid === 'string' ? this.find(':block/uuid', uuid) : undefined
  }

  /** Answers a query as Logseq does: EDN in, keys without their namespace out. */
  query(edn: string, inputs: unknown[]): unknown {
    const read = inputs.map((input) => (typeof input === 'string' ? readInput(input) : input))
    return this.plain(d.q(stringly(edn), d.db(this.conn), ...read))
  }

  /** File graphs drop every namespace of a key, DB graphs only Logseq's three. */
  plain(value: any): any {
    if (Array.isArray(value)) return value.map((one) => this.plain(one))
    if (typeof value === 'string') return value.replace(/^:(\w+)$/, '$1')
    if (typeof value !== 'object' || value === null) return value
    const ours = this.kind === 'og' ? /^:[^/]+\// : /^:(block|db|file)\//
    const row = Object.fromEntries(Object.entries(value).map(([key, one]) => [key.replace(ours, ''), this.plain(one)]))
    if (this.kind === 'og' || !row.uuid || row.title === undefined) return row
    return { ...row, content: row.title, 'full-title': this.readable(row.title) }
  }

  /** The text of a DB graph as people read it: with names where it has uuids. */
  readable(title: string): string {
    return title.replace(/(#?)\[\[([0-9a-f-]{36})\]\]/g, (whole, hash: string, uuid: string) => {
      const name = this.byUUID(uuid)?.[':block/title']
      if (name === undefined) return whole
      return hash && !/\s/.test(name) ? `#${name}` : `${hash}[[${name}]]`
    })
  }

  children(parent: number): Entity[] {
    const rows = this.all(':block/parent', parent).filter((row) => !row[':logseq.property/created-from-property'])
    if (this.kind === 'db') {
      const blocks = rows.filter((row) => row[':block/name'] === undefined)
      return blocks.sort((a, b) => (a[':block/order'] < b[':block/order'] ? -1 : 1))
    }
    const right = new Map(rows.map((row) => [row[':block/left'].id, row]))
    const sorted: Entity[] = []
    for (let row = right.get(parent); row; row = right.get(row.id)) sorted.push(row)
    return sorted
  }

  /** Makes the ids the children of parent, in this order. */
  arrange(parent: number, ids: number[]): void {
    this.transact(
      ids.map((id, at) => ({
        ':db/id': id,
        ':block/parent': parent,
        ...(this.kind === 'og' ? { ':block/left': at === 0 ? parent : ids[at - 1] } : { ':block/order': `a${String(at).padStart(5, '0')}` }),
      })),
    )
  }

  below(id: number): number[] {
    return this.children(id).flatMap((child) => [child.id as number, ...this.below(child.id)])
  }

  pageOf(row: Entity): number {
    return row[':block/page']?.id ?? row.id
  }
}

/** The id of an entity, and of what it refers to, under the same short key everywhere. */
function withIDs(value: any): any {
  if (Array.isArray(value)) return value.map(withIDs)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key === ':db/id' ? 'id' : key, withIDs(one)]))
}
