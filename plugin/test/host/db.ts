import builtin from './builtin.json'
import { blockAPI } from './dbblocks'
import { listAPI } from './dblists'
import { pageAPI } from './dbpages'
import { addProperty, propertyAPI } from './dbproperties'
import { addNamed, classID, refresh } from './dbtext'
import { type Entity, type World } from './world'

// The plugin API of Logseq 2.x on a DB graph.

export function dbAPI(world: () => World): Record<string, (...args: any[]) => unknown> {
  // People read "notes"; Logseq answers the name of the database's folder.
  const name = () => `logseq_db_${world().name}`
  return {
    get_app_info: () => ({ version: '2.0.1', supportDb: true }),
    check_current_is_db_graph: () => true,
    get_current_graph: () => ({ name: name(), url: name(), path: `/graphs/${world().name}` }),
    get_user_configs: () => ({
      showBrackets: true, preferredLanguage: 'en', preferredDateFormat: 'MMM do, yyyy', currentGraph: name(), preferredThemeMode: 'light',
      preferredFormat: 'markdown', preferredStartOfWeek: 6, enabledFlashcards: true, me: null,
    }),
    // Of what a person sees and edits: nobody does.
    ...Object.fromEntries(editor.map((method) => [method, () => null])),
    check_editing: () => false,
    ...blockAPI(world),
    ...pageAPI(world),
    ...propertyAPI(world),
    ...listAPI(world),
  }
}

const editor = ['get_current_page', 'get_current_block', 'get_today_page', 'get_selected_blocks', 'get_current_route', 'get_current_page_blocks_tree']

/** What every DB graph has from the start, as far as a plugin can see it: ids, idents and names are Logseq's. */
export function addBuiltIns(w: World): void {
  w.transact(builtin)
}

/** What a person does, where the plugin API has no method of it. */
export const person: Record<string, (w: World, ...args: any[]) => unknown> = {
  create_property: (w, title: string, { type = 'default', cardinality = 'one', values = [] }: Entity = {}) => {
    const ident = `:user.property/${title.replace(/ /g, '')}`
    const property = addProperty(w, ident, title, `:${type}`, cardinality === 'many')
    for (const [at, value] of values.entries()) {
      w.add({
        ':block/uuid': w.uuid(), ':block/title': value, ':block/closed-value-property': property.id, ':block/order': `a${at}`,
        ':block/created-at': w.now(), ':block/updated-at': w.now(),
        ':block/page': property.id, ':block/parent': property.id, ':logseq.property/created-from-property': property.id,
      })
    }
    return ident
  },
  create_page: (w, title: string, { uuid }: Entity = {}) => addNamed(w, title, [classID(w, 'Page')], uuid ? { ':block/uuid': uuid } : {})[':block/uuid'],
  /** Quits Logseq and starts it: the window knows only what it is sent since. */
  restart: (w) => w.known.clear(),
  open_page: (w, uuid: string) => {
    for (const id of w.below(w.byUUID(uuid)!.id)) w.known.add(id)
    return uuid
  },
  empty_bin: (w) => {
    const lying = w.all(':block/parent', 190).map((row) => row.id as number)
    w.retract([...new Set(lying.flatMap((id) => [id, ...w.below(id), ...w.all(':block/page', id).map((row) => row.id as number)]))])
    return lying.length
  },
  /** A page with very many blocks, at once. */
  fill_page: (w, title: string, count: number) => {
    const page = addNamed(w, title, [classID(w, 'Page')])
    w.transact(Array.from({ length: count }, (_, nth) => ({
      ':db/id': -1 - nth, ':block/uuid': w.uuid(), ':block/title': `block ${nth} of ${title}`, ':block/order': `a${String(nth).padStart(6, '0')}`,
      ':block/page': page.id, ':block/parent': page.id, ':block/created-at': nth, ':block/updated-at': nth,
    })))
    return count
  },
  /** Puts a file of the graph into a block: a DB graph calls it by the block's uuid, a file graph links to it. */
  show_file: (w, uuid: string, type: string) => {
    const row = w.byUUID(uuid)
    if (!row) return false
    if (w.kind === 'og') w.set(row.id, { ':block/content': `${row[':block/content']} ![](../assets/${uuid}.${type})` })
    else w.set(row.id, { ':logseq.property.asset/type': type, ':logseq.property.asset/size': 3, ':block/tags': [classID(w, 'Asset')] })
    return true
  },
  add_tag: (w, uuid: string, ident: string) => {
    const row = w.byUUID(uuid)!
    w.set(row.id, { ':block/tags': [w.find(':db/ident', ident)!.id] })
    refresh(w, row.id)
    return true
  },
}
