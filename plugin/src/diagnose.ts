import type { OpenGraph } from './graph'
import { asFault } from './fault'

// What `lectern doctor logseq` asks: how this Logseq behaves where its version
// does not tell. It changes nothing, and names nothing of the graph.

/** How one question to Logseq went. */
interface Timed {
  ms: number
  /** Empty: it was answered. */
  error: string
}

export interface Diagnosis {
  /** The window cannot be seen, so Logseq's editor may be at rest. */
  hidden: boolean
  /** A question that passes through the editor, as every write does. */
  editor?: Timed
  /** A question to the database alone. */
  database?: Timed
  /** How many properties each namespace has; none on file graphs. */
  namespaces: Record<string, number>
  /** Methods that this Logseq has said it does not have. */
  missing: string[]
  /** Settings of the plugin that take capabilities away. */
  settings: string[]
}

/** What the plugin knows without asking. */
type Known = Pick<Diagnosis, 'missing' | 'settings'>

/** A uuid that no block has. */
const nobody = '00000000-0000-4000-8000-000000000000'

export async function diagnose(graph: OpenGraph | undefined, hidden: () => boolean, known: Known): Promise<Diagnosis> {
  if (!graph) return { hidden: hidden(), namespaces: {}, ...known }
  const before = hidden()
  const namespaces: Record<string, number> = {}
  const database = await timed(async () => {
    for (const ident of (await graph.reader.properties()).keys()) {
      const [namespace] = ident.replace(/^:/, '').split('/')
      namespaces[namespace!] = (namespaces[namespace!] ?? 0) + 1
    }
    await graph.host.query('[:find ?b :in $ :where [?b :db/ident :lectern/nothing]]')
  })
  const editor = await timed(() => graph.host.block(nobody))
  return { hidden: before || hidden(), editor, database, namespaces, ...known }
}

async function timed(ask: () => Promise<unknown>): Promise<Timed> {
  const begun = performance.now()
  const error = await ask().then(
    () => '',
    (thrown) => asFault(thrown).code,
  )
  return { ms: Math.round(performance.now() - begun), error }
}
