import type { Entity, World } from './world'

// A graph as its owner sees it: pages by their paths, with their blocks.

export interface Block {
  uuid: string
  /** Without the marker of a task and without lines of properties. */
  text: string
  /** The word before the text, such as DONE. */
  task: string
  mood: string
  children: Block[]
}

export type Outline = Record<string, Block[]>

/** What is in the recycle bin, and what Logseq keeps for itself, is left out. */
export function outline(w: World): Outline {
  const below = (id: number): Block[] => w.children(id).map((row) => ({ ...block(w, row), children: below(row.id) }))
  const found = (w.query('[:find ?p :where [?p :block/name _]]', []) as number[][]).map(([id]) => w.pull(id!)).filter((row) => isPage(w, row))
  return Object.fromEntries(found.map((row) => [pathOf(w, row), below(row.id)]))
}

function isPage(w: World, row: Entity): boolean {
  // The name of a property is a page of file graphs, from its first use on.
  if (w.kind === 'og') return row[':block/name'] !== 'mood'
  const tags = (row[':block/tags'] ?? []).map(({ id }: Entity) => w.pull(id)[':db/ident'])
  const own = row[':logseq.property/built-in?'] || row[':logseq.property/deleted-at']
  return !own && tags.some((tag: string) => /^:logseq\.class\/(Page|Journal)$/.test(tag))
}

function pathOf(w: World, row: Entity): string {
  if (w.kind === 'og') return row[':block/original-name']
  const above = row[':block/parent'] && w.pull(row[':block/parent'].id)
  const top = !above || above[':logseq.property/built-in?']
  return top ? row[':block/title'] : `${pathOf(w, above)}/${row[':block/title']}`
}

function block(w: World, row: Entity): Omit<Block, 'children'> {
  if (w.kind === 'db') {
    const titled = (key: string | undefined) => (key && row[key] ? String(w.pull(row[key].id ?? row[key])[':block/title']) : '')
    const mood = Object.keys(row).find((key) => /\.property.*\/mood/.test(key))
    return { uuid: row[':block/uuid'], text: w.readable(row[':block/title']), task: titled(':logseq.property/status').toUpperCase(), mood: titled(mood) }
  }
  const [first = '', ...lines] = String(row[':block/content']).split('\n')
  const task = /^(TODO|DOING|DONE) /.exec(first)?.[1] ?? ''
  const text = [first.slice(task ? task.length + 1 : 0), ...lines.filter((line) => !/^(id|mood):: /.test(line))].join('\n')
  return { uuid: row[':block/uuid'], text, task, mood: lines.map((line) => /^mood:: (.*)$/.exec(line)?.[1]).find(Boolean) ?? '' }
}
