import { asFault } from './fault'
import type { Graph, Host } from './host'

/** What was found out about Logseq, at start and after each change of graph. */
export interface LogseqInfo {
  /** "unknown" if Logseq does not tell. */
  version: string
  kind: 'file' | 'db'
  /** null while no graph is open. */
  graph: Graph | null
}

const emptyQuery = '[:find ?b :in $ :where [?b :db/ident :lectern/nothing]]'

/**
 * Finds out what Logseq offers. Reading methods are called; missing ones end up in
 * host.missing. Writing methods are looked at by Host.probeWrites, or count as present
 * until a call of one fails.
 */
export async function probe(host: Host): Promise<LogseqInfo> {
  const info = await host.info().catch(() => null)
  const kind = (await isDB(host)) ? 'db' : 'file'
  const graph = named(await host.graph())
  if (graph) await host.has('datascript_query', emptyQuery)
  if (kind === 'file') await host.has('get_current_graph_templates')
  return { version: info?.version ?? 'unknown', kind, graph }
}

/** A DB graph that people see as "notes" is called logseq_db_notes by the API, which stays its url. */
function named(graph: Graph | null): Graph | null {
  return graph && { ...graph, name: graph.name.replace(/^logseq_db_/, '') }
}

/** Before 2.x this method was missing and all graphs were file graphs. */
async function isDB(host: Host): Promise<boolean> {
  try {
    return (await host.isDB()) === true
  } catch (thrown) {
    if (asFault(thrown).code === 'CAPABILITY_MISSING') return false
    throw thrown
  }
}
