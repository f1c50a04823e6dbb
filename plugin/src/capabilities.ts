// The methods of Logseq that each capability needs.

const read = ['datascript_query']

interface Row {
  methods: readonly string[]
  /** Further methods on one kind of graph. */
  file?: readonly string[]
  db?: readonly string[]
  /** Offered only on this kind of graph. */
  only?: 'file' | 'db'
  writes?: true
}

const table = {
  'pages.list': { methods: read },
  'pages.read': { methods: read },
  'pages.create': { methods: [...read, 'create_page'], writes: true },
  'pages.update': { methods: [...read, 'insert_block'], file: ['update_block'], db: ['upsert_block_property'], writes: true },
  'pages.delete': { methods: [...read, 'delete_page'], writes: true },
  'pages.rename': { methods: [...read, 'rename_page'], writes: true },
  'search.basic': { methods: read },
  'blocks.read': { methods: read },
  'blocks.create': { methods: [...read, 'insert_block'], writes: true },
  'blocks.insert': { methods: [...read, 'insert_block'], writes: true },
  'blocks.update': { methods: [...read, 'update_block', 'upsert_block_property'], writes: true },
  'blocks.delete': { methods: [...read, 'remove_block'], writes: true },
  'blocks.move': { methods: [...read, 'move_block'], writes: true },
  'datascript.query': { methods: read },
  find: { methods: read },
  backlinks: { methods: read },
  journals: { methods: read },
  tasks: { methods: read },
  tags: { methods: read },
  properties: { methods: read },
  assets: { methods: read },
  'tags.set': { methods: [...read, 'add_block_tag', 'remove_block_tag'], only: 'db', writes: true },
  'tags.create': { methods: [...read, 'create_tag', 'add_tag_extends', 'add_tag_property'], only: 'db', writes: true },
  'properties.create': { methods: [...read, 'upsert_property'], only: 'db', writes: true },
  templates: { methods: [...read, 'get_current_graph_templates'], only: 'file' },
  'query.own': { methods: [...read, 'q'] },
  focus: { methods: [...read, 'get_current_page', 'get_current_block', 'get_selected_blocks'] },
  'page.open': { methods: [...read, 'push_state'] },
  requests: { methods: read },
  privacy: { methods: read },
  watch: { methods: read },
} as const satisfies Record<string, Row>

export type Capability = keyof typeof table

export interface CapabilityContext {
  kind: 'file' | 'db'
  missing: ReadonlySet<string>
  readOnly: boolean
  /** Pages or tags are hidden, which a query could reveal. */
  hiding: boolean
}

/** The capabilities to report, in the order of the table. */
export function offeredCapabilities({ kind, missing, readOnly, hiding }: CapabilityContext): Capability[] {
  return (Object.entries(table) as [Capability, Row][])
    .filter(([key, row]) => {
      if (row.only && row.only !== kind) return false
      if (readOnly && row.writes) return false
      if (hiding && (key === 'datascript.query' || key === 'query.own')) return false
      return [...row.methods, ...(row[kind] ?? [])].every((method) => !missing.has(method))
    })
    .map(([key]) => key)
}

/** By capability, the methods that this Logseq lacks for it. */
export function lackingMethods(kind: 'file' | 'db', missing: ReadonlySet<string>): Partial<Record<Capability, string[]>> {
  const all = (Object.entries(table) as [Capability, Row][]).map(([key, row]) => [key, [...row.methods, ...(row[kind] ?? [])].filter((method) => missing.has(method))] as const)
  return Object.fromEntries(all.filter(([, methods]) => methods.length > 0))
}

/** The methods of Logseq without which a kind of graph lacks a capability. */
export function requiredMethods(key: string, kind: 'og' | 'db'): readonly string[] {
  const row: Row | undefined = table[key as Capability]
  return row ? [...row.methods, ...((kind === 'og' ? row.file : row.db) ?? [])] : []
}

/** Every method of Logseq that some capability needs. */
export const methodsUsed: readonly string[] = [
  ...new Set((Object.values(table) as Row[]).flatMap((row) => [...row.methods, ...(row.file ?? []), ...(row.db ?? [])])),
].sort()
