import { keyBetween } from './order'
import { type Entity, type World } from './world'

// What a DB graph makes of a text: a heading, links and tags as uuids, and the
// pages and tags that they need. And the references of an entity, which
// Logseq works out after every change.

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export const isUUID = (text: unknown): boolean => typeof text === 'string' && uuidShape.test(text)

/** The id of one of Logseq's own classes. */
export const classID = (w: World, name: string): number => w.find(':db/ident', `:logseq.class/${name}`)!.id

/** A day as 20261121, of "Nov 21st, 2026" or "2026-11-21". */
export function dayIn(title: string): number | undefined {
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(title)
  if (iso) return Number(iso[1]! + iso[2]! + iso[3]!)
  const [, month, day, year] = /^([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th), (\d{4})$/.exec(title) ?? []
  if (!month || !months.includes(month)) return undefined
  return Number(`${year}${String(months.indexOf(month) + 1).padStart(2, '0')}${day!.padStart(2, '0')}`)
}

export function titleOfDay(day: number): string {
  const date = day % 100
  const ends = date > 10 && date < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][date % 10] ?? 'th')
  return `${months[(Math.floor(day / 100) % 100) - 1]} ${date}${ends}, ${Math.floor(day / 10_000)}`
}

export const isRecycled = (row: Entity): boolean => row[':logseq.property/deleted-at'] !== undefined

/** Makes an entity that has a name: a page, tag or journal. */
export function addNamed(w: World, title: string, tags: number[], more: Entity = {}): Entity {
  const at = w.now()
  const id = w.add({
    ':block/uuid': w.uuid(), ':block/name': title.toLowerCase(), ':block/title': title,
    ':block/created-at': at, ':block/updated-at': at, ':block/tags': tags, ...more,
  })
  return refresh(w, id)
}

export function ensureJournal(w: World, day: number): Entity {
  const found = w.find(':block/journal-day', day)
  if (found) return found
  const digits = String(day)
  return addNamed(w, titleOfDay(day), [classID(w, 'Journal')], {
    ':block/uuid': `00000001-${digits.slice(0, 4)}-${digits.slice(4)}-0000-000000000000`,
    ':block/journal-day': day,
  })
}

export function ensureTag(w: World, title: string, ident = `:user.class/${title.replace(/[^\w-]/g, '').replace(/^(?=\d)/, 'NUM-')}`): Entity {
  const tag = classID(w, 'Tag')
  const open = (row: Entity) => !/^:logseq\.class\/(Root|Tag|Property|Page|Journal|Whiteboard)$/.test(row[':db/ident'] ?? '')
  const found = w.all(':block/name', title.toLowerCase()).find((row) => open(row) && row[':block/tags']?.some(({ id }: Entity) => id === tag))
  return found ?? addNamed(w, title, [tag], { ':db/ident': ident, ':logseq.property.class/extends': [classID(w, 'Root')] })
}

/** A page of one name, made if there is none; where several have the name, the first. */
export function ensurePage(w: World, title: string, more: Entity = {}): Entity {
  const day = dayIn(title)
  if (day) return ensureJournal(w, day)
  return w.find(':block/name', title.toLowerCase()) ?? addNamed(w, title, [classID(w, 'Page')], more)
}

/** The last key for pages below others, properties and values, which all come from one row. */
export function nextKey(w: World): string {
  return (w.lastKey = keyBetween(w.lastKey, null))
}

/** A block's text as it is stored. */
export interface Parsed {
  title: string
  heading?: number
  tags: number[]
  refs: number[]
  deadline?: number
}

/** Reads a text, and makes what it names; a batch makes no pages, so that its links to new ones lead nowhere. A link whose name has a slash is no link. */
export function parse(w: World, text: string, makePages = true): Parsed {
  const head = /^(#{1,6}) +(?=\S)/.exec(text)
  const found: Parsed = { title: head ? text.slice(head[0].length) : text, tags: [], refs: [], ...(head ? { heading: head[1]!.length } : {}) }
  const deadline = /\nDEADLINE: <(\d{4})-(\d\d)-(\d\d) \w+>/.exec(text)
  if (deadline) found.deadline = Number(deadline[1]! + deadline[2]! + deadline[3]!)
  const code = /(```[\s\S]*?```|`[^`\n]*`|\[[^\]\n]*\]\([^)\n]*\))/
  found.title = found.title.split(code).map((part, at) => (at % 2 ? part : linked(w, part, found, makePages))).join('')
  return found
}

function linked(w: World, text: string, found: Parsed, makePages: boolean): string {
  const links = /(\\?)(#?)\[\[([^\]\n]+)\]\]|(^|[\s([])#(?!\+)([^\s#,;"'`[]+)/g
  return text.replace(links, (whole, escaped: string | undefined, hash: string | undefined, name: string | undefined, before: string, tag: string) => {
    if (tag !== undefined) {
      const row = ensureTag(w, tag.replace(/[.!?:]+$/, ''))
      found.tags.push(row.id)
      // One in brackets is a tag, and stays in the text as it was.
      return before === '[' ? whole : `${before}#[[${row[':block/uuid']}]]${/[.!?:]+$/.exec(tag)?.[0] ?? ''}`
    }
    if (escaped || name!.includes('/')) return whole
    const row = isUUID(name) ? w.byUUID(name) : hash ? ensureTag(w, name!) : (w.find(':block/name', name!.toLowerCase()) ?? (makePages ? ensurePage(w, name!) : undefined))
    if (!row) return makePages || isUUID(name) ? whole : `[[${w.uuid()}]]`
    if (hash) found.tags.push(row.id)
    else found.refs.push(row.id)
    return `${hash ?? ''}[[${row[':block/uuid']}]]`
  })
}

/** Attributes of Logseq's own that count as references. */
const publicOwn = /^:logseq\.property\/(status|priority|deadline|scheduled|description|assignee|query|page-tags)$|^:logseq\.property\.class\/(extends|properties)$/

/** Works out the references of an entity: its links, tags, properties, and the nodes and days that these name. */
export function refresh(w: World, id: number, links?: number[]): Entity {
  const row = w.pull(id)
  const refs = new Set<number>(links ?? linksIn(w, row[':block/title'] ?? ''))
  for (const { id: tag } of row[':block/tags'] ?? []) refs.add(tag)
  if (row[':block/tags']?.length) refs.add(w.find(':db/ident', ':block/tags')!.id)
  for (const [key, value] of Object.entries(row)) {
    if (!/^:(user|plugin)\.property/.test(key) && !publicOwn.test(key)) continue
    const property = w.find(':db/ident', key)
    if (!property) continue
    refs.add(property.id)
    for (const one of [value].flat()) {
      if (one?.id !== undefined && !w.pull(one.id)[':logseq.property/created-from-property'] && !/(status|priority)$/.test(key)) refs.add(one.id)
      if (property[':logseq.property/type'] === ':datetime') {
        const date = new Date(one as number)
        const day = w.find(':block/journal-day', date.getFullYear() * 10_000 + (date.getMonth() + 1) * 100 + date.getDate())
        if (day) refs.add(day.id)
      }
    }
  }
  w.clear(id, ':block/refs')
  if (refs.size > 0) w.set(id, { ':block/refs': [...refs] })
  return w.pull(id)
}

function linksIn(w: World, title: string): number[] {
  return [...title.matchAll(/\[\[([0-9a-f-]{36})\]\]/g)].flatMap((m) => w.byUUID(m[1])?.id ?? [])
}
