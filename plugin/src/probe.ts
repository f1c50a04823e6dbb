import { asFault } from './fault'
import type { Graph, Host } from './host'

/** What Logseq turned out to be, at start and after each change of graph. */
export interface Surroundings {
  /** "unknown" when it would not say. */
  version: string
  kind: 'file' | 'db'
  /** null while no graph is open. */
  graph: Graph | null
}

const nothing = '[:find ?b :in $ :where [?b :db/ident :lectern/nothing]]'

/**
 * Asks Logseq what it is. Reading methods are asked outright, and those it
 * does not know end up in host.missing. Writing methods cannot be asked without
 * writing: they count as there until one says that it is not.
 */
export async function probe(host: Host): Promise<Surroundings> {
  const info = await host.info().catch(() => null)
  const kind = (await isDB(host)) ? 'db' : 'file'
  const graph = await host.graph()
  if (graph) await host.has('datascript_query', nothing)
  if (kind === 'file') await host.has('get_current_graph_templates')
  return { version: info?.version ?? 'unknown', kind, graph }
}

/** Before 2.x there was nothing to ask, and file graphs only. */
async function isDB(host: Host): Promise<boolean> {
  try {
    return (await host.isDB()) === true
  } catch (thrown) {
    if (asFault(thrown).code === 'CAPABILITY_MISSING') return false
    throw thrown
  }
}
