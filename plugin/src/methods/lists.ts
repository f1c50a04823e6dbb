import type { OpenGraph } from '../graph'
import { invalid } from '../fault'
import type { Page } from '../model'
import { dayOf as day, flag, slice } from '../params'
import type { Methods } from './method'
import { absent } from './pages'

export const lists: Methods = {
  'journals.get': {
    needs: 'journals',
    run: async (graph, params) => visible(graph, (await graph.reader.pageOfDay(day(params))).is),
  },
  'journals.create': {
    needs: 'journals',
    writes: true,
    async run(graph, params) {
      const wanted = day(params)
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
        (tag) => !graph.seen.hides({ name: tag.name, tags: [tag.name], properties: {} } as unknown as Page),
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
        const seen = await graph.seen.block(String(row?.uuid)).catch(absent)
        if (seen) all.push({ name, uuid: seen.block.uuid })
      }
      return { templates: slice(all, params), total: all.length }
    },
  },
}

interface Tag {
  name: string
  uuid?: string
}

/** Classes a person made; Logseq's own are the same in every graph. */
async function tagPages({ reader }: OpenGraph): Promise<Tag[]> {
  const rows = await reader.pull(
    '?p',
    '[?p :block/tags ?c] [?c :db/ident :logseq.class/Tag] (not [?p :logseq.property/built-in? true])',
  )
  const names = await reader.names(rows)
  return rows
    .map((row) => reader.dialect.page(row, names))
    .filter((page) => !page.recycled)
    .map(({ name, uuid }) => ({ name, uuid }))
}

/** File graphs know tags only by their use: as a page's property, or as #word in text. */
async function tagWords({ reader, seen }: OpenGraph): Promise<Tag[]> {
  const tagged = await reader.pull('?p', '[_ :block/tags ?p]')
  const holding = await reader.pull('?b', `[?b :block/page _] ${reader.holding('#')}`)
  const blocks = await seen.only(await reader.blocks(holding))
  const names = new Map<string, string>()
  for (const row of tagged) names.set(row.name, row['original-name'] ?? row.name)
  for (const tag of blocks.flatMap((block) => block.tags)) {
    if (!names.has(tag.toLowerCase())) names.set(tag.toLowerCase(), tag)
  }
  return [...names.values()].sort().map((name) => ({ name }))
}

interface Listed {
  name: string
  ident?: string
  type?: string
  many?: boolean
}

async function propertyEntities({ reader }: OpenGraph): Promise<Listed[]> {
  return [...(await reader.properties()).values()]
    .filter(({ ident }) => /^:(user|plugin)\.property/.test(ident))
    .map(({ title, ident, type, many }) => ({ name: title, ident, type, many }))
}

async function propertyKeys({ reader }: OpenGraph): Promise<Listed[]> {
  const rows = await reader.pull('?b', '[?b :block/properties _]')
  const keys = new Set(rows.flatMap((row) => Object.keys(row.properties ?? {})))
  keys.delete('id')
  return [...keys].map((name) => ({ name }))
}

function visible(graph: OpenGraph, page: Page): Page {
  if (graph.seen.hides(page)) throw invalid('day', 'the settings of the plugin hide this journal')
  return page
}
