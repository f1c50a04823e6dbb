import { isUUID, string } from '../edn'
import type { OpenGraph } from '../graph'
import { idOf } from '../adapters/dialect'
import type { Row } from '../host'
import type { Block, Page } from '../model'
import { type Params, count, optionalText, slice, strings } from '../params'
import { type Found, wordsOf } from '../reader'
import type { Methods } from './method'

/** Finds pages and blocks by conditions. Values of properties are compared by the server, which knows what agents may see of them. */
export const filter: Methods = {
  find: { needs: 'find', run: findAll },
}

interface Conditions {
  tag: string | undefined
  properties: string[]
  /** States of tasks, in lower case; empty: any; absent: no task is wanted. */
  task: Set<string> | undefined
  words: string[]
  namespace: string | undefined
  from: number
  to: number
}

const folded = (name: string) => name.trim().toLowerCase().normalize('NFC')

function conditionsOf(params: Params): Conditions {
  const namespace = optionalText(params, 'namespace')
  return {
    tag: optionalText(params, 'tag')?.replace(/^#/, ''),
    properties: strings(params, 'properties'),
    task: params.any_task !== true ? undefined : new Set(strings(params, 'task').map((one) => one.toLowerCase())),
    words: wordsOf(optionalText(params, 'text') ?? '').filter(Boolean),
    namespace: namespace === undefined ? undefined : folded(namespace).replace(/\/$/, ''),
    from: count(params, 'from', 0),
    to: count(params, 'to', 0),
  }
}

/** What was found; a row is a block that only has to be read if it is shown. */
type Item = { page: Page } | { block: Block } | { row: Row }

const never = '[?never :db/ident :lectern/nothing]'

/** {tag?, properties?: names that are there, any_task?, task?: states, text?, namespace?, from?, to?: days of journals, kind?, offset, limit}: pages, then blocks. */
async function findAll(graph: OpenGraph, params: Params): Promise<unknown> {
  const wanted = conditionsOf(params)
  const kind = optionalText(params, 'kind')
  const pages = kind === 'blocks' || wanted.task ? [] : await findPages(graph, wanted)
  const { rows, blocks } = kind === 'pages' ? { rows: [], blocks: [] } : await findBlocks(graph, wanted)
  const all: Item[] = [...pages.map((page) => ({ page })), ...rows.map((row) => ({ row })), ...blocks.map((block) => ({ block }))]
  const shown = slice(all, params)
  const read = new Map((await graph.reader.blocks(shown.flatMap((one) => ('row' in one ? [one.row] : [])))).map(({ row, is }) => [row.id as number, is]))
  return {
    found: shown.flatMap((one) => {
      if (!('row' in one)) return [one]
      const block = read.get(one.row.id as number)
      return block ? [{ block }] : []
    }),
    total: all.length,
  }
}

async function findPages(graph: OpenGraph, wanted: Conditions): Promise<Page[]> {
  const clauses = await sharedClauses(graph, wanted, '?p')
  if (wanted.from || wanted.to) clauses.push(...daysBetween(wanted, '?p'))
  const all = await graph.reader.pages(clauses.join(' '))
  return all.filter(
    (page) => !page.recycled && !graph.visible.hides(page) && inNamespace(page.name, wanted) &&
      wanted.words.every((word) => page.name.toLowerCase().includes(word.toLowerCase())) &&
      (graph.dialect.kind === 'db' || wanted.properties.every((name) => has(page, name))),
  )
}

/** Rows where nothing has to be read to tell that they match, and otherwise blocks. */
async function findBlocks(graph: OpenGraph, wanted: Conditions): Promise<{ rows: Row[]; blocks: Block[] }> {
  const { reader, dialect } = graph
  const clauses = await sharedClauses(graph, wanted, '?b')
  if (wanted.task) clauses.push(dialect.tasks)
  if (wanted.from || wanted.to || wanted.namespace !== undefined) {
    clauses.unshift('[?b :block/page ?page]')
    if (wanted.from || wanted.to) clauses.unshift(...daysBetween(wanted, '?page'))
    if (wanted.namespace !== undefined) {
      const below = (await reader.foundPages()).filter(({ is }) => inNamespace(is.name, wanted)).map(({ row }) => row.id as number)
      if (below.length === 0) return { rows: [], blocks: [] }
      clauses.unshift(`[(ground [${below.join(' ')}]) [?page ...]]`)
    }
  } else clauses.push('[?b :block/page _]')
  if (wanted.words.length > 0) clauses.push(reader.textMatches(wanted.words.join(' ')))
  const rows = (await reader.pull('?b', clauses.join(' '))).filter((row) => row.uuid && dialect.isVisible(row))
  rows.sort((a, b) => (idOf(a.page) ?? 0) - (idOf(b.page) ?? 0) || a.id - b.id)
  const told = dialect.kind === 'db' && !(wanted.task && wanted.task.size > 0)
  if (told && !graph.visible.any) return { rows: await notRecycled(graph, rows), blocks: [] }
  const blocks = await graph.visible.visibleBlocks(await reader.blocks(rows))
  return { rows: [], blocks: blocks.filter((block) => matches(block, wanted, graph.dialect.kind)) }
}

/** Without the blocks of pages in the recycle bin. */
async function notRecycled(graph: OpenGraph, rows: Row[]): Promise<Row[]> {
  const pages: Found<Page>[] = await graph.reader.pagesOf(rows.map((row) => idOf(row.page)!))
  const used = new Set(pages.filter(({ is }) => !is.recycled).map(({ row }) => row.id as number))
  return rows.filter((row) => used.has(idOf(row.page)!))
}

function matches(block: Block, { tag, properties, task }: Conditions, kind: 'file' | 'db'): boolean {
  if (task && task.size > 0 && !task.has((block.marker ?? '').toLowerCase())) return false
  if (kind === 'db') return true
  return (tag === undefined || block.tags.some((one) => folded(one) === folded(tag))) && properties.every((name) => has(block, name))
}

/** Clauses that bind a page or block by its tag and by the properties it has. */
async function sharedClauses(graph: OpenGraph, { tag, properties }: Conditions, variable: '?p' | '?b'): Promise<string[]> {
  const clauses: string[] = []
  if (tag !== undefined) clauses.push(graph.dialect.kind === 'db' ? await ofClass(graph, tag, variable) : ofWord(tag, variable))
  if (properties.length === 0) return clauses
  if (graph.dialect.kind === 'file') {
    const own = properties.filter((name) => !written[name.toLowerCase()])
    for (const name of properties) if (written[name.toLowerCase()]) clauses.push(`[${variable} ${written[name.toLowerCase()]} _]`)
    return own.length > 0 ? [...clauses, `[${variable} :block/properties _]`] : clauses
  }
  const all = [...(await graph.reader.properties()).values()]
  for (const name of properties) {
    const idents = all.filter(({ title, ident }) => folded(title) === folded(name) || ident === name).map(({ ident }) => ident)
    clauses.push(idents.length === 0 ? never : idents.length === 1 ? `[${variable} ${idents[0]} _]` : `(or ${idents.map((ident) => `[${variable} ${ident} _]`).join(' ')})`)
  }
  return clauses
}

/** What is a property on a DB graph and a mark in the text of a file graph. */
const written: Record<string, string> = { status: ':block/marker', priority: ':block/priority', scheduled: ':block/scheduled', deadline: ':block/deadline' }

function has({ properties, ...one }: Page | Block, name: string): boolean {
  if (written[name.toLowerCase()]) return (one as Record<string, unknown>)[name.toLowerCase() === 'status' ? 'marker' : name.toLowerCase()] !== undefined
  const wanted = name.trim().toLowerCase().replace(/[\s_]+/g, '-')
  return Object.keys(properties).some((key) => key.toLowerCase().replace(/[\s_]+/g, '-') === wanted)
}

/** A tag of a DB graph with the tags that extend it. */
async function ofClass({ reader }: OpenGraph, tag: string, variable: string): Promise<string> {
  const isTag = '[?t :block/tags ?class] [?class :db/ident :logseq.class/Tag]'
  const rows = await reader.pull('?t', isUUID(tag) ? `[?t :block/uuid #uuid "${tag.toLowerCase()}"] ${isTag}` : `[?t :block/name ${string(tag.trim().toLowerCase())}] ${isTag}`)
  const ids = new Set(rows.filter((row) => !(':logseq.property/deleted-at' in row)).map((row) => row.id as number))
  for (let next = [...ids]; next.length > 0; ) {
    const below = await reader.pull('?t', `[(ground [${next.join(' ')}]) [?above ...]] [?t :logseq.property.class/extends ?above]`)
    next = below.map((row) => row.id as number).filter((id) => !ids.has(id))
    for (const id of next) ids.add(id)
  }
  return ids.size === 0 ? never : `[(ground [${[...ids].join(' ')}]) [?tag ...]] [${variable} :block/tags ?tag]`
}

/** A tag of a file graph: a word in the text, or a property of the page. */
const ofWord = (tag: string, variable: '?p' | '?b') =>
  `[?tag :block/name ${string(tag.trim().toLowerCase())}] [${variable} ${variable === '?p' ? ':block/tags' : ':block/refs'} ?tag]`

const daysBetween = ({ from, to }: Conditions, page: string): string[] => [
  `[${page} :block/journal-day ?day]`,
  ...(from ? [`[(>= ?day ${from})]`] : []),
  ...(to ? [`[(<= ?day ${to})]`] : []),
]

function inNamespace(name: string, { namespace }: Conditions): boolean {
  return namespace === undefined || folded(name) === namespace || folded(name).startsWith(`${namespace}/`)
}
