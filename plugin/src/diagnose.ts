import type { OpenGraph } from './graph'
import { asFault } from './fault'
import { unusedUUID } from './host'

// The answer to `lectern doctor logseq`: behaviour of this Logseq that its version
// does not tell. It changes nothing and contains no names from the graph.

/** How one call to Logseq went. */
interface Timing {
  ms: number
  /** Empty: there was an answer. */
  error: string
}

export interface Diagnosis {
  /** The window is hidden, so Logseq's editor may be suspended. */
  hidden: boolean
  /** A call that passes through the editor, as every write does. */
  editor?: Timing
  /** A call to the database only. */
  database?: Timing
  /** How many properties each namespace has; none on file graphs. */
  namespaces: Record<string, number>
  /** Methods that this Logseq lacks. */
  missing: string[]
  /** Settings of the plugin that remove capabilities. */
  settings: string[]
}

/** What the plugin knows without asking Logseq. */
type KnownFacts = Pick<Diagnosis, 'missing' | 'settings'>

export async function diagnose(graph: OpenGraph | undefined, hidden: () => boolean, known: KnownFacts): Promise<Diagnosis> {
  if (!graph) return { hidden: hidden(), namespaces: {}, ...known }
  const before = hidden()
  const namespaces: Record<string, number> = {}
  const database = await measure(async () => {
    for (const ident of (await graph.reader.properties()).keys()) {
      const [namespace] = ident.replace(/^:/, '').split('/')
      namespaces[namespace!] = (namespaces[namespace!] ?? 0) + 1
    }
    await graph.host.query('[:find ?b :in $ :where [?b :db/ident :lectern/nothing]]')
  })
  const editor = await measure(() => graph.host.block(unusedUUID))
  return { hidden: before || hidden(), editor, database, namespaces, ...known }
}

async function measure(ask: () => Promise<unknown>): Promise<Timing> {
  const begun = performance.now()
  const error = await ask().then(
    () => '',
    (thrown) => asFault(thrown).code,
  )
  return { ms: Math.round(performance.now() - begun), error }
}
