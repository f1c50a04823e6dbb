import { notFound } from '../fault'
import type { OpenGraph } from '../graph'
import { name } from '../params'
import type { AgentRequest } from '../requests'
import { type Methods } from './method'
import { absent } from './pages'

// What the person asked agents about. What the settings hide of it is left out;
// a request about nothing else does not exist.

export const requests: Methods = {
  'requests.list': {
    needs: 'requests',
    async run(graph, _params, queue) {
      const all = await Promise.all(queue.list().map((request) => visibleRequest(graph, request)))
      return { requests: all.filter((request) => request !== undefined) }
    },
  },
  'requests.close': {
    needs: 'requests',
    async run(_graph, params, queue) {
      const id = name(params, 'id')
      if (!queue.remove(id)) throw notFound('request', id)
      return {}
    },
  },
}

/** What of a request is there, and not hidden; undefined if nothing is. */
export async function visibleRequest(graph: OpenGraph, { blocks, page, ...request }: AgentRequest): Promise<AgentRequest | undefined> {
  const there = await Promise.all(blocks.map((uuid) => graph.visible.block(uuid).catch(absent)))
  const kept = blocks.filter((_, at) => there[at])
  const shown = page && (await graph.visible.page(page).catch(absent)) ? { page } : {}
  return kept.length > 0 || 'page' in shown ? { ...request, ...shown, blocks: kept } : undefined
}
