import { ensurePage, parsed } from './ogtext'
import type { Entity, World } from './world'

// Reads a file of a file graph, as Logseq does when it opens the graph or a
// person saves the file with another program.

interface Outlined {
  depth: number
  text: string
}

/** Makes the page of a file and its blocks: the file first, then the page, the pages that texts name, and the blocks. */
export function loadFile(w: World, path: string, text: string): boolean {
  const org = path.endsWith('.org')
  const file = w.add({ ':file/path': path })
  const page = ensurePage(w, titleOf(path), { ':block/file': file })
  // A page that was read keeps no format of its own, its blocks do.
  w.clear(page.id, ':block/format')
  const outlined = org ? orgBlocks(text) : markdownBlocks(text)
  const read = outlined.map(({ text: block }) => parsed(w, block, org))
  const levels: Entity[][] = []
  outlined.forEach(({ depth }, at) => {
    const { ':block/properties': properties, ...rest } = read[at]!
    const some = Object.keys(properties).length > 0
    const own = depth > 0 && properties.id
    const id = w.add({
      ':block/uuid': own || w.uuid(), ':block/page': page.id, ':block/format': org ? ':org' : ':markdown', ...rest,
      ...(some ? { ':block/properties': properties } : {}), ...(depth === 0 ? { ':block/pre-block?': true, ':block/invalid-properties': [] } : {}),
    })
    if (depth === 0) w.set(page.id, { ':block/properties': properties, ':block/properties-text-values': rest[':block/properties-text-values'] })
    const level = Math.max(depth, 1)
    levels.length = Math.min(levels.length, level + 1)
    const parent = level === 1 ? page.id : levels[level - 1]!.at(-1)!.id
    ;(levels[level] ??= []).push({ id })
    w.arrange(parent, levels[level]!.map((one) => one.id as number))
  })
  return true
}

function titleOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.\w+$/, '').replace(/^(\d{4})_(\d\d)_(\d\d)$/, '$1-$2-$3')
}

/** The blocks of a Markdown file, by their dashes; what stands above the first one is the page's own, at depth 0. */
function markdownBlocks(text: string): Outlined[] {
  const begin = text.search(/^\t*- /m)
  const above = begin < 0 ? text : text.slice(0, begin)
  const blocks: Outlined[] = above.trim() ? [{ depth: 0, text: above }] : []
  for (const line of begin < 0 ? [] : text.slice(begin).trimEnd().split('\n')) {
    const [, tabs, first] = /^(\t*)- (.*)$/.exec(line) ?? []
    if (tabs !== undefined) blocks.push({ depth: tabs.length + 1, text: first! })
    else blocks.at(-1)!.text += `\n${line.replace(/^\t*(  )?/, '')}`
  }
  return blocks
}

/** The blocks of an Org file, by their stars; each keeps the end of its last line. */
function orgBlocks(text: string): Outlined[] {
  return [...text.matchAll(/^(\*+) (.*\n?(?:(?!\*+ ).*\n)*)/gm)].map((m) => ({ depth: m[1]!.length, text: m[2]! }))
}
