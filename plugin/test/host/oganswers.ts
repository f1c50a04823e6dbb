import { firstBlock } from './dbblocks'
import { type Entity, type World } from './world'

// Entities as the plugin API of file graphs answers them: a page, a block that
// was just inserted, which is what was parsed and has no id yet, and a block
// that is looked up.

const camel = (key: string) => key.replace(/^:[^/]+\//, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const keyword = (value: unknown) => (typeof value === 'string' ? value.replace(/^:(\w+)$/, '$1') : value)
const named = (row: Entity) => Object.fromEntries(Object.entries(row).map(([key, value]) => [camel(key), keyword(value)]))

export function pageAnswer(row: Entity): Entity {
  const { properties, own: _own, ...rest } = named(row)
  return { ...rest, ...(Object.keys(properties ?? {}).length > 0 ? { properties } : {}) }
}

/** What the lines of properties say, in the ways that Logseq keeps it. */
function propertyFields(row: Entity): Entity {
  const level = /^(#{1,6}) /.exec(row[':block/content'] ?? '')?.[1]?.length
  const keys = Object.keys(row[':block/properties'] ?? {})
  // A block of a batch that has no properties has not even none.
  const short = (all: Entity) => Object.fromEntries(Object.entries(all ?? {}).map(([key, value]) => [camelKey(key), value]))
  if (!row[':block/properties'] && !level) return {}
  return {
    properties: { ...short(row[':block/properties']), ...(level ? { heading: level } : {}) },
    ...(level ? { propertiesOrder: [] } : {}),
    ...(keys.length > 0 ? { propertiesOrder: keys.map(camelKey), propertiesTextValues: short(row[':block/properties-text-values']) } : { propertiesTextValues: undefined }),
  }
}

const camelKey = (key: string) => key.replace(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase())

/** Said of a text that Markdown sees more than one block in, but for those of a batch, which lose them. */
const warning = (row: Entity): Entity => (row[':block/journal?'] === undefined || firstBlock(row[':block/content']) === row[':block/content'] ? {} : { warning: 'multipleBlocks' })

/** What the blocks above and the page refer to, which is said of those below them too. */
export function pathRefs(w: World, row: Entity): Entity[] {
  const found = new Map<number, Entity>()
  for (let at = row; at[':block/parent']; at = w.pull(at[':block/parent'].id)) for (const one of at[':block/refs'] ?? []) found.set(one.id, one)
  return [...found.set(row[':block/page'].id, row[':block/page']).values()]
}

export function insertedAnswer(w: World, row: Entity): Entity {
  const { id: _id, left: _left, parent: _parent, refs: _refs, createdAt: _created, updatedAt: _updated, ...rest } = named(row)
  const refs = (row[':block/refs'] ?? []).map(({ id }: Entity) => w.pull(id)).filter((one: Entity) => one[':block/name'] !== undefined)
  const page = w.pull(row[':block/page'].id)
  return {
    ...rest, ...propertyFields(row), ...(page[':block/journal?'] ? { 'journal?': true, journalDay: page[':block/journal-day'] } : {}), page: row[':block/page'].id, tags: [], macros: [],
    ...warning(row),
    refs: refs.map((one: Entity) => ({
      name: one[':block/name'], originalName: one[':block/original-name'], uuid: one[':block/uuid'], 'journal?': Boolean(one[':block/journal?']),
      ...(one[':block/journal-day'] ? { journalDay: one[':block/journal-day'] } : {}),
      ...(one[':block/namespace'] ? { namespace: { name: w.pull(one[':block/namespace'].id)[':block/name'] } } : {}),
    })),
    pathRefs: refs.map((one: Entity) => ({ name: one[':block/name'] })),
  }
}

/** A page's blocks with those below them, and how deep they are. */
export function treeAnswer(w: World, parent: number, level = 1): Entity[] {
  return w.children(parent).map((row) => ({ ...blockAnswer(w, row), level, children: treeAnswer(w, row.id, level + 1) }))
}

export function blockAnswer(w: World, row: Entity, withChildren = true): Entity {
  return {
    ...named(row), ...propertyFields(row), ...warning(row), 
    ...(withChildren ? { children: w.children(row.id).map((child) => ['uuid', child[':block/uuid']]) } : {}),
    pathRefs: pathRefs(w, row),
    ...(row[':block/refs'] ? { refs: row[':block/refs'] } : {}),
  }
}
