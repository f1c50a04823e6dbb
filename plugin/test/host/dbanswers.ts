import { type Entity, type World } from './world'

// Entities as the plugin API of DB graphs answers them. get_block and trees
// have references as {id}, and texts with names; what is fresh from an
// operation, and pages, have references as numbers, and texts with uuids.

const camel = (key: string) => key.replace(/^:(block|db|file)\//, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const keyOf = (key: string) => (/^:(block|db|file)\//.test(key) ? camel(key) : key)
const word = (value: unknown) => (typeof value === 'string' ? value.replace(/^:(?:block\/)?(\w+)$/, '$1') : value)

function fields(row: Entity, reference: (id: number) => unknown): Entity {
  const one = (value: any): unknown => (Array.isArray(value) ? value.map(one) : value?.id !== undefined && Object.keys(value).length === 1 ? reference(value.id) : word(value))
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [keyOf(key), one(value)]))
}

/** With numbers and uuids. */
export function flat(w: World, row: Entity): Entity {
  const title = row[':block/title']
  return { ...fields(row, (id) => id), ...(title === undefined ? {} : { fullTitle: w.readable(title), content: title }) }
}

/** With {id} and names. */
export function resolved(w: World, row: Entity): Entity {
  const title = row[':block/title'] === undefined ? undefined : w.readable(row[':block/title'])
  return { ...fields(row, (id) => ({ id })), ...(title === undefined ? {} : { title, fullTitle: title, content: title }) }
}

export function withChildUUIDs(w: World, row: Entity): Entity {
  return { ...resolved(w, row), children: w.children(row.id).map((child) => ['uuid', child[':block/uuid']]) }
}

/** The blocks below an entity as trees; those of a page with the values of text properties among them, as Logseq has them. */
export function tree(w: World, parent: number, level: number, values: boolean): Entity[] {
  const rows = values ? w.all(':block/parent', parent).filter((row) => row[':block/name'] === undefined) : w.children(parent)
  rows.sort((a, b) => (a[':block/order'] < b[':block/order'] ? -1 : 1))
  return rows.map((row) => ({ ...resolved(w, row), level, children: tree(w, row.id, level + 1, values) }))
}
