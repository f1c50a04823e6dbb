import { resolved } from './dbanswers'
import { resolve } from './dbblocks'
import { classID } from './dbtext'
import { type Entity, type World } from './world'

// The lists of a DB graph, Logseq's own entities among them. The plugin calls
// none: they are here because their answers say that those entities are right.

/** Properties of Logseq's own that are listed as pages though they are not for everybody. */
const listedToo = new Set([69, 90, 92, 100, 107, 143, 144])
/** Tags that people do not put on anything. */
const ownTags = /^:logseq\.class\/(Root|Tag|Property|Page|Journal|Whiteboard|Asset|Pdf-annotation)$/

const order = <T>(all: T[], key: (one: T) => string | number) => [...all].sort((one, other) => (key(one) < key(other) ? -1 : 1))

export function listAPI(world: () => World): Record<string, (...args: any[]) => unknown> {
  const tagged = (name: string) => order(world().all(':block/tags', classID(world(), name)), (row) => row.id)
  const isProperty = (row: Entity) => row[':block/tags']?.some(({ id }: Entity) => id === classID(world(), 'Property'))
  const named = () => (world().query('[:find ?p :where [?p :block/name _]]', []) as number[][]).map(([id]) => world().pull(id!))
  const pages = () => named().filter((row) => {
    const listed = !isProperty(row) || !row[':logseq.property/built-in?'] || row[':logseq.property/public?'] || listedToo.has(row.id)
    return listed && !row[':logseq.property/hide?']
  })
  const short = (row: Entity) => ({ title: row[':block/title'], uuid: row[':block/uuid'] })
  return {
    get_all_pages: () => order(pages(), (row) => row[':block/title']).map((row) => ({
      id: row.id, name: row[':block/name'], ...short(row), content: row[':block/title'], fullTitle: row[':block/title'],
    })),
    list_pages: () => order(pages(), (row) => row[':block/title'].toLowerCase()).map(short),
    list_tags: () => tagged('Tag').map(short),
    list_properties: () => tagged('Property').map(short),
    get_all_tags: () => tagged('Tag').filter((row) => !ownTags.test(row[':db/ident'])).map((row) => numbered(world(), row)),
    get_all_properties: () => tagged('Property').filter((row) => row[':logseq.property/type']).map((row) => numbered(world(), row)),
    get_page_data: (name: string) => {
      const [w, row] = [world(), resolve(world(), name)!]
      const blocks = w.below(row.id).map((id) => w.pull(id))
      return {
        entity: { name: row[':block/name'], ...short(row) },
        blocks: blocks.map((one) => ({
          id: one.id, level: 1, order: one[':block/order'], parent: { id: row.id }, uuid: one[':block/uuid'], title: w.readable(one[':block/title']),
          ...(one[':block/refs'] ? { refs: one[':block/refs'] } : {}),
        })),
      }
    },
    get_page_linked_references: (name: string) => {
      const w = world()
      const linking = w.all(':block/refs', resolve(w, name)!.id).filter((row) => row[':block/page'])
      const of = (page: number) => linking.filter((row) => row[':block/page'].id === page)
      const shown = (row: Entity) => ({ ...resolved(w, row), title: row[':block/title'], content: row[':block/title'] })
      return Object.fromEntries(linking.map((row) => [`{"id" ${row[':block/page'].id}}`, of(row[':block/page'].id).map(shown)]))
    },
    new_block_uuid: () => world().uuid(),
    get_current_graph_favorites: () => [],
    get_current_graph_recent: () => null,
    add_property_value_choices: (name: string, choices: string[]) => {
      const given = `["${name}" [${choices.map((one) => JSON.stringify(one)).join(' ')}]]`
      throw new Error(`Assert failed: [[:add-existing-values-to-closed-values ${given}]]\n(ops-validator ops)`)
    },
  }
}

/** An entity with numbers for what it refers to. */
function numbered(w: World, row: Entity): Entity {
  const { ':logseq.property/icon': icon, ...rest } = resolved(w, row)
  const plain = (value: any): unknown => (Array.isArray(value) ? value.map(plain) : (value?.id ?? value))
  const all = Object.entries(rest).map(([key, value]) => [key, plain(value)])
  return { ...Object.fromEntries(all), ...(icon ? { ':logseq.property/icon': icon } : {}) }
}
