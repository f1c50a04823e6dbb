import { firstBlock } from './dbblocks'
import { type Entity, type World } from './world'

// Entities as the plugin API of file graphs answers them: a page, a block that
// was just inserted, which is what was parsed and has no id yet, and a block
// that is looked up.

const camel = (key: string) => key.replace(/^:[^/]+\//, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const keyword = (value: unknown) => (typeof value === 'string' ? value.replace(/^:(\w+)$/, '$1') : value)
const named = (row: Entity) => Object.fromEntries(Object.entries(row).map(([key, value]) => [camel(key), keyword(value)]))

export function pageAnswer(row: Entity): Entity {
  const { properties, own: _own, ...rest } = named({ ':block/journal?': false, ...row })
  return { ...rest, ...(row[':lectern/own'] ? {} : { format: rest.format ?? 'markdown' }), ...(Object.keys(properties ?? {}).length > 0 ? { properties } : {}) }
}

/** What the lines of properties say, in the ways that Logseq keeps it. */
function propertyFields(row: Entity): Entity {
  const properties: Entity = row[':block/properties'] ?? {}
  const level = /^(#{1,6}) /.exec(row[':block/content'] ?? '')?.[1]?.length
  const keys = Object.keys(properties)
  const valueOf = (text: unknown) => (typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : text)
  return {
    properties: { ...Object.fromEntries(keys.map((key) => [key, valueOf(properties[key])])), ...(level ? { heading: level } : {}) },
    ...(level ? { propertiesOrder: [] } : {}),
    ...(keys.length > 0 ? { propertiesOrder: keys, propertiesTextValues: properties } : {}),
  }
}

const formatOf = (row: Entity) => (row[':block/format'] === ':org' ? { format: 'org' } : { format: 'markdown', 'journal?': false })

export function insertedAnswer(w: World, row: Entity): Entity {
  const { id: _id, left: _left, parent: _parent, refs: _refs, createdAt: _created, updatedAt: _updated, ...rest } = named(row)
  const refs = (row[':block/refs'] ?? []).map(({ id }: Entity) => w.pull(id)).filter((one: Entity) => one[':block/name'] !== undefined)
  return {
    ...rest, ...propertyFields(row), ...formatOf(row), page: row[':block/page'].id, tags: [], macros: [],
    ...(firstBlock(row[':block/content']) === row[':block/content'] ? {} : { warning: 'multipleBlocks' }),
    refs: refs.map((one: Entity) => ({ name: one[':block/name'], originalName: one[':block/original-name'], uuid: one[':block/uuid'], 'journal?': Boolean(one[':block/journal?']) })),
    pathRefs: refs.map((one: Entity) => ({ name: one[':block/name'] })),
  }
}

export function blockAnswer(w: World, row: Entity): Entity {
  return {
    ...named(row), ...propertyFields(row), ...formatOf(row),
    children: w.children(row.id).map((child) => ['uuid', child[':block/uuid']]),
    pathRefs: [row[':block/page'], ...(row[':block/refs'] ?? [])],
    ...(row[':block/refs'] ? { refs: row[':block/refs'] } : {}),
  }
}
