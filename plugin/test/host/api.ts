import { journalName } from '../../src/journalname'
import { Entity, World } from './world'

// Logseq's plugin API as far as the plugin uses it, on a World. The differences
// between the two product lines are those of Logseq's own sources.

export type API = Record<string, (...args: any[]) => unknown>

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const markers = /^(TODO|DOING|NOW|LATER|WAITING|DONE|CANCELED)\s+(?:\[#([ABC])\]\s+)?/

function uuidOrThrow(uuid: unknown): string {
  if (typeof uuid === 'string' && uuidShape.test(uuid)) return uuid
  throw new Error(`${uuid} is not a valid UUID string.`)
}

export function api(world: () => World): API {
  const shared = sharedAPI(world)
  return world().kind === 'og' ? { ...shared, ...ogAPI(world) } : { ...shared, ...dbAPI(world) }
}

function sharedAPI(world: () => World): API {
  return {
    get_current_graph: () => ({ name: world().name, url: `logseq_${world().kind}_${world().name}`, path: `/graphs/${world().name}` }),
    get_user_configs: () => ({ preferredDateFormat: 'MMM do, yyyy', preferredFormat: 'markdown' }),
    datascript_query: (query: string, ...inputs: unknown[]) => world().query(query, inputs),
    insert_block: (target: string, content: string, opts: Entity = {}) => insert(world(), target, content, opts),
    insert_batch_block: (target: string, batch: Entity[], opts: Entity = {}) => insertBatch(world(), target, batch, opts),
    update_block: (uuid: string, content: string) => update(world(), uuid, content),
    remove_block: (uuid: string) => remove(world(), uuid),
    set_block_collapsed: (uuid: string, collapsed: boolean) => {
      const w = world()
      const row = w.byUUID(uuid)
      if (row && collapsed) w.set(row.id, { ':block/collapsed?': true })
      else if (row) w.clear(row.id, ':block/collapsed?')
      return null
    },
    move_block: (uuid: string, target: string, opts: Entity = {}) => move(world(), uuid, target, opts),
    get_block: (uuid: string) => {
      const row = world().byUUID(uuid)
      return row ? world().plain(row) : null
    },
    search: (words: string, opts: Entity = {}) => search(world(), words, opts),
    ...Object.fromEntries(
      ['install_plugin_hook', 'uninstall_plugin_hook', 'register_plugin_ui_item', 'show_msg', 'set_sdk_metadata'].map((name) => [name, () => null]),
    ),
  }
}

function search(w: World, words: string, opts: Entity): unknown {
  const limit = w.kind === 'og' ? 10 : (opts.limit ?? 10)
  const rows = (w.query(`[:find (pull ?b [*]) :where [?b ${w.text} ?t] [?b :block/page _]]`, []) as Entity[][]).map((row) => row[0]!)
  const hits = rows.filter((row) => String(row.content ?? row.title).toLowerCase().includes(words.toLowerCase()))
  const blocks = hits.slice(0, limit).map((row) => ({ 'block/uuid': row.uuid, 'block/content': row.content ?? row.title }))
  return { blocks, ...(w.kind === 'og' ? { pages: [], files: [] } : {}) }
}

/** References, marker and properties of a text, as Logseq finds them when it saves a block. */
export function parsed(w: World, text: string): Entity {
  if (w.kind === 'db') {
    const refs: number[] = []
    const title = text.replace(/\[\[([^\]]+)\]\]/g, (_, name: string) => {
      const page = uuidShape.test(name) ? w.byUUID(name)! : ensurePage(w, name)
      refs.push(page.id)
      return `[[${page[':block/uuid']}]]`
    })
    return { ':block/title': title, ...(refs.length > 0 ? { ':block/refs': refs } : {}) }
  }
  const refs = [...text.matchAll(/\[\[([^\]]+)\]\]|(?<=^|\s)#([\w-]+)/g)].map((m) => ensurePage(w, (m[1] ?? m[2])!).id as number)
  for (const m of text.matchAll(/\(\(([0-9a-f-]{36})\)\)/g)) {
    const block = w.byUUID(m[1])
    if (block) refs.push(block.id)
  }
  const task = markers.exec(text)
  const properties = Object.fromEntries([...text.matchAll(/^([\w-]+):: (.*)$/gm)].map((m) => [m[1], m[2]]))
  const days = Object.fromEntries(
    [...text.matchAll(/(SCHEDULED|DEADLINE): <(\d+)-(\d+)-(\d+)/g)].map((m) => [`:block/${m[1]!.toLowerCase()}`, Number(`${m[2]}${m[3]}${m[4]}`)]),
  )
  return {
    ':block/content': text,
    ':block/properties': properties,
    ...(refs.length > 0 ? { ':block/refs': refs } : {}),
    ...(task ? { ':block/marker': task[1] } : {}),
    ...(task?.[2] ? { ':block/priority': task[2] } : {}),
    ...days,
  }
}

export function ensurePage(w: World, name: string, more: Entity = {}): Entity {
  const before = w.find(':block/name', name.toLowerCase())
  if (before) return before
  const at = w.now()
  const shared = { ':block/uuid': w.uuid(), ':block/name': name.toLowerCase(), ':block/created-at': at, ':block/updated-at': at }
  const own = w.kind === 'og'
    ? { ':block/original-name': name, ':block/properties': {} }
    : { ':block/title': name, ':block/tags': [w.find(':db/ident', ':logseq.class/Page')!.id] }
  return w.pull(w.add({ ...shared, ...own, ...more }))
}

function save(w: World, id: number, text: string): void {
  for (const attribute of [':block/refs', ':block/marker', ':block/priority', ':block/scheduled', ':block/deadline']) w.clear(id, attribute)
  w.set(id, { ...parsed(w, text), ':block/updated-at': w.now() })
}

/** A page by name or uuid, a block by uuid; file graphs make the page of a new name. */
function resolve(w: World, target: string): Entity | undefined {
  if (uuidShape.test(target)) return w.byUUID(target)
  return w.kind === 'og' ? ensurePage(w, target) : w.find(':block/name', target.toLowerCase())
}

function insert(w: World, target: string, content: string, opts: Entity): unknown {
  if (!target?.trim()) throw new Error('Page title or block UUID shouldn\'t be empty.')
  const row = resolve(w, target)
  if (!row) return null // silently, as Logseq does
  if (opts.customUUID && w.byUUID(opts.customUUID)) throw new Error(`Custom block UUID already exists (${opts.customUUID}).`)
  const uuid = opts.customUUID ?? w.uuid()
  const text = w.kind === 'og' && opts.customUUID ? idLine(content, uuid) : content
  const id = w.add({ ...parsed(w, text), ':block/uuid': uuid, ':block/page': w.pageOf(row) })
  const onPage = row[':block/name'] !== undefined
  place(w, id, row, opts.sibling && !onPage ? (opts.before ? 'before' : 'after') : opts.before ? 'first' : 'last')
  return w.plain(w.pull(id))
}

const idLine = (content: string, uuid: string) => {
  const [first, ...rest] = content.split('\n')
  return [first, `id:: ${uuid}`, ...rest].join('\n')
}

function place(w: World, id: number, target: Entity, where: 'before' | 'after' | 'first' | 'last'): void {
  const beside = where === 'before' || where === 'after'
  const parent = beside ? target[':block/parent'].id : target.id
  const ids = w.children(parent).map((row) => row.id as number).filter((one) => one !== id)
  const at = beside ? ids.indexOf(target.id) + (where === 'after' ? 1 : 0) : where === 'first' ? 0 : ids.length
  ids.splice(at, 0, id)
  w.arrange(parent, ids)
}

function insertBatch(w: World, target: string, batch: Entity[], opts: Entity): unknown[] | null {
  let anchor = w.byUUID(uuidOrThrow(target))
  if (!anchor) return null
  let where: 'after' | 'last' = opts.sibling ? 'after' : 'last'
  const made: unknown[] = []
  for (const one of batch) {
    const uuid = w.kind === 'og' ? (opts.keepUUID ? one.properties?.id : undefined) : one.uuid
    if (uuid && w.byUUID(uuid)) throw new Error(`Custom block UUID already exists (${uuid}).`)
    const text = w.kind === 'og' && uuid ? idLine(one.content, uuid) : one.content
    const id = w.add({ ...parsed(w, text), ':block/uuid': uuid ?? w.uuid(), ':block/page': w.pageOf(anchor!) })
    place(w, id, anchor!, where)
    const row = w.pull(id)
    made.push(w.plain(row))
    // DB graphs answer every block of the trees, each before its children.
    if (one.children?.length) made.push(...(insertBatch(w, row[':block/uuid'], one.children, { ...opts, sibling: false }) ?? []))
    anchor = row
    where = 'after'
  }
  return w.kind === 'og' ? null : made
}

function update(w: World, uuid: string, content: string): null {
  const row = w.byUUID(uuid)
  if (!row) return null
  save(w, row.id, content)
  // On file graphs a first block of nothing but properties is the page's own.
  const page = row[':block/page'].id
  if (w.kind === 'og' && row[':block/left'].id === page && /^([\w-]+:: .*\n?)+$/.test(content)) {
    w.set(row.id, { ':block/pre-block?': true })
    w.set(page, { ':block/properties': parsed(w, content)[':block/properties'] })
  }
  return null
}

function remove(w: World, uuid: string): null {
  const row = w.byUUID(w.kind === 'og' ? uuidOrThrow(uuid) : uuid)
  if (!row) return null
  const parent = row[':block/parent'].id
  w.arrange(parent, w.children(parent).map((one) => one.id as number).filter((id) => id !== row.id))
  w.retract([row.id, ...w.below(row.id)])
  return null
}

function move(w: World, uuid: string, target: string, opts: Entity): null {
  const [row, goal] = [w.byUUID(uuid), w.byUUID(target)]
  if (!row || !goal) return null
  const old = row[':block/parent'].id
  const left = w.children(old).map((one) => one.id as number).filter((id) => id !== row.id)
  const page = w.pageOf(goal)
  place(w, row.id, goal, opts.before ? 'before' : opts.children ? 'first' : 'after')
  const parent = w.pull(row.id)[':block/parent'].id
  if (old !== parent) w.arrange(old, left)
  w.transact([row.id, ...w.below(row.id)].map((id) => ({ ':db/id': id, ':block/page': page })))
  return null
}

function ogAPI(world: () => World): API {
  return {
    get_app_info: () => ({ version: '0.10.15' }),
    get_current_graph_templates: () => {
      const rows = (world().query('[:find (pull ?b [*]) :where [?b :block/properties _]]', []) as Entity[][]).map((row) => row[0]!)
      return Object.fromEntries(rows.filter((row) => row.properties.template).map((row) => [row.properties.template, row]))
    },
    create_page: (name: string, properties: Entity, opts: Entity = {}) => {
      const w = world()
      const day = opts.journal ? { ':block/journal?': true, ':block/journal-day': dayOf(name) } : {}
      const page = ensurePage(w, name, day)
      if (opts.createFirstBlock ?? true) insert(w, page[':block/uuid'], '', { sibling: false })
      return w.plain(page)
    },
    delete_page: (name: string) => {
      const w = world()
      const page = w.find(':block/name', name.toLowerCase())
      if (page) w.retract([page.id, ...w.below(page.id)])
      return null
    },
    rename_page: (from: string, to: string) => {
      const w = world()
      const page = w.find(':block/name', from.toLowerCase())
      if (!page) return null
      w.set(page.id, { ':block/name': to.toLowerCase(), ':block/original-name': to })
      for (const row of w.all(':block/refs', page.id)) save(w, row.id, String(row[':block/content']).replaceAll(`[[${from}]]`, `[[${to}]]`))
      return null
    },
    upsert_block_property: (uuid: string, key: string, value: unknown) => {
      const row = world().byUUID(uuidOrThrow(uuid))!
      const rest = String(row[':block/content']).split('\n').filter((line) => !line.startsWith(`${key}:: `))
      save(world(), row.id, [rest[0], `${key}:: ${value}`, ...rest.slice(1)].join('\n'))
      return null
    },
    remove_block_property: (uuid: string, key: string) => {
      const row = world().byUUID(uuidOrThrow(uuid))!
      save(world(), row.id, String(row[':block/content']).split('\n').filter((line) => !line.startsWith(`${key}:: `)).join('\n'))
      return null
    },
  }
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Reads "Nov 21st, 2026". */
function dayOf(title: string): number {
  const [, month, day, year] = /^(\w{3}) (\d+)\w\w, (\d{4})$/.exec(title)!
  return Number(`${year}${String(months.indexOf(month!) + 1).padStart(2, '0')}${day!.padStart(2, '0')}`)
}

function dbAPI(world: () => World): API {
  const ident = (w: World, key: string) => {
    const bare = key.trim().replace(/ /g, '').replace(/^[:_\s]+/, '')
    return bare.includes('/') ? `:${bare}` : `:plugin.property.logseq-lectern/${bare}`
  }
  return {
    get_app_info: () => ({ version: '2.0.1', supportDb: true }),
    check_current_is_db_graph: () => true,
    create_page: (name: string, properties: Entity, opts: Entity = {}) => {
      const w = world()
      const day = opts.journal && { ':block/journal-day': dayOf(name), ':block/tags': [w.find(':db/ident', ':logseq.class/Journal')!.id] }
      return w.plain(ensurePage(w, name, { ...(opts.customUUID ? { ':block/uuid': opts.customUUID } : {}), ...day }))
    },
    create_journal_page: (text: string) => {
      const date = new Date(text)
      const title = journalName(date.getFullYear() * 10_000 + (date.getMonth() + 1) * 100 + date.getDate(), 'MMM do, yyyy')
      return api(world).create_page!(title, {}, { journal: true, redirect: false })
    },
    delete_page: (name: string) => {
      const page = world().find(':block/name', name.toLowerCase())
      if (page) world().set(page.id, { ':logseq.property/deleted-at': world().now() })
      return null
    },
    restore_page: (uuid: string) => {
      const page = world().byUUID(uuid)
      if (page) world().clear(page.id, ':logseq.property/deleted-at')
      return null
    },
    rename_page: (uuid: string, to: string) => {
      const page = world().byUUID(uuid)
      if (!page) throw new Error('Invalid page uuid')
      world().set(page.id, { ':block/name': to.toLowerCase(), ':block/title': to })
      return null
    },
    upsert_block_property: (uuid: string, key: string, value: unknown, opts: Entity = {}) => {
      const w = world()
      const row = w.byUUID(uuid)
      if (!row) return null
      const id = ident(w, key)
      if (!w.find(':db/ident', id)) {
        if (!id.startsWith(':plugin.property.logseq-lectern/')) throw new Error('Plugins can only upsert its own properties')
        const made = addProperty(w, id, id.split('/')[1]!, inferred(value))
        const many = Array.isArray(value)
        if (many) w.set(made, { ':db/cardinality': ':db.cardinality/many' })
        w.declare(id, { ref: refers.has(inferred(value)), many })
      }
      const property = w.find(':db/ident', id)!
      const many = property[':db/cardinality'] === ':db.cardinality/many'
      if (Array.isArray(value) && !many) throw new Error(`Property ${key} has cardinality \`one\` but passed multiple values`)
      // One that is no choice of a property with choices is dropped without a word, and the old value with it.
      const choices = w.all(':block/closed-value-property', property.id).map((one) => one.id)
      if (choices.length > 0 && ![value].flat().every((one) => choices.includes(one as number))) {
        w.clear(row.id, id)
        return null
      }
      if (opts.reset && many) w.clear(row.id, id)
      const stored = [value].flat().map((one) => storedValue(w, row, property, one))
      w.set(row.id, { [id]: many ? stored : stored[0] })
      return null
    },
    remove_block_property: (uuid: string, key: string) => {
      const row = world().byUUID(uuid)
      if (row) world().clear(row.id, ident(world(), key))
      return null
    },
    remove_block_tag: (uuid: string, tag: string) => {
      const w = world()
      w.transact([[':db/retract', w.byUUID(uuid)!.id, ':block/tags', w.find(':db/ident', tag)!.id]])
      return null
    },
    add_block_tag: (uuid: string, tag: string) => {
      const w = world()
      w.set(w.byUUID(uuid)!.id, { ':block/tags': [w.find(':db/ident', tag)!.id] })
      return null
    },
  }
}

/** Types whose values are entities: blocks of their own that say which property they are of. */
const refers = new Set([':default', ':number', ':url'])

const isURL = (value: unknown) => typeof value === 'string' && /^https?:\/\/\S+$/.test(value)

/** The type that Logseq gives a property it makes for a value. */
function inferred(value: unknown): string {
  const all = [value].flat()
  if (typeof value === 'boolean') return ':checkbox'
  if (all.every((one) => typeof one === 'number')) return ':number'
  if (all.every(isURL)) return ':url'
  return Array.isArray(value) || typeof value !== 'object' ? ':default' : ':json'
}

function storedValue(w: World, row: Entity, property: Entity, value: unknown): unknown {
  const type = property[':logseq.property/type']
  if (type === ':json' && typeof value !== 'string') return JSON.stringify(value)
  if (!refers.has(type)) return value
  // A number is an id, but for a number property only if it is one of its values.
  if (typeof value === 'number' && (type !== ':number' || isValueOf(w, property, value))) return value
  const made = { ':block/uuid': w.uuid(), ':logseq.property/created-from-property': property.id }
  if (type !== ':number') {
    return w.add({ ...made, ':block/title': String(value), ':block/page': w.pageOf(row), ':block/parent': row.id })
  }
  // One number is one entity of the property's, however many blocks have it.
  const same = w.all(':logseq.property/value', value).find((one) => isValueOf(w, property, one.id))
  return same?.id ?? w.add({ ...made, ':logseq.property/value': value, ':block/page': property.id, ':block/parent': property.id })
}

function isValueOf(w: World, property: Entity, id: number): boolean {
  const row = w.pull(id)
  return [row[':block/closed-value-property'], row[':logseq.property/created-from-property']].some((of) => of?.id === property.id)
}

export function addProperty(w: World, ident: string, title: string, type: string): number {
  return w.add({
    ':db/ident': ident,
    ':block/uuid': w.uuid(),
    ':block/name': title.toLowerCase(),
    ':block/title': title,
    ':logseq.property/type': type,
    ':block/tags': [w.find(':db/ident', ':logseq.class/Property')!.id],
  })
}
