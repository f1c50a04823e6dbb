import { notFound } from '../fault'
import type { OpenGraph } from '../graph'
import type { Page } from '../model'
import { type Params, dayOf, flag, kept, keptPage, name, optionalText, uuidOf } from '../params'
import type { Found } from '../reader'
import { exactBlock, exactPage, restoreBlocks, restorePage } from '../restoring'
import type { Methods } from './method'

/** What a write is taken back with. Its text is Logseq's own, and nothing is hidden. */
export const states: Methods = {
  'blocks.state': {
    needs: 'blocks.read',
    async run(graph, params) {
      const uuid = uuidOf(params, 'uuid')
      const state = await graph.states.block(uuid, flag(params, 'children'))
      if (!state) throw notFound('block', uuid)
      return state
    },
  },
  'pages.state': {
    needs: 'pages.read',
    run: async (graph, params) => graph.states.page(await wanted(graph, params), flag(params, 'blocks')),
  },
  referrers: {
    needs: 'blocks.read',
    run: async (graph, params) => ({ uuids: await graph.states.referrers(uuidOf(params, 'uuid')) }),
  },
  'blocks.restore': {
    needs: 'blocks.insert',
    writes: true,
    async run(graph, params) {
      const blocks = kept(params, 'blocks')
      const home = optionalText(params, 'parent') ?? name(params, 'page')
      await restoreBlocks(graph, home, optionalText(params, 'after'), blocks)
      return {}
    },
  },
  'blocks.exact': {
    needs: 'blocks.update',
    writes: true,
    async run(graph, params) {
      const [block] = kept({ blocks: [params] }, 'blocks')
      await exactBlock(graph, block!)
      return {}
    },
  },
  'pages.restore': {
    needs: 'pages.create',
    writes: true,
    async run(graph, params) {
      await restorePage(graph, keptPage(params))
      return {}
    },
  },
  'pages.exact': {
    needs: 'pages.update',
    writes: true,
    async run(graph, params) {
      const page = keptPage(params)
      await exactPage(graph, await graph.reader.page(page.uuid ?? page.name), page)
      return {}
    },
  },
}

function wanted(graph: OpenGraph, params: Params): Promise<Found<Page>> {
  return params.day === undefined ? graph.reader.page(name(params, 'page')) : graph.reader.pageOfDay(dayOf(params))
}
