import type { Entity, World } from './world'

// A graph as its owner sees it: pages by their paths, with their blocks.

export interface Block {
  uuid: string
  /** Without the marker of a task and without lines of properties. */
  text: string
  /** The word before the text, such as DONE. */
  task: string
  mood: string
  /** The day that it is due on, as 20261201, in the person's time zone; 0 if none. */
  deadline: number
  /** On DB graphs: its tags but Logseq's own, sorted. */
  tags: string[]
  /** On DB graphs: what its other properties show. */
  values: Record<string, unknown>
  children: Block[]
}

/** A tag is called "#tag", and a page in the recycle bin "bin: page". */
export type Outline = Record<string, Block[]>

/** What Logseq keeps for itself is left out, and the block of a file graph's page that holds its properties. */
export function outline(w: World): Outline {
  const below = (id: number): Block[] => w.children(id).filter((row) => !row[':block/pre-block?']).map((row) => ({ ...block(w, row), children: below(row.id) }))
  const found = (w.query('[:find ?p :where [?p :block/name _] (not [?p :logseq.property/built-in? true])]', []) as number[][]).map(([id]) => w.pull(id!))
  return Object.fromEntries(found.flatMap((row) => (isPage(w, row) ? [[shownName(w, row), below(row.id)]] : [])))
}

function isPage(w: World, row: Entity): boolean {
  // The name of a property is a page of file graphs, from its first use on.
  if (w.kind === 'og') return row[':block/name'] !== 'mood'
  return classes(w, row).some((tag) => /^:logseq\.class\/(Page|Journal|Tag)$/.test(tag))
}

const classes = (w: World, row: Entity): string[] => (row[':block/tags'] ?? []).map(({ id }: Entity) => String(w.pull(id)[':db/ident']))

function shownName(w: World, row: Entity): string {
  const name = `${classes(w, row).includes(':logseq.class/Tag') ? '#' : ''}${pathOf(w, row)}`
  return row[':logseq.property/deleted-at'] ? `bin: ${name}` : name
}

function pathOf(w: World, row: Entity): string {
  if (w.kind === 'og') return row[':block/original-name']
  const from = row[':logseq.property.recycle/original-parent'] ?? (row[':logseq.property/deleted-at'] ? undefined : row[':block/parent'])
  const above = from && w.pull(from.id)
  const top = !above || above[':logseq.property/built-in?']
  return top ? row[':block/title'] : `${pathOf(w, above)}/${row[':block/title']}`
}

function block(w: World, row: Entity): Omit<Block, 'children'> {
  const uuid = row[':block/uuid'] as string
  if (w.kind === 'db') {
    const status = row[':logseq.property/status']
    const { mood = '', ...values } = valuesOf(w, row)
    const deadline = row[':logseq.property/deadline'] ? Number(localTime(row[':logseq.property/deadline']).slice(0, 10).replaceAll('-', '')) : 0
    const tags = (row[':block/tags'] ?? []).map(({ id }: Entity) => w.pull(id)).filter((tag: Entity) => !tag[':logseq.property/built-in?'])
    return {
      uuid, text: w.readable(row[':block/title']), task: status ? String(w.pull(status.id)[':block/title']).toUpperCase() : '', mood: String(mood), deadline,
      tags: tags.map((tag: Entity) => tag[':block/title']).sort(), values,
    }
  }
  const [first = '', ...lines] = String(row[':block/content']).split('\n')
  const task = /^(TODO|DOING|DONE) /.exec(first)?.[1] ?? ''
  const text = [first.slice(task ? task.length + 1 : 0), ...lines.filter((line) => !/^(id|mood):: |^DEADLINE: </.test(line))].join('\n')
  const found = (pattern: RegExp) => lines.map((line) => pattern.exec(line)?.[1]).find(Boolean)
  const deadline = Number(found(/^DEADLINE: <([\d-]+)/)?.replaceAll('-', '') ?? 0)
  return { uuid, text, task, mood: found(/^mood:: (.*)$/) ?? '', deadline, tags: [], values: {} }
}

/** What the properties of a person or of a plugin show, by their names. */
function valuesOf(w: World, row: Entity): Record<string, unknown> {
  const shown = (type: string, value: any): unknown => {
    if (Array.isArray(value)) return value.map((one) => shown(type, one)).sort()
    if (type === ':datetime') return localTime(value)
    const of = value?.id === undefined ? undefined : w.pull(value.id)
    return of ? (of[':logseq.property/value'] ?? of[':block/title']) : value
  }
  const own = Object.entries(row).filter(([key]) => /^:(user|plugin)\.property/.test(key))
  return Object.fromEntries(own.map(([key, value]) => {
    const property = w.find(':db/ident', key)!
    return [property[':block/title'], shown(property[':logseq.property/type'], value)]
  }))
}

/** A time as the person's clock shows it, as 2026-11-21T10:00. */
function localTime(ms: number): string {
  const at = new Date(ms)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}
