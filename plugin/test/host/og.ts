import { firstBlock } from './dbblocks'
import { blockAnswer, insertedAnswer, pageAnswer } from './oganswers'
import { type Entity, type World } from './world'

// The plugin API of Logseq 0.10.x on a file graph.

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const markers = /^(TODO|DOING|NOW|LATER|WAITING|DONE|CANCELED)\s+(?:\[#([ABC])\]\s+)?/

function uuidOrThrow(uuid: unknown): string {
  if (typeof uuid === 'string' && uuidShape.test(uuid)) return uuid
  throw new Error(`${uuid} is not a valid UUID string.`)
}

export function ogAPI(world: () => World): Record<string, (...args: any[]) => unknown> {
  return {
    get_app_info: () => ({ version: '0.10.15' }),
    get_current_graph: () => ({ name: world().name, url: `logseq_local_/graphs/${world().name}`, path: `/graphs/${world().name}` }),
    get_user_configs: () => ({
      showBrackets: true, preferredTodo: 'LATER', preferredLanguage: 'en', preferredDateFormat: 'MMM do, yyyy', preferredWorkflow: 'now',
      currentGraph: `logseq_local_/graphs/${world().name}`, preferredThemeMode: 'light', enabledJournals: true, preferredFormat: 'markdown',
      preferredStartOfWeek: 6, enabledFlashcards: true, me: null,
    }),
    insert_block: (target: string, content: string, opts: Entity = {}) => insert(world(), target, content, opts),
    insert_batch_block: (target: string, batch: Entity[], opts: Entity = {}) => insertBatch(world(), target, [batch].flat(), opts),
    update_block: (uuid: string, content: string) => update(world(), uuid, content),
    remove_block: (uuid: string) => remove(world(), uuid),
    move_block: (uuid: string, target: string, opts: Entity = {}) => move(world(), uuid, target, opts),
    get_block: (uuid: string) => {
      const row = world().byUUID(uuid)
      return row ? blockAnswer(world(), row) : null
    },
    get_page: (name: string) => {
      const row = world().find(':block/name', name.toLowerCase())
      return row ? pageAnswer(row) : null
    },
    append_block_in_page: (page: string, content: string) => insert(world(), page, content, {}),
    prepend_block_in_page: (page: string, content: string) => insert(world(), page, content, { before: true }),
    get_block_property: (uuid: string, key: string) => blockAnswer(world(), world().byUUID(uuid)!).properties[key] ?? null,
    get_block_properties: (uuid: string) => blockAnswer(world(), world().byUUID(uuid)!).properties,
    get_all_pages: () => null,
    set_block_collapsed: (uuid: string, collapsed: boolean) => {
      const w = world()
      const row = w.byUUID(uuid)
      if (row && collapsed) w.set(row.id, { ':block/collapsed?': true })
      else if (row) w.clear(row.id, ':block/collapsed?')
      return null
    },
    get_current_graph_templates: () => {
      const rows = (world().query('[:find (pull ?b [*]) :where [?b :block/properties _]]', []) as Entity[][]).map((row) => row[0]!)
      return Object.fromEntries(rows.filter((row) => row.properties.template).map((row) => [row.properties.template, row]))
    },
    create_page: (name: string, properties: Entity, opts: Entity = {}) => {
      const w = world()
      const day = opts.journal ? { ':block/journal?': true, ':block/journal-day': dayOf(name) } : {}
      const page = ensurePage(w, name, { ...day, ...(opts.format === 'org' ? { ':block/format': ':org' } : {}) })
      if (opts.createFirstBlock ?? true) insert(w, page[':block/uuid'], '', { sibling: false })
      if (Object.keys(properties ?? {}).length > 0) {
        w.set(page.id, { ':block/properties': properties })
        for (const key of Object.keys(properties)) ensurePage(w, key)
        insert(w, page[':block/uuid'], Object.entries(properties).map(([key, value]) => `${key}:: ${value}`).join('\n'), { sibling: false })
        w.set(w.children(page.id)[0]!.id, { ':block/pre-block?': true })
      }
      return pageAnswer(w.pull(page.id))
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
      if (isOrg(row)) {
        save(world(), row.id, withDrawer(String(row[':block/content']), key, value))
        return null
      }
      const rest = String(row[':block/content']).split('\n').filter((line) => !line.startsWith(`${key}:: `))
      // Below the properties that are there, or below the first line.
      const at = Math.max(0, rest.findLastIndex((line) => /^[\w-]+:: /.test(line))) + 1
      if (value !== null) rest.splice(at, 0, `${key}:: ${value}`)
      save(world(), row.id, rest.join('\n'))
      return null
    },
    remove_block_property: (uuid: string, key: string) => {
      const row = world().byUUID(uuidOrThrow(uuid))!
      if (isOrg(row)) {
        save(world(), row.id, withDrawer(String(row[':block/content']), key, null))
        return null
      }
      save(world(), row.id, String(row[':block/content']).split('\n').filter((line) => !line.startsWith(`${key}:: `)).join('\n'))
      return null
    },
  }
}

const drawer = /\n:PROPERTIES:\n([\s\S]*?):END:/
const drawerOf = (text: string) => drawer.exec(text)?.[1] ?? ''
const isOrg = (row: Entity) => row[':block/format'] === ':org'

/** A text of an Org block with a property in its drawer, or without it. */
function withDrawer(text: string, key: string, value: unknown): string {
  const lines = drawerOf(text).split('\n').filter((line) => line && !line.startsWith(`:${key}: `))
  if (value !== null) lines.push(`:${key}: ${value}`)
  const [first, ...rest] = text.replace(drawer, '').split('\n')
  return [first, ...(lines.length > 0 ? [':PROPERTIES:', ...lines, ':END:'] : []), ...rest].join('\n')
}

/** References, marker and properties of a text, as Logseq finds them when it saves a block. */
export function parsed(w: World, text: string, org = false): Entity {
  const refs = [...text.matchAll(/\[\[([^\]]+)\]\]|(?<=^|\s)#([\w-]+)/g)].map((m) => ensurePage(w, (m[1] ?? m[2])!).id as number)
  for (const m of text.matchAll(/\(\(([0-9a-f-]{36})\)\)/g)) {
    const block = w.byUUID(m[1])
    if (block) refs.push(block.id)
  }
  const task = markers.exec(text)
  for (const name of [task?.[1], task?.[2]]) {
    const own = name && w.find(':block/name', name.toLowerCase())
    if (own) refs.push(own.id)
  }
  const written = org ? [...drawerOf(text).matchAll(/^:([\w-]+): (.*)$/gm)] : [...text.matchAll(/^([\w-]+):: (.*)$/gm)]
  const properties = Object.fromEntries(written.map((m) => [m[1], m[2]]))
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
  const above = name.includes('/') ? ensurePage(w, name.slice(0, name.lastIndexOf('/'))) : undefined
  const shared = { ...(above ? { ':block/namespace': above.id } : {}), ':block/uuid': w.uuid(), ':block/name': name.toLowerCase(), ':block/created-at': at, ':block/updated-at': at }
  return w.pull(w.add({ ...shared, ':block/original-name': name, ':block/properties': {}, ...more }))
}

function save(w: World, id: number, text: string): void {
  for (const attribute of [':block/refs', ':block/marker', ':block/priority', ':block/scheduled', ':block/deadline']) w.clear(id, attribute)
  w.set(id, { ...parsed(w, text, isOrg(w.pull(id))), ':block/updated-at': w.now() })
}

/** A page by name or uuid, a block by uuid; file graphs make the page of a new name. */
function resolve(w: World, target: string): Entity | undefined {
  if (uuidShape.test(target)) return w.byUUID(target)
  return ensurePage(w, target)
}

function insert(w: World, target: string, content: string, opts: Entity): unknown {
  if (!target?.trim()) throw new Error('Page title or block UUID shouldn\'t be empty.')
  if (opts.customUUID) uuidOrThrow(opts.customUUID)
  const row = resolve(w, target)
  if (!row) return null // silently, as Logseq does
  if (opts.customUUID && w.byUUID(opts.customUUID)) throw new Error(`Custom block UUID already exists (${opts.customUUID}).`)
  const uuid = opts.customUUID ?? w.uuid()
  const org = isOrg(row)
  const text = !opts.customUUID ? content : org ? withDrawer(content, 'id', uuid) : idLine(content, uuid)
  const id = w.add({ ...parsed(w, text, org), ':block/uuid': uuid, ':block/page': w.pageOf(row), ...(org ? { ':block/format': ':org' } : {}) })
  const onPage = row[':block/name'] !== undefined
  place(w, id, row, opts.sibling && !onPage ? (opts.before ? 'before' : 'after') : opts.before ? 'first' : 'last')
  return insertedAnswer(w, w.pull(id))
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

function insertBatch(w: World, target: string, batch: Entity[], opts: Entity): null {
  let anchor = w.byUUID(uuidOrThrow(target))
  if (!anchor) return null
  let where: 'after' | 'last' = opts.sibling ? 'after' : 'last'
  for (const one of batch) {
    const uuid = opts.keepUUID ? one.properties?.id : undefined
    if (uuid && w.byUUID(uuid)) throw new Error(`Custom block UUID already exists (${uuid}).`)
    const kept = firstBlock(one.content)
    const text = uuid ? idLine(kept, uuid) : kept
    const id = w.add({ ...parsed(w, text), ':block/uuid': uuid ?? w.uuid(), ':block/page': w.pageOf(anchor!) })
    place(w, id, anchor!, where)
    const row = w.pull(id)
    if (one.children?.length) insertBatch(w, row[':block/uuid'], one.children, { ...opts, sibling: false })
    anchor = row
    where = 'after'
  }
  return null
}

function update(w: World, uuid: string, content: string): null {
  const row = w.byUUID(uuid)
  if (!row) return null
  // Of a drawer the id is put back, and nothing else.
  const id = isOrg(row) ? row[':block/properties'].id : undefined
  save(w, row.id, id ? withDrawer(content, 'id', id) : content)
  // On file graphs a first block of nothing but properties is the page's own.
  const page = row[':block/page'].id
  if (row[':block/left'].id === page && /^([\w-]+:: .*\n?)+$/.test(content)) {
    w.set(row.id, { ':block/pre-block?': true })
    w.set(page, { ':block/properties': parsed(w, content)[':block/properties'] })
  }
  return null
}

function remove(w: World, uuid: string): null {
  const row = w.byUUID(uuidOrThrow(uuid))
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

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Reads "Nov 21st, 2026". */
function dayOf(title: string): number {
  const [, month, day, year] = /^(\w{3}) (\d+)\w\w, (\d{4})$/.exec(title)!
  return Number(`${year}${String(months.indexOf(month!) + 1).padStart(2, '0')}${day!.padStart(2, '0')}`)
}

