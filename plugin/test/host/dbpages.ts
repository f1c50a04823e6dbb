import { flat, resolved } from './dbanswers'
import { resolve, setOwn } from './dbblocks'
import { addProperty, propertyIdent } from './dbproperties'
import { addNamed, classID, dayIn, ensureJournal, ensureTag, isRecycled, isUUID, nextKey, refresh } from './dbtext'
import { keyBetween } from './order'
import { type Entity, type World } from './world'

// Pages and tags of a DB graph. A name with slashes is a page below pages, the
// uppermost below Library; names are not unique, and a name alone is the first
// page that has it. What is deleted lies in Recycle and keeps its name.

const recycle = 190
const isClass = (w: World, row: Entity) => Boolean(row[':block/tags']?.some(({ id }: Entity) => id === classID(w, 'Tag')))

function warn(w: World, content: string, status = 'warning'): null {
  w.shown.push({ content, status })
  return null
}

export function pageAPI(world: () => World): Record<string, (...args: any[]) => unknown> {
  const tagOf = (target: string): Entity | undefined => {
    const w = world()
    if (target.startsWith(':')) return w.find(':db/ident', target)
    if (isUUID(target)) return w.byUUID(target)
    return w.all(':block/name', target.toLowerCase()).find((row) => isClass(w, row))
  }
  const answer = (row: Entity | undefined) => (row ? flat(world(), row) : null)
  return {
    get_page: (target: string) => {
      const row = resolve(world(), target)
      return row && row[':block/name'] !== undefined ? flat(world(), row) : null
    },
    create_page: (name: string, properties: Entity = {}, opts: Entity = {}) => createPage(world(), name, properties ?? {}, opts),
    create_journal_page: (text: string) => {
      const date = new Date(text)
      if (Number.isNaN(date.getTime())) return null
      return flat(world(), ensureJournal(world(), date.getFullYear() * 10_000 + (date.getMonth() + 1) * 100 + date.getDate()))
    },
    delete_page: (target: string) => deletePage(world(), target),
    restore_page: (uuid: string) => {
      const w = world()
      const row = isUUID(uuid) ? w.byUUID(uuid) : undefined
      if (!row) return null
      if (isRecycled(row)) restore(w, row)
      return true
    },
    rename_page: (uuid: string, to: string) => {
      const w = world()
      if (!isUUID(uuid)) throw new Error('Invalid page uuid')
      const row = w.byUUID(uuid)
      if (!row) return true
      if (to.includes('/')) throw new Error('Page name can\'t include "/".')
      if (row[':block/journal-day']) throw new Error('journal page protected attr updated')
      const twin = w.all(':block/name', to.toLowerCase()).find((one) => one.id !== row.id && !isClass(w, one) && one[':block/parent']?.id === row[':block/parent']?.id)
      if (twin) {
        warn(w, `Another page named "${to}" already exists for tags: #Page`)
        throw new Error('Duplicate page')
      }
      w.set(row.id, { ':block/name': to.toLowerCase(), ':block/title': to, ':block/updated-at': w.now() })
      return true
    },
    create_tag: (title: string, opts: Entity = {}) => {
      const w = world()
      if (title.includes('/')) throw new Error('Tag title shouldn\'t include forward slash')
      const tag = ensureTag(w, title, `:plugin.class.logseq-lectern/${title}`)
      for (const { name, schema } of opts.tagProperties ?? []) {
        const property = w.find(':db/ident', propertyIdent(name)) ?? addProperty(w, propertyIdent(name), name, `:${schema?.type ?? 'default'}`)
        w.set(tag.id, { ':logseq.property.class/properties': [property.id] })
      }
      return flat(w, refresh(w, tag.id))
    },
    get_tag: (target: string) => answer(tagOf(target)),
    get_tags_by_name: (name: string) => {
      const w = world()
      return w.all(':block/name', name.toLowerCase()).filter((row) => isClass(w, row)).map((row) => flat(w, row))
    },
    get_tag_objects: (target: string) => {
      const tag = tagOf(target)
      return tag ? world().all(':block/tags', tag.id).map((row) => resolved(world(), row)) : null
    },
    add_tag_property: (target: string, name: string) => {
      const [w, tag] = [world(), tagOf(target)!]
      w.set(tag.id, { ':logseq.property.class/properties': [w.find(':db/ident', propertyIdent(name))!.id] })
      return flat(w, refresh(w, tag.id))
    },
    add_tag_extends: (target: string, parent: string) => {
      const [tag, above] = [tagOf(target), tagOf(parent)]
      for (const [word, row] of [[target, tag], [parent, above]] as const) if (!row) throw new Error(`Not a tag: ${word}`)
      world().set(tag!.id, { ':logseq.property.class/extends': [above!.id] })
      return flat(world(), refresh(world(), tag!.id))
    },
    add_block_tag: (target: string, name: string) => {
      const [w, row, tag] = [world(), resolve(world(), target), tagOf(name)]
      if (!tag) throw new Error(`Not a tag: ${name}`)
      if (row) {
        w.set(row.id, { ':block/tags': [tag.id] })
        refresh(w, row.id)
      }
      return null
    },
    remove_block_tag: (target: string, name: string) => {
      const [w, row, tag] = [world(), resolve(world(), target), tagOf(name)]
      if (row && tag) {
        w.transact([[':db/retract', row.id, ':block/tags', tag.id]])
        refresh(w, row.id)
      }
      return null
    },
  }
}

/** The page of a path, from the top of the namespaces. */
function pageAt(w: World, path: string[]): Entity | undefined {
  const below = (name: string, parent: number) => w.all(':block/name', name.toLowerCase()).find((row) => row[':block/parent']?.id === parent)
  return path.reduce<Entity | undefined>((above, name) => above && below(name, above.id), w.find(':block/name', 'library'))
}

function createPage(w: World, name: string, properties: Entity, opts: Entity): Entity | null {
  const text = name.trim()
  const inline = [...text.matchAll(/ #([^\s#]+)/g)].map((m) => m[1]!)
  const title = text.replace(/ #[^\s#]+/g, '').replace(/\/+$/, '').trim()
  if (title === '') return null
  if (title.includes('#')) return warn(w, ':page.validation/name-no-hash', 'error')
  const day = dayIn(title)
  if (day) return flat(w, ensureJournal(w, day))
  const path = title.includes('/') && !/^\.|\/$/.test(title) ? title.split('/') : [title]
  const before = path.length > 1 ? pageAt(w, path) : w.find(':block/name', title.toLowerCase())
  if (before) return flat(w, before)
  const page = path.length > 1 ? createPath(w, path, opts.customUUID) : addNamed(w, title, [classID(w, 'Page')], opts.customUUID ? { ':block/uuid': opts.customUUID } : {})
  for (const tag of inline) w.set(page.id, { ':block/tags': [ensureTag(w, tag).id] })
  // The references of its properties come later than the answer.
  const made = flat(w, refresh(w, page.id))
  for (const [key, value] of Object.entries(properties)) setOwn(w, page.id, key, value)
  return made
}

function createPath(w: World, path: string[], uuid?: string): Entity {
  let above = w.find(':block/name', 'library')!
  for (const [at, name] of path.entries()) {
    const found = pageAt(w, path.slice(0, at + 1))
    const last = at === path.length - 1
    above = found ?? addNamed(w, name, [classID(w, 'Page')], {
      ':block/parent': above.id, ':block/order': nextKey(w), ...(last && uuid ? { ':block/uuid': uuid } : {}),
    })
  }
  return above
}

/** Takes a page, or a block by its uuid, into the bin. By name it is the first of that name, also one that lies there already. */
function deletePage(w: World, target: string): null {
  const row = resolve(w, target)
  if (!row || row[':logseq.property/built-in?'] || isRecycled(row)) return null
  const lying = w.all(':block/parent', recycle).map((one) => one[':block/order'] as string).sort()
  const from = row[':block/parent']?.id as number | undefined
  w.set(row.id, {
    ':logseq.property/deleted-at': w.now(), ':logseq.property.recycle/original-page': row.id,
    ...(from === undefined ? {} : { ':logseq.property.recycle/original-parent': from, ':logseq.property.recycle/original-order': row[':block/order'] }),
    ':block/parent': recycle, ':block/order': keyBetween(lying.at(-1) ?? null, null),
  })
  return null
}

function restore(w: World, row: Entity): void {
  const { ':logseq.property.recycle/original-parent': parent, ':logseq.property.recycle/original-order': order } = row
  for (const key of ['deleted-at', '.recycle/original-page', '.recycle/original-parent', '.recycle/original-order']) {
    w.clear(row.id, key.startsWith('.') ? `:logseq.property${key}` : `:logseq.property/${key}`)
  }
  if (parent) w.set(row.id, { ':block/parent': parent.id, ':block/order': order })
  else for (const key of [':block/parent', ':block/order']) w.clear(row.id, key)
}
