import { treeAnswer } from './oganswers'
import { withProperties } from './ogtext'
import type { Entity, World } from './world'

// The files that a file graph is written to.

export function filesOf(w: World): Record<string, string> {
  const pages = (w.query('[:find ?p :where [?p :block/name _]]', []) as number[][]).map(([id]) => w.pull(id!))
  const written = pages.map((page) => ({ page, path: pathOf(w, page), text: textOf(treeAnswer(w, page.id)) })).filter(({ text }) => text !== '')
  // A file is an entity from its first writing on.
  for (const { page, path } of written) {
    if (!w.find(':file/path', path)) w.operate('', () => w.set(page.id, { ':block/file': w.add({ ':file/path': path }) }))
  }
  return Object.fromEntries(written.map(({ path, text }) => [path, text]))
}

function pathOf(w: World, page: Entity): string {
  if (page[':block/file']) return w.pull(page[':block/file'].id)[':file/path']
  const day = page[':block/journal-day'] ? String(page[':block/journal-day']) : undefined
  if (day) return `journals/${day.slice(0, 4)}_${day.slice(4, 6)}_${day.slice(6)}.md`
  return `pages/${page[':block/original-name']}.md`
}

function textOf(blocks: Entity[]): string {
  if (blocks.every(({ content, children }) => content === '' && children.length === 0)) return ''
  const [first, ...rest] = blocks
  if (!first?.['preBlock?']) return blocks.map((row) => lines(row, 0)).join('\n')
  return `${first.content.trimEnd()}\n${rest.map((row) => `\n${lines(row, 0)}`).join('')}`
}

function lines(row: Entity, depth: number): string {
  if (row.format === 'org') return orgLines(row, depth + 1)
  const text = row['collapsed?'] ? withProperties(row.content, { ...row.propertiesTextValues, collapsed: true }) : String(row.content)
  const indent = '\t'.repeat(depth)
  // A heading stands without a dash; one that a batch has made keeps it.
  const [mark, below] = row.properties?.heading && depth === 0 && row['journal?'] !== undefined ? ['', ''] : ['- ', '  ']
  const own = text.split('\n').map((line, at) => `${indent}${at === 0 ? mark : below}${line}`)
  return [...own, ...row.children.map((child: Entity) => lines(child, depth + 1))].join('\n')
}

/** A block of an Org file, which stands below its stars without being indented. */
function orgLines(row: Entity, stars: number): string {
  const below = row.children.map((child: Entity) => orgLines(child, stars + 1))
  return [`${'*'.repeat(stars)} ${String(row.content).trimEnd()}`, ...below].join('\n')
}
