import { idOf, idsOf } from '../adapters/dialect'
import type { OpenGraph } from '../graph'
import { invalid } from '../fault'
import type { Row } from '../host'
import type { Page } from '../model'
import { flag, requireDay, slice } from '../params'
import type { Reader } from '../reader'
import type { Methods } from './method'
import { absent } from './pages'

export const lists: Methods = {
  'journals.get': {
    needs: 'journals',
    run: async (graph, params) => visible(graph, (await graph.reader.pageOfDay(requireDay(params))).is),
  },
  'journals.create': {
    needs: 'journals',
    writes: true,
    async run(graph, params) {
      const wanted = requireDay(params)
      const before = await graph.reader.pageOfDay(wanted).catch(absent)
      if (before) return { page: visible(graph, before.is), existed: true }
      await graph.write.createJournal(wanted, flag(params, 'create_first_block'))
      return { page: (await graph.reader.pageOfDay(wanted)).is, existed: false }
    },
  },
  'tags.list': {
    needs: 'tags',
    async run(graph, params) {
      const all = (await (graph.dialect.kind === 'db' ? tagPages(graph) : tagWords(graph))).filter(
        (tag) => !graph.visible.hides({ name: tag.name, tags: [tag.name], properties: {} } as unknown as Page),
      )
      return { tags: slice(all, params), total: all.length }
    },
  },
  'properties.list': {
    needs: 'properties',
    async run(graph, params) {
      const all = await (graph.dialect.kind === 'db' ? propertyEntities(graph) : propertyKeys(graph))
      all.sort((a, b) => (a.name < b.name ? -1 : 1))
      return { properties: slice(all, params), total: all.length }
    },
  },
  'templates.list': {
    needs: 'templates',
    async run(graph, params) {
      const found = Object.entries((await graph.host.templates()) ?? {})
      const all: { name: string; uuid: string }[] = []
      for (const [name, row] of found) {
        const seen = await graph.visible.block(String(row?.uuid)).catch(absent)
        if (seen) all.push({ name, uuid: seen.block.uuid })
      }
      return { templates: slice(all, params), total: all.length }
    },
  },
}

interface Tag {
  name: string
  uuid?: string
  uses?: Use[]
}

/** Where a tag or property stands: a page, or a block of one. A bare answer tells it, where nothing else says whose they are. */
interface Use {
  uuid: string
  page?: string
}

/** Classes a person made; Logseq's own are the same in every graph. */
async function tagPages({ reader }: OpenGraph): Promise<Tag[]> {
  const rows = await reader.pull(
    '?p',
    '[?p :block/tags ?c] [?c :db/ident :logseq.class/Tag] (not [?p :logseq.property/built-in? true])',
  )
  const names = await reader.resolveNames(rows)
  return rows
    .map((row) => reader.dialect.page(row, names))
    .filter((page) => !page.recycled)
    .map(({ name, uuid }) => ({ name, uuid }))
}

/** File graphs know tags only by their use: as a page's property, or as #word in text. */
async function tagWords({ reader, visible: seen, rawReferences: bare }: OpenGraph): Promise<Tag[]> {
  const tagged = await reader.pull('?p', '[_ :block/tags ?p]')
  const holding = await reader.pull('?b', `[?b :block/page _] ${reader.textMatches('#')}`)
  const blocks = await seen.visibleBlocks(await reader.blocks(holding))
  const names = new Map<string, string>()
  for (const row of tagged) names.set(row.name, row['original-name'] ?? row.name)
  for (const tag of blocks.flatMap((block) => block.tags)) {
    if (!names.has(tag.toLowerCase())) names.set(tag.toLowerCase(), tag)
  }
  const all: Tag[] = [...names.values()].sort().map((name) => ({ name }))
  if (!bare) return all
  const uses = new Map<string, Use[]>()
  const note = (word: string, use: Use) => void uses.set(word.toLowerCase(), [...(uses.get(word.toLowerCase()) ?? []), use])
  for (const block of blocks) for (const tag of block.tags) note(tag, { uuid: block.uuid, page: block.page.uuid })
  const subjects = await reader.pull('?b', '[?b :block/tags _]')
  const tags = new Map(tagged.map((row) => [row.id as number, row]))
  for (const { row, use } of await placed(reader, subjects)) for (const id of idsOf(row.tags)) note(String(tags.get(id)?.name ?? ''), use)
  return all.map((tag) => ({ ...tag, uses: uses.get(tag.name.toLowerCase()) ?? [] }))
}

/** Rows with where they stand. The block that holds a page's properties stands for the page, which is among them itself. */
async function placed(reader: Reader, rows: Row[]): Promise<{ row: Row; use: Use }[]> {
  const pages = new Map((await reader.byID(rows.flatMap((row) => idOf(row.page) ?? []))).map((row) => [row.id as number, row.uuid as string]))
  return rows
    .filter((row) => row.uuid && (row.name !== undefined || reader.dialect.isVisible(row)))
    .map((row) => {
      const page = pages.get(idOf(row.page) ?? 0)
      return { row, use: { uuid: row.uuid, ...(page ? { page } : {}) } }
    })
}

interface Listed {
  name: string
  ident?: string
  type?: string
  many?: boolean
  uses?: Use[]
}

async function propertyEntities({ reader }: OpenGraph): Promise<Listed[]> {
  return [...(await reader.properties()).values()]
    .filter(({ ident }) => /^:(user|plugin)\.property/.test(ident))
    .map(({ title, ident, type, many }) => ({ name: title, ident, type, many }))
}

async function propertyKeys({ reader, rawReferences: bare }: OpenGraph): Promise<Listed[]> {
  const rows = await reader.pull('?b', '[?b :block/properties _]')
  const keys = new Map<string, Use[]>()
  for (const row of rows) for (const key of Object.keys(row.properties ?? {})) keys.set(key, [])
  keys.delete('id')
  if (!bare) return [...keys.keys()].map((name) => ({ name }))
  for (const { row, use } of await placed(reader, rows)) for (const key of Object.keys(row.properties ?? {})) keys.get(key)?.push(use)
  return [...keys].map(([name, uses]) => ({ name, uses }))
}

function visible(graph: OpenGraph, page: Page): Page {
  if (graph.visible.hides(page)) throw invalid('day', 'the settings of the plugin hide this journal')
  return page
}
