import { firstBlock } from './dbblocks'
import { blockAnswer, insertedAnswer, pageAnswer, pathRefs, treeAnswer } from './oganswers'
import { ensurePage, isOrg, nameOf, parsed, propertyFields, withDrawer, withID, withProperties, writtenProperties } from './ogtext'
import { type Entity, type World } from './world'

// The plugin API of Logseq 0.10.x on a file graph.

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

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
    update_block: (uuid: string, content: string, opts: Entity = {}) => update(world(), uuid, content, opts),
    remove_block: (uuid: string) => remove(world(), uuid),
    move_block: (uuid: string, target: string, opts: Entity = {}) => move(world(), uuid, target, opts),
    get_block: (uuid: string) => {
      const row = world().byUUID(uuid)
      return row ? blockAnswer(world(), row) : null
    },
    get_page: (name: string) => {
      const row = world().find(':block/name', nameOf(name))
      return row ? pageAnswer(row) : null
    },
    append_block_in_page: (page: string, content: string) => insert(world(), page, content, {}),
    prepend_block_in_page: (page: string, content: string) => insert(world(), page, content, { before: true }),
    get_block_property: (uuid: string, key: string) => blockAnswer(world(), world().byUUID(uuid)!).properties[key] ?? null,
    get_block_properties: (uuid: string) => blockAnswer(world(), world().byUUID(uuid)!).properties,
    get_all_pages: () => null,
    get_page_linked_references: () => null,
    datascript_query: (query: string, ...inputs: unknown[]) => withPathRefs(world(), query, world().query(query, inputs)),
    set_block_collapsed: (uuid: string, collapsed: boolean) => {
      const w = world()
      const row = w.byUUID(uuid)
      if (row && collapsed) w.set(row.id, { ':block/collapsed?': true })
      else if (row) w.clear(row.id, ':block/collapsed?')
      return null
    },
    get_current_graph_templates: () => {
      const w = world()
      const rows = (w.query('[:find ?b :where [?b :block/properties _]]', []) as number[][]).map(([id]) => w.pull(id!))
      return Object.fromEntries(rows.filter((row) => row[':block/properties'].template).map((row) => [row[':block/properties'].template, blockAnswer(w, row, false)]))
    },
    create_page: (name: string, properties: Entity, opts: Entity = {}) => {
      const w = world()
      const page = ensurePage(w, name, opts.format === 'org' ? { ':block/format': ':org' } : {})
      if (opts.createFirstBlock ?? true) insert(w, page[':block/uuid'], '', { sibling: false })
      if (Object.keys(properties ?? {}).length > 0) {
        w.set(page.id, { ':block/properties': properties })
        for (const key of Object.keys(properties)) ensurePage(w, key)
        insert(w, page[':block/uuid'], Object.entries(properties).map(([key, value]) => `${key}:: ${value}`).join('\n'), { sibling: false })
        w.set(w.children(page.id)[0]!.id, { ':block/pre-block?': true })
      }
      // It looks for what it was given, and a day is called otherwise.
      return page[':block/name'] === name.toLowerCase() ? pageAnswer(w.pull(page.id)) : null
    },
    delete_page: (name: string) => {
      const w = world()
      const page = w.find(':block/name', name.toLowerCase())
      if (page) w.retract([page.id, ...w.below(page.id)])
      return null
    },
    rename_page: (from: string, to: string) => {
      const w = world()
      const page = w.find(':block/name', nameOf(from))
      if (!page) throw new Error("Cannot read properties of null (reading 'replace')")
      const there = w.find(':block/name', nameOf(to))
      const links = w.all(':block/refs', page.id).filter((row) => row[':block/content'])
      if (there && there.id !== page.id) merge(w, page, there)
      else w.set(page.id, { ':block/name': nameOf(to), ':block/original-name': to })
      for (const row of links) save(w, row.id, String(row[':block/content']).replaceAll(`[[${from}]]`, `[[${to}]]`))
      return null
    },
    upsert_block_property: (uuid: string, key: string, value: unknown) => {
      setProperty(world(), uuid, key.toLowerCase(), value)
      return null
    },
    remove_block_property: (uuid: string, key: string) => {
      setProperty(world(), uuid, key.toLowerCase(), null)
      return null
    },
    get_page_blocks_tree: (name: string) => {
      const page = world().find(':block/name', name.toLowerCase())
      return page ? treeAnswer(world(), page.id) : null
    },
    get_previous_sibling_block: (uuid: string) => sibling(world(), uuid, -1),
    get_next_sibling_block: (uuid: string) => sibling(world(), uuid, 1),
  }
}

/** Whole blocks of a query have what the blocks above them and their page refer to. */
function withPathRefs(w: World, query: string, found: unknown): unknown {
  if (!/\(pull \?\w+ \[\*\]\)/.test(query)) return found
  const add = (value: any): unknown => {
    if (Array.isArray(value)) return value.map(add)
    return value?.uuid && value.parent ? { ...value, 'path-refs': pathRefs(w, w.byUUID(value.uuid)!) } : value
  }
  return add(found)
}

/** A page that takes another's name takes in its blocks, and the other is gone. */
function merge(w: World, page: Entity, into: Entity): void {
  const blocks = w.children(page.id).map((row) => row.id as number)
  const all = w.below(page.id)
  w.arrange(into.id, [...w.children(into.id).map((row) => row.id as number), ...blocks])
  w.transact(all.map((id) => ({ ':db/id': id, ':block/page': into.id })))
  w.retract([page.id])
}

/** Sets a property, and writes all of them into the text again; what the value refers to is found at the next save. */
function setProperty(w: World, uuid: string, key: string, value: unknown): void {
  const row = w.byUUID(uuidOrThrow(uuid))!
  const text = String(row[':block/content'])
  if (isOrg(row)) {
    const written = withDrawer(text, key, value)
    w.clear(row.id, ':block/properties-text-values')
    return w.set(row.id, { ':block/content': written, ...propertyFields(writtenProperties(written, true)), ':block/updated-at': w.now() })
  }
  const { [key]: before, ...others } = row[':block/properties-text-values'] ?? {}
  const all = value === null ? others : before === undefined ? { ...others, [key]: value } : { ...row[':block/properties-text-values'], [key]: value }
  w.set(row.id, { ':block/content': withProperties(text, all), ...propertyFields(all), ':block/properties-text-values': all, ':block/updated-at': w.now() })
}

function sibling(w: World, uuid: string, step: number): unknown {
  const row = w.byUUID(uuid)
  if (!row) return null
  const beside = w.children(row[':block/parent'].id)
  const found = beside[beside.findIndex(({ id }) => id === row.id) + step]
  return found ? blockAnswer(w, found, false) : null
}

function save(w: World, id: number, text: string): void {
  for (const attribute of [':block/refs', ':block/marker', ':block/priority', ':block/scheduled', ':block/deadline']) w.clear(id, attribute)
  w.set(id, { ...parsed(w, text, isOrg(w.pull(id))), ':block/updated-at': w.now() })
}

/** A page by name or uuid, a block by uuid; file graphs make the page of a new name. */
function resolve(w: World, target: string): Entity | undefined {
  if (uuidShape.test(target)) return w.byUUID(target)
  const before = w.find(':block/name', nameOf(target))
  if (before) return before
  const page = ensurePage(w, target)
  w.tellAs('create-page', 'insert-blocks')
  return page
}

function insert(w: World, target: string, content: string, opts: Entity): unknown {
  if (!target?.trim()) throw new Error('Page title or block UUID shouldn\'t be empty.')
  if (opts.customUUID) uuidOrThrow(opts.customUUID)
  if (/\{\{query /.test(content)) throw new Error('No protocol method IMapEntry.-key defined for type string: q')
  const row = resolve(w, target)
  if (!row) return null // silently, as Logseq does
  if (opts.customUUID && w.byUUID(opts.customUUID)) throw new Error(`Custom block UUID already exists (${opts.customUUID}).`)
  const uuid = opts.customUUID ?? w.uuid()
  const org = isOrg(row)
  const given = opts.properties ? withProperties(content, { ...writtenProperties(content, org), ...opts.properties }) : content
  const text = !opts.customUUID ? given : org ? withDrawer(given, 'id', uuid) : withID(given, uuid)
  // The block comes first, the pages that it names after it.
  const id = w.add({ ':block/uuid': uuid, ':block/page': w.pageOf(row), ':block/format': org ? ':org' : ':markdown', ...(row[':block/journal?'] === undefined ? {} : { ':block/journal?': false }) })
  w.set(id, parsed(w, text, org))
  const onPage = row[':block/name'] !== undefined
  const [first] = onPage ? w.children(row.id).filter((one) => one.id !== id) : []
  // Before the blocks of a page is after the first of them.
  if (onPage && opts.before && first) place(w, id, first, 'after')
  else place(w, id, row, opts.sibling && !onPage ? (opts.before ? 'before' : 'after') : opts.before ? 'first' : 'last')
  return insertedAnswer(w, w.pull(id))
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
  let where: 'before' | 'after' | 'last' = opts.sibling ? (opts.before ? 'before' : 'after') : 'last'
  for (const one of batch) {
    const uuid = opts.keepUUID ? one.properties?.id : undefined
    if (uuid && w.byUUID(uuid)) throw new Error(`Custom block UUID already exists (${uuid}).`)
    const kept = firstBlock(one.content)
    const { id: _id, ...given } = one.properties ?? {}
    const listed = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, Array.isArray(value) ? value.map((name) => `[[${name}]]`).join(', ') : value]))
    const org = isOrg(anchor!)
    const all = { ...(uuid ? { id: uuid } : {}), ...listed }
    const text = org ? Object.entries(all).reduce((one, [key, value]) => withDrawer(one, key, value), kept) : withProperties(uuid ? withID(kept, uuid) : kept, all)
    const id = w.add({ ':block/uuid': uuid ?? w.uuid(), ':block/page': w.pageOf(anchor!), ':block/format': org ? ':org' : ':markdown' })
    const { ':block/properties': read, ...rest } = parsed(w, text, org)
    w.set(id, Object.keys(read).length > 0 ? { ...rest, ':block/properties': read } : rest)
    place(w, id, anchor!, where)
    const row = w.pull(id)
    if (one.children?.length) insertBatch(w, row[':block/uuid'], one.children, { ...opts, sibling: false })
    anchor = row
    where = 'after'
  }
  return null
}

function update(w: World, uuid: string, content: string, opts: Entity): null {
  const row = w.byUUID(uuid)
  if (!row) return null
  // The id of a block is put back, and nothing else.
  const id = isOrg(row) ? row[':block/properties'].id : undefined
  const given = opts.properties ? withProperties(content, { ...writtenProperties(content, false), ...opts.properties }) : content
  const own = row[':block/properties']?.id
  w.set(row[':block/page'].id, { ':block/updated-at': w.now() })
  save(w, row.id, id ? withDrawer(content, 'id', id) : own && !/^id:: /m.test(given) ? withID(given, own) : given)
  // On file graphs a first block of nothing but properties is the page's own.
  const page = row[':block/page'].id
  if (row[':block/left'].id === page && /^([\w-]+:: .*\n?)+$/.test(content)) {
    w.set(row.id, { ':block/pre-block?': true })
    w.set(page, { ':block/properties': propertyFields(writtenProperties(content, false))[':block/properties'] })
  }
  return null
}

function remove(w: World, uuid: string): null {
  const row = w.byUUID(uuidOrThrow(uuid))
  if (!row) return null
  const parent = row[':block/parent'].id
  w.set(row[':block/page'].id, { ':block/updated-at': w.now() })
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
