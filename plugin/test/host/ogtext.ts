import { dayIn, titleOfDay } from './dbtext'
import { type Entity, type World } from './world'

// What a file graph makes of a text: the references, marker, days and
// properties of a block, and the pages that these name.

const markers = /^(TODO|DOING|NOW|LATER|WAITING|DONE|CANCELED)\s+(?:\[#([ABC])\]\s+)?/
/** Properties of Logseq's own, whose names are no pages. */
const hidden = /^(id|template|collapsed|heading|title|alias|tags|icon|background-color|public)$/

const drawer = /\n:PROPERTIES:\n([\s\S]*?):END:/
export const drawerOf = (text: string) => drawer.exec(text)?.[1] ?? ''
export const isOrg = (row: Entity) => row[':block/format'] === ':org'

/** A text of an Org block with a property in its drawer, or without it. */
export function withDrawer(text: string, key: string, value: unknown): string {
  const lines = drawerOf(text).split('\n').filter((line) => line && !line.startsWith(`:${key}: `))
  if (value !== null) lines.push(`:${key}: ${value}`)
  const [first, ...rest] = text.replace(drawer, '').split('\n')
  return [first, ...(lines.length > 0 ? [':PROPERTIES:', ...lines, ':END:'] : []), ...rest].join('\n')
}

const propertyLine = /^([\w-]+):: (.*)$/
const isProperty = (line: string) => propertyLine.test(line)

/** A text with the line of its id, below the first one, or above one of a property. */
export function withID(text: string, uuid: string): string {
  const [first = '', ...rest] = text.split('\n')
  return (isProperty(first) ? [`id:: ${uuid}`, first, ...rest] : [first, `id:: ${uuid}`, ...rest]).join('\n')
}

/** A text with its properties: each in its line, new ones below those that are there. A name with a blank is not found again, and is repeated. */
export function withProperties(text: string, properties: Entity): string {
  const lines = text.split('\n')
  const known = (line: string) => propertyLine.exec(line)?.[1]
  const head = known(lines[0]!) === undefined ? [lines.shift()!] : []
  const rest = lines.filter((line) => !isProperty(line))
  const kept = lines.map(known).filter((key) => key !== undefined && key in properties) as string[]
  const fresh = Object.keys(properties).filter((key) => !kept.includes(key))
  const line = (key: string) => `${key}:: ${properties[key]}`
  return [...head, ...[...kept, ...fresh.filter((key) => !/ /.test(key))].map(line), ...fresh.filter((key) => / /.test(key)).map(line), ...rest].join('\n')
}

/** What the lines of a text, or its drawer, say of properties, as they are written. */
export function writtenProperties(text: string, org: boolean): Entity {
  const written = org ? drawerOf(text).matchAll(/^:([\w-]+): (.*)$/gm) : text.matchAll(/^([\w-]+):: (.*)$/gm)
  return Object.fromEntries([...written].map((m) => [m[1], m[2]]))
}

/** A value as Logseq keeps it: numbers and yes or no as such, the pages of a text with links. */
export function valueOf(key: string, text: string): unknown {
  if (/^\d+$/.test(text)) return Number(text)
  if (text === 'true' || text === 'false') return text === 'true'
  const links = hidden.test(key) ? [] : [...text.matchAll(/\[\[([^\]]+)\]\]/g)].map((m) => m[1])
  return links.length > 0 ? links : text
}

/** References, marker and properties of a text, as Logseq finds them when it saves a block. */
export function parsed(w: World, text: string, org = false): Entity {
  const refs = new Set<number>()
  const name = (title: string) => {
    for (let page: Entity | undefined = ensurePage(w, title); page; page = page[':block/namespace'] && w.pull(page[':block/namespace'].id)) refs.add(page.id)
  }
  for (const m of text.matchAll(/\[\[([^\]]+)\]\]|(?<=^|[\s(])#([^\s#,;"'`[\]]+)/g)) name((m[1] ?? m[2])!)
  for (const m of text.matchAll(/\(\(([0-9a-f-]{36})\)\)/g)) {
    const block = w.byUUID(m[1])
    if (block) refs.add(block.id)
  }
  const task = markers.exec(text)
  for (const mark of [task?.[1], task?.[2]]) {
    const own = mark && w.find(':block/name', mark.toLowerCase())
    if (own) refs.add(own.id)
  }
  const written = writtenProperties(text, org)
  for (const key of Object.keys(written)) if (!hidden.test(key)) name(key)
  // A day in the first line is text.
  const days = Object.fromEntries(
    [...text.matchAll(/\n(SCHEDULED|DEADLINE): <(\d+)-(\d+)-(\d+)/g)].map((m) => [`:block/${m[1]!.toLowerCase()}`, Number(`${m[2]}${m[3]}${m[4]}`)]),
  )
  return {
    ':block/content': text,
    ...propertyFields(written),
    ...(refs.size > 0 ? { ':block/refs': [...refs] } : {}),
    ...(task ? { ':block/marker': task[1] } : {}),
    ...(task?.[2] ? { ':block/priority': task[2] } : {}),
    ...days,
  }
}

/** What a page is found by. */
export const nameOf = (title: string) => title.normalize('NFC').toLowerCase()

/** Properties as the attributes of an entity; texts are what is written, which Logseq keeps beside what it read. */
export function propertyFields(texts: Entity): Entity {
  const values = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, typeof text === 'string' ? valueOf(key, text) : text]))
  return { ':block/properties': values, ...(Object.keys(texts).length > 0 ? { ':block/properties-text-values': texts } : {}) }
}

export function ensurePage(w: World, name: string, more: Entity = {}): Entity {
  const day = dayIn(name)
  const title = day ? titleOfDay(day) : name
  const before = w.find(':block/name', nameOf(title))
  if (before) return before
  const at = w.now()
  const above = title.includes('/') ? ensurePage(w, title.slice(0, title.lastIndexOf('/'))) : undefined
  const shared = {
    ...(above ? { ':block/namespace': above.id } : {}), ...(day ? { ':block/journal-day': day } : {}),
    ':block/uuid': w.uuid(), ':block/name': nameOf(title), ':block/created-at': at, ':block/updated-at': at,
  }
  return w.pull(w.add({ ...shared, ':block/original-name': title, ':block/format': ':markdown', ':block/journal?': Boolean(day), ...more }))
}
