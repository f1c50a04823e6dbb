import type { OpenGraph } from '../graph'
import { invalid } from '../fault'
import type { Block } from '../model'
import { type Params, optionalText, slice, strings, requireUUID } from '../params'
import type { Methods } from './method'
import { landed } from './pages'

export const tasks: Methods = {
  'tasks.list': { needs: 'tasks', run: list },
  'tasks.set': {
    needs: 'tasks',
    writes: true,
    async run(graph, params) {
      const { block } = await graph.visible.block(requireUUID(params, 'uuid'))
      await graph.write.setTask(block, {
        status: optionalText(params, 'status') ?? block.marker ?? 'TODO', // a day or priority alone makes a task too
        ...given(params, 'priority'),
        ...given(params, 'scheduled'),
        ...given(params, 'deadline'),
      })
      return landed(graph, block.uuid)
    },
  },
}

/** {status: ["TODO"], page?, from?, to?: days as 20261121, offset, limit}; the earliest day first. */
async function list(graph: OpenGraph, params: Params): Promise<unknown> {
  const wanted = new Set(statuses(params).map((status) => status.toLowerCase()))
  const page = optionalText(params, 'page')
  const on = page ? `[?b :block/page ${(await graph.visible.page(page)).row.id}] ` : ''
  const rows = await graph.reader.pull('?b', `${on}${graph.dialect.tasks}`)
  const all = (await graph.visible.visibleBlocks(await graph.reader.blocks(rows))).filter(
    (block) => (wanted.size === 0 || wanted.has((block.marker ?? '').toLowerCase())) && within(block, params),
  )
  all.sort((a, b) => due(a) - due(b))
  return { blocks: slice(all, params), total: all.length }
}

function statuses(params: Params): string[] {
  return typeof params.status === 'string' ? [params.status] : strings(params, 'status')
}

const due = ({ scheduled, deadline }: Block) => Math.min(scheduled ?? Infinity, deadline ?? Infinity, 1e9)

function within(block: Block, { from, to }: Params): boolean {
  if (from === undefined && to === undefined) return true
  const at = due(block)
  return at < 1e9 && at >= Number(from ?? 0) && at <= Number(to ?? 1e9)
}

/** null takes the value off, absence leaves it as it is. */
function given(params: Params, field: string): Record<string, string | null> {
  const value = params[field]
  if (value === undefined) return {}
  if (value !== null && typeof value !== 'string') throw invalid(field, 'a text is wanted, or null')
  return { [field]: value === '' ? null : value }
}
