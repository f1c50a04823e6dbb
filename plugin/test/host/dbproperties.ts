import { resolved } from './dbanswers'
import { classID, isUUID, nextKey, refresh } from './dbtext'
import { resolve } from './dbblocks'
import { type Entity, type World } from './world'

// Properties of a DB graph. A value that does not fit its type is refused, or
// takes the old value away without a word: which of the two, is Logseq's own.

/** Types whose values are entities. */
const refers = new Set([':default', ':number', ':url', ':node', ':date', ':class', ':page', ':asset'])

const isURL = (value: unknown) => typeof value === 'string' && /^https?:\/\/\S+$/.test(value)

/** The type that Logseq gives a property it makes for a value. */
export function inferredType(value: unknown): string {
  const all = [value].flat()
  if (typeof value === 'boolean') return ':checkbox'
  if (all.every((one) => typeof one === 'number')) return ':number'
  if (all.every(isURL)) return ':url'
  return Array.isArray(value) || typeof value !== 'object' ? ':default' : ':json'
}

export function addProperty(w: World, ident: string, title: string, type: string, many = false): Entity {
  const at = w.now()
  const id = w.add({
    ':db/ident': ident, ':block/uuid': w.uuid(), ':block/name': title.toLowerCase(), ':block/title': title, ':block/order': nextKey(w),
    ':block/created-at': at, ':block/updated-at': at, ':logseq.property/type': type, ':block/tags': [classID(w, 'Property')],
    ':db/index': true, ':db/cardinality': `:db.cardinality/${many ? 'many' : 'one'}`,
    ...(refers.has(type) ? { ':db/valueType': ':db.type/ref' } : {}),
  })
  w.declare(ident, { ref: refers.has(type), many })
  return refresh(w, id)
}

export function propertyIdent(key: string): string {
  const bare = key.trim().replace(/ /g, '').replace(/^[:_\s]+/, '')
  return bare.includes('/') ? `:${bare}` : `:plugin.property.logseq-lectern/${bare}`
}

const own = ':plugin.property.logseq-lectern/'

export function propertyAPI(world: () => World): Record<string, (...args: any[]) => unknown> {
  const find = (key: string) => world().find(':db/ident', propertyIdent(key))
  return {
    upsert_block_property: (uuid: string, key: string, value: unknown, opts: Entity = {}) => {
      const w = world()
      const row = resolve(w, uuid)
      if (!row) return null
      const ident = propertyIdent(key)
      const before = w.find(':db/ident', ident)
      if (!before && !ident.startsWith(own)) throw new Error('Plugins can only upsert its own properties')
      const property = before ?? addProperty(w, ident, ident.slice(own.length), inferredType(value), Array.isArray(value))
      storeValue(w, row, property, value, Boolean(opts.reset))
      return before ? null : { __cljs: `{:db/id ${property.id}}` }
    },
    remove_block_property: (uuid: string, key: string) => {
      const row = world().byUUID(uuid)
      if (row) clear(world(), row, propertyIdent(key))
      return null
    },
    get_block_property: (uuid: string, key: string) => {
      const value = resolve(world(), uuid)?.[propertyIdent(key)]
      if (value === undefined || value === false) return null
      if (value?.id === undefined) return value
      const row = world().pull(value.id)
      const answer = resolved(world(), row)
      return { ...answer, ident: propertyIdent(key), value: row[':logseq.property/value'] ?? answer.title }
    },
    get_block_properties: (target: string) => values(world(), resolve(world(), target)),
    get_page_properties: (target: string) => values(world(), resolve(world(), target)),
    upsert_property: (name: string, schema: Entity = {}) => {
      const w = world()
      const types = ['date', 'number', 'checkbox', 'default', 'string', 'node', 'url', 'datetime', 'json', 'asset']
      if (!types.includes(schema.type)) throw new Error(`Invalid type, type should be one of: #{${types.map((type) => `:${type}`).join(' ')}}`)
      const found = find(name)
      if (!found) return answer(w, addProperty(w, propertyIdent(name), name, `:${schema.type}`, schema.cardinality === 'many'))
      w.set(found.id, { ':logseq.property/type': `:${schema.type}` })
      if (refers.has(`:${schema.type}`)) w.set(found.id, { ':db/valueType': ':db.type/ref' })
      else w.clear(found.id, ':db/valueType')
      return answer(w, w.pull(found.id))
    },
    get_property: (key: string) => {
      const row = find(key)
      return row ? { ...answer(world(), row), type: row[':logseq.property/type'].slice(1) } : null
    },
    remove_property: (key: string) => {
      const row = find(key)
      if (row) world().retract([row.id])
      return null
    },
  }
}

function answer(w: World, row: Entity): Entity {
  const { tags, refs, ...rest } = resolved(w, row)
  return { ...rest, tags: tags.map(({ id }: Entity) => id), ...(refs ? { refs: refs.map(({ id }: Entity) => id) } : {}) }
}

/** Values as people read them, those of one's own and of others' properties. */
function values(w: World, row: Entity | undefined): Entity | null {
  if (!row) return null
  const shown = (value: any): unknown => {
    if (Array.isArray(value)) return value.map(shown)
    if (value?.id === undefined) return value
    const of = w.pull(value.id)
    return of[':logseq.property/value'] ?? of[':block/title']
  }
  const all = Object.entries(row).filter(([key]) => /^:(user|plugin|logseq)\.property/.test(key) || key === ':block/tags')
  return Object.fromEntries(all.map(([key, value]) => [key, shown(value)]))
}

function clear(w: World, row: Entity, ident: string): void {
  w.clear(row.id, ident)
  // A task without a status is no task.
  if (ident === ':logseq.property/status') w.transact([[':db/retract', row.id, ':block/tags', classID(w, 'Task')]])
  refresh(w, row.id)
}

const expected: Record<string, string> = {
  ':default': 'a text block', ':date': 'a journal date', ':datetime': 'a datetime', ':checkbox': 'a boolean', ':url': 'a URL',
}

/** Logseq tells the person, and throws. */
function failed(w: World, property: Entity): Error {
  const content = `Property validation failed: "${property[':block/title']}" should be ${expected[property[':logseq.property/type']]}`
  w.shown.push({ content, status: 'warning' })
  return new Error('Schema validation failed')
}

export function storeValue(w: World, row: Entity, property: Entity, value: unknown, reset: boolean): void {
  const ident = property[':db/ident'] as string
  if (value === null || value === undefined) return clear(w, row, ident)
  const many = property[':db/cardinality'] === ':db.cardinality/many'
  if (Array.isArray(value) && !many) throw new Error(`Property ${ident.slice(1)} has cardinality \`one\` but passed multiple values`)
  const all = [value].flat()
  const choices = w.all(':block/closed-value-property', property.id)
  const stored = all.map((one) => (choices.length > 0 ? choice(choices, one) : typed(w, row, property, one)))
  if (reset || !many || stored.includes(undefined)) w.clear(row.id, ident)
  const kept = stored.filter((one) => one !== undefined)
  if (kept.length > 0) w.set(row.id, { [ident]: many ? [...new Set(kept)] : kept[0] })
  refresh(w, row.id)
}

/** The id of a choice; undefined for what is none, which takes the value off. */
const choice = (choices: Entity[], value: unknown) =>
  choices.find((one) => one.id === value || one[':block/title'] === value)?.id as number | undefined

function typed(w: World, row: Entity, property: Entity, value: unknown): unknown {
  const type = property[':logseq.property/type']
  switch (type) {
    case ':json':
      return typeof value === 'string' ? value : JSON.stringify(value)
    case ':string':
      return String(value)
    case ':checkbox':
      if (typeof value !== 'boolean') throw failed(w, property)
      return value
    case ':datetime':
      if (typeof value !== 'number') throw failed(w, property)
      return value
    case ':date':
      if (typeof value === 'number' && w.pull(value)[':block/journal-day']) return value
      if (typeof value === 'string') nextKey(w) // for a value that is made and does not pass
      throw failed(w, property)
    case ':number':
      return numberValue(w, property, value)
    case ':url':
      if (!isURL(value)) throw failed(w, property)
      return textValue(w, property, String(value), row)
    case ':node':
      return typeof value === 'number' ? value : textValue(w, property, String(value), property)
    default:
      if (typeof value !== 'string') throw failed(w, property)
      return textValue(w, property, value, row)
  }
}

/** A text is a block of its own, below what has the property; that of a node below the property. */
function textValue(w: World, property: Entity, text: string, above: Entity): number {
  const at = w.now()
  const id = w.add({
    ':block/uuid': w.uuid(), ':block/title': text, ':block/order': nextKey(w), ':block/created-at': at, ':block/updated-at': at,
    ':block/page': w.pageOf(above), ':block/parent': above.id, ':logseq.property/created-from-property': property.id,
  })
  const named = /^\[\[([0-9a-f-]{36})\]\]$/.exec(text)?.[1]
  if (isUUID(named)) refresh(w, id)
  return id
}

/** One number is one entity of the property's, however many blocks have it. */
function numberValue(w: World, property: Entity, value: unknown): number | undefined {
  if (value === 0) throw new Error('Expected number or lookup ref for entity id, got 0')
  const number = typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN
  if (Number.isNaN(number)) return undefined
  const same = w.all(':logseq.property/value', number).find((one) => one[':logseq.property/created-from-property']?.id === property.id)
  if (same) return same.id
  const at = w.now()
  return w.add({
    ':block/uuid': w.uuid(), ':block/order': nextKey(w), ':block/created-at': at, ':block/updated-at': at, ':logseq.property/value': number,
    ':block/page': property.id, ':block/parent': property.id, ':logseq.property/created-from-property': property.id,
  })
}
