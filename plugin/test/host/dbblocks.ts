import { flat, resolved, tree, withChildUUIDs } from './dbanswers'
import { addNamed, classID, isRecycled, isUUID, nextKey, parse, refresh } from './dbtext'
import { addProperty, inferredType, storeValue } from './dbproperties'
import { keyBetween, keysBetween } from './order'
import { type Entity, type World } from './world'

// Blocks of a DB graph. Logseq has two databases: a worker's with the whole
// graph, and the window's with what it was sent. Queries are answered from the
// first; "before" looks for siblings and parents in the second.

/** What the window gets to know by being asked for a block: it and its children. */
function look(w: World, row: Entity): void {
  w.known.add(row.id)
  for (const child of w.children(row.id)) w.known.add(child.id)
}

function lookBelow(w: World, id: number): void {
  for (const below of w.below(id)) w.known.add(below)
}

const pageLike = (row: Entity) => row[':block/name'] !== undefined

/** A page by name or uuid, a block by uuid. */
export function resolve(w: World, target: unknown): Entity | undefined {
  if (isUUID(target)) return w.byUUID(target)
  return typeof target === 'string' ? w.find(':block/name', target.trim().toLowerCase().normalize('NFC')) : undefined
}

export function blockAPI(world: () => World): Record<string, (...args: any[]) => unknown> {
  return {
    get_block: (uuid: string, opts: Entity = {}) => {
      const w = world()
      const row = w.byUUID(uuid)
      if (!row) return null
      look(w, row)
      if (!opts.includeChildren) return withChildUUIDs(w, row)
      lookBelow(w, row.id)
      return { ...resolved(w, row), children: tree(w, row.id, 1, false) }
    },
    get_page_blocks_tree: (target: string) => {
      const row = resolve(world(), target)
      if (!row) return null
      lookBelow(world(), row.id)
      return tree(world(), row.id, 1, true)
    },
    set_block_icon: (uuid: string, type: string, name: string) => {
      const row = world().byUUID(uuid)
      if (row) world().set(row.id, { ':logseq.property/icon': { type, id: name.toLowerCase() } })
      return null
    },
    remove_block_icon: (uuid: string) => {
      const row = world().byUUID(uuid)
      if (row) world().clear(row.id, ':logseq.property/icon')
      return null
    },
    get_previous_sibling_block: (uuid: string) => sibling(world(), uuid, -1),
    get_next_sibling_block: (uuid: string) => sibling(world(), uuid, 1),
    insert_block: (target: string, content: string, opts: Entity = {}) => insert(world(), target, content, opts),
    insert_batch_block: (target: string, batch: Entity | Entity[], opts: Entity = {}) => insertBatch(world(), target, [batch].flat(), opts),
    append_block_in_page: (page: string, content: string) => {
      const w = world()
      const row = resolve(w, page) ?? addNamed(w, page, [classID(w, 'Page')])
      return insert(w, row[':block/uuid'], content, {})
    },
    prepend_block_in_page: (page: string, content: string) => insert(world(), page, content, { start: true }),
    update_block: (uuid: string, content: string) => update(world(), uuid, content),
    remove_block: (uuid: string) => {
      const w = world()
      const row = w.byUUID(uuid)
      if (row) w.retract([row.id, ...w.below(row.id)])
      return null
    },
    move_block: (uuid: string, target: string, opts: Entity = {}) => move(world(), uuid, target, opts),
    set_block_collapsed: (uuid: string, collapsed: boolean | 'toggle') => {
      const w = world()
      const row = w.byUUID(uuid)
      if (!row) return null
      const wanted = collapsed === 'toggle' ? !row[':block/collapsed?'] : collapsed
      if (wanted) w.set(row.id, { ':block/collapsed?': true })
      else w.clear(row.id, ':block/collapsed?')
      return null
    },
  }
}

function sibling(w: World, uuid: string, step: number): Entity | null {
  const row = w.byUUID(uuid)
  if (!row?.[':block/parent']) return null
  const all = w.children(row[':block/parent'].id)
  for (const one of all) w.known.add(one.id)
  const found = all[all.findIndex((one) => one.id === row.id) + step]
  return found ? withChildUUIDs(w, found) : null
}

/** A parent, and the keys between which the new children go. */
interface Gap {
  parent: number
  left: string | null
  right: string | null
}

const orders = (w: World, parent: number, without?: number) =>
  w.children(parent).filter((row) => row.id !== without).map((row) => row[':block/order'] as string)

function first(w: World, parent: number, without?: number): Gap {
  return { parent, left: null, right: orders(w, parent, without)[0] ?? null }
}

function last(w: World, parent: number): Gap {
  return { parent, left: orders(w, parent).at(-1) ?? null, right: null }
}

function after(w: World, row: Entity, without?: number): Gap {
  const parent = row[':block/parent'].id as number
  const all = orders(w, parent, without)
  return { parent, left: row[':block/order'], right: all[all.indexOf(row[':block/order']) + 1] ?? null }
}

/** What the window makes of "before": after the sibling to its left as far as it knows, or first. Nothing where it does not know the parent. */
function before(w: World, row: Entity, moved?: number): Gap | undefined {
  const parent = w.pull(row[':block/parent'].id)
  if (!pageLike(parent) && !w.known.has(parent.id)) return undefined
  const seen = w.children(parent.id).filter((one) => w.known.has(one.id) && one[':block/order'] < row[':block/order'])
  const left = seen.at(-1)
  if (!left) return first(w, parent.id, moved)
  return left.id === moved ? undefined : after(w, left, moved)
}

function recycledAbove(w: World, row: Entity): boolean {
  for (let at: Entity | undefined = row; at; at = at[':block/parent'] && w.pull(at[':block/parent'].id)) if (isRecycled(at)) return true
  return false
}

function insert(w: World, target: string, content: string, opts: Entity): Entity | null {
  if (typeof target !== 'string' || target.trim() === '') throw new Error('Page title or block UUID shouldn\'t be empty.')
  if (opts.customUUID !== undefined && !isUUID(opts.customUUID)) throw new Error(`${opts.customUUID} is not a valid UUID string.`)
  if (opts.customUUID && w.byUUID(opts.customUUID)) throw new Error(`Custom block UUID already exists (${opts.customUUID}).`)
  const row = resolve(w, target)
  if (!row) return null // silently, as Logseq does
  if (recycledAbove(w, row)) {
    w.shown.push({ content: ':storage.recycle/readonly', status: 'warning' })
    return null
  }
  look(w, row)
  const beside = opts.sibling && !pageLike(row)
  const gap = beside ? (opts.before ? before(w, row) : after(w, row)) : opts.before || opts.start ? first(w, row.id) : last(w, row.id)
  if (!gap) return null
  const [id] = add(w, [{ content, uuid: opts.customUUID }], gap, w.pageOf(row), [keyBetween(gap.left, gap.right)])
  for (const [key, value] of Object.entries(opts.properties ?? {})) setOwn(w, id!, key, value)
  return flat(w, w.pull(id!))
}

interface Item {
  content: string
  uuid?: string
  parent?: number
}

/** Adds blocks before what their texts name, so that ids go in Logseq's order. */
function add(w: World, items: Item[], gap: Gap, page: number, keys: string[], batch = false): number[] {
  const at = w.now()
  const ids: number[] = []
  for (const [nth, { uuid, parent }] of items.entries()) {
    const above = parent === undefined ? gap.parent : ids[parent]!
    ids.push(w.add({
      ':block/uuid': uuid ?? w.uuid(), ':block/created-at': at, ':block/updated-at': at, ':block/title': '',
      ':block/parent': above, ':block/page': page, ':block/order': keys[nth]!,
    }))
  }
  for (const [nth, id] of ids.entries()) {
    write(w, id, items[nth]!.content, !batch)
    w.known.add(id)
  }
  return ids
}

/** Stores a text. An existing heading stays, whatever the text is. */
function write(w: World, id: number, content: string, makePages = true): void {
  const { title, heading, tags, refs, deadline } = parse(w, content, makePages)
  w.set(id, {
    ':block/title': title, ':block/updated-at': w.now(),
    ...(heading ? { ':logseq.property/heading': heading } : {}),
    ...(tags.length > 0 ? { ':block/tags': tags } : {}),
    ...(deadline ? { ':block/deadline': deadline } : {}),
  })
  refresh(w, id, refs)
}

/** Of an item's text only the first block that Markdown sees is kept, and of its uuid nothing. */
export function firstBlock(content: string): string {
  const lines = content.split('\n')
  let fenced = false
  for (const [at, line] of lines.entries()) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced
    if (at > 0 && !fenced && /^(\s*- |#{1,6} )/.test(line)) return lines.slice(0, at).join('\n')
  }
  return content
}

function insertBatch(w: World, target: string, batch: Entity[], opts: Entity): Entity[] | null {
  const row = resolve(w, target)
  if (!row) return null
  look(w, row)
  const beside = opts.sibling && !pageLike(row)
  const gap = beside ? (opts.before ? before(w, row) : after(w, row)) : first(w, row.id)
  if (!gap) return null
  const items: (Item & { source: Entity })[] = []
  const flatten = (list: Entity[], parent?: number) => {
    for (const one of list) {
      items.push({ content: firstBlock(one.content ?? ''), source: one, ...(parent === undefined ? {} : { parent }) })
      flatten(one.children ?? [], items.length - 1)
    }
  }
  flatten(batch)
  // Each of them takes a key from the row of pages, properties and values, and is given another one.
  for (const _ of items) nextKey(w)
  const ids = add(w, items, gap, w.pageOf(row), keysBetween(gap.left, gap.right, items.length), true)
  for (const [nth, { source }] of items.entries()) {
    // Properties are looked up by the uuid of Logseq's own, so an item that has one loses them.
    if (source.uuid) continue
    for (const [key, value] of Object.entries(source.properties ?? {})) setOwn(w, ids[nth]!, key, value)
  }
  return ids.map((id) => flat(w, w.pull(id)))
}

/** Sets a property of the plugin, as create_page and the batch do. */
export function setOwn(w: World, id: number, key: string, value: unknown): void {
  const ident = `:plugin.property.logseq-lectern/${key.replace(/ /g, '')}`
  const property = w.find(':db/ident', ident) ?? addProperty(w, ident, key, inferredType(value), Array.isArray(value))
  storeValue(w, w.pull(id), property, value, true)
}

function update(w: World, uuid: string, content: string): null {
  const row = w.byUUID(uuid)
  if (!row) return null
  const text = content.trim()
  if (pageLike(row)) {
    w.set(row.id, { ':block/title': text, ':block/name': text.toLowerCase(), ':block/updated-at': w.now() })
    return null
  }
  for (const [tag, title] of tagsInText(w, row)) if (title) w.transact([[':db/retract', row.id, ':block/tags', tag]])
  write(w, row.id, text)
  return null
}

/** The tags of a block that its text has, which go with the text. */
function tagsInText(w: World, row: Entity): [number, boolean][] {
  const title = String(row[':block/title'] ?? '')
  return (row[':block/tags'] ?? []).map(({ id }: Entity) => {
    const tag = w.pull(id)
    return [id, title.includes(`#[[${tag[':block/uuid']}]]`) || title.includes(`[#${tag[':block/title']}`)]
  })
}

function move(w: World, uuid: string, target: string, opts: Entity): null {
  const [row, goal] = [w.byUUID(uuid), w.byUUID(target)]
  if (!row || !goal) return null
  look(w, row)
  look(w, goal)
  if (goal.id === row.id || w.below(row.id).includes(goal.id)) return null
  const gap = opts.children || pageLike(goal) ? first(w, goal.id, row.id) : opts.before ? before(w, goal, row.id) : after(w, goal, row.id)
  if (!gap) return null
  w.set(row.id, { ':block/parent': gap.parent, ':block/order': keyBetween(gap.left, gap.right) })
  w.transact([row.id, ...w.below(row.id)].map((id) => ({ ':db/id': id, ':block/page': w.pageOf(goal) })))
  return null
}

