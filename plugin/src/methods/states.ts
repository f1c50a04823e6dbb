import { notFound } from '../fault'
import type { OpenGraph } from '../graph'
import type { Page } from '../model'
import { type Params, requireDay, flag, blockStates, pageState, name, optionalText, requireUUID } from '../params'
import type { Found } from '../reader'
import { writeBlockState, writePageState, restoreBlocks, restorePage } from '../restore'
import type { Methods } from './method'

/** What a write is taken back with. Its text is Logseq's own, and nothing is hidden. */
export const states: Methods = {
  'blocks.state': {
    needs: 'blocks.read',
    async run(graph, params) {
      const uuid = requireUUID(params, 'uuid')
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
    run: async (graph, params) => ({ uuids: await graph.states.referrers(requireUUID(params, 'uuid')) }),
  },
  'blocks.restore': {
    needs: 'blocks.insert',
    writes: true,
    async run(graph, params) {
      const blocks = blockStates(params, 'blocks')
      const [after, before] = [optionalText(params, 'after'), optionalText(params, 'before')]
      if (after) await restoreBlocks(graph, after, 'after', blocks)
      else if (before) await restoreBlocks(graph, before, 'before', blocks)
      else await restoreBlocks(graph, optionalText(params, 'parent') ?? name(params, 'page'), flag(params, 'last') ? 'last' : 'first', blocks)
      return {}
    },
  },
  'blocks.exact': {
    needs: 'blocks.update',
    writes: true,
    async run(graph, params) {
      const [block] = blockStates({ blocks: [params] }, 'blocks')
      await writeBlockState(graph, block!)
      return {}
    },
  },
  'pages.restore': {
    needs: 'pages.create',
    writes: true,
    async run(graph, params) {
      await restorePage(graph, pageState(params))
      return {}
    },
  },
  'pages.exact': {
    needs: 'pages.update',
    writes: true,
    async run(graph, params) {
      const page = pageState(params)
      await writePageState(graph, await graph.reader.page(page.uuid ?? page.name), page)
      return {}
    },
  },
}

function wanted(graph: OpenGraph, params: Params): Promise<Found<Page>> {
  return params.day === undefined ? graph.reader.page(name(params, 'page')) : graph.reader.pageOfDay(requireDay(params))
}
