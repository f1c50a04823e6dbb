import { offeredCapabilities } from '../../src/capabilities'
import { OpenGraph } from '../../src/graph'
import { Host } from '../../src/host'
import { run } from '../../src/methods'
import { api } from '../host/api'
import { seed } from '../host/seed'

/** The plugin's methods on the test host's database, without a browser. */
export function openSeed(kind: 'og' | 'db', hidden: { pages: string[]; tags: string[] } = { pages: [], tags: [] }) {
  const world = seed(kind, 'demo')
  const logseq = api(() => world)
  const of = kind === 'og' ? 'file' : 'db'
  const host = new Host(async (method, args) => {
    if (!logseq[method]) throw new Error(`Not existed method #${method}`)
    return logseq[method](...args)
  })
  const graph = new OpenGraph(host, of, hidden)
  const capabilities = offeredCapabilities({ kind: of, missing: new Set(), readOnly: false, hiding: graph.visible.any })
  const ask = (method: string, params: Record<string, unknown>): Promise<any> => run({ graph, readOnly: false, capabilities }, method, params)
  return { world, logseq, graph, ask }
}
