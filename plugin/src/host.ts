import { Fault, messageOf } from './fault'

// host.ts is the only file that knows the names and arguments of Logseq's methods.
// Everything else calls a Host.

/** Calls a method of Logseq by its name, as the SDK's caller does. */
export type LogseqCall = (method: string, args: unknown[]) => Promise<unknown>

/** An entity in Logseq's answers; keys differ by version and call. */
export type Row = Record<string, any>

export interface Graph {
  name: string
  url: string
}

/** Logseq's SDK times out after 10 s. We do so earlier, with a better message. */
const timeoutMs = 9_000

/** Methods that change nothing, so that a timeout leaves no doubt. */
const readMethods = /^(get_|check_|search$|datascript_query$)/

const unknownMethod = /^Not existed method/

/** Methods that refuse what they are given, in words of Logseq's own: queries, properties and their types. */
const refusals: Record<string, string> = {
  q: 'query', upsert_block_property: 'properties', remove_block_property: 'properties', upsert_property: 'type', add_tag_property: 'properties', add_tag_extends: 'extends',
}

/** A uuid that no block and no page has. */
export const unusedUUID = '00000000-0000-4000-8000-000000000000'

/** Writes to what is not there, which change nothing. Of the others nobody knows whether they are there before one is made. */
const harmless: [method: string, ...args: unknown[]][] = [
  ['insert_block', unusedUUID, '', { focus: false }],
  ['update_block', unusedUUID, '', {}],
  ['remove_block', unusedUUID],
  ['move_block', unusedUUID, unusedUUID, {}],
  ['remove_block_property', unusedUUID, 'id'],
]

/** The same, which would take the uuid for a name on a file graph. */
const harmlessByUUID: typeof harmless = [
  ['delete_page', unusedUUID],
  ['rename_page', unusedUUID, 'x'],
]

export class Host {
  /** Called when a method turns out to be missing, once for each. */
  onMissing: (method: string) => void = () => {}

  constructor(
    private readonly callLogseq: LogseqCall,
    private readonly timeout = timeoutMs,
    /** Methods that this Logseq turned out to lack. */
    readonly missing = new Set<string>(),
  ) {}

  /**
   * The same host, but only while open returns true: what was begun in one graph
   * must not continue in another.
   */
  while(open: () => boolean): Host {
    const ask: LogseqCall = (method, args) => (open() ? this.callLogseq(method, args) : Promise.reject(graphChangedFault()))
    const host = new Host(ask, this.timeout, this.missing)
    host.onMissing = (method) => this.onMissing(method)
    return host
  }

  // About Logseq itself.

  info = () => this.call<{ version?: string; supportDb?: boolean } | null>('get_app_info')
  isDB = () => this.call<boolean>('check_current_is_db_graph')
  graph = () => this.call<Graph | null>('get_current_graph')
  userConfig = () => this.call<Row | null>('get_user_configs')

  // Reading. The SDK's own datascriptQuery drops the last input in the
  // versions on npm, so this bypasses it. Strings are read as EDN.

  query = (query: string, ...inputs: string[]) =>
    this.call<any[] | null>('datascript_query', query, ...inputs)
  /** The query of an agent, which may be wrong. */
  foreignQuery = (query: string, ...inputs: string[]) => this.query(query, ...inputs).catch((thrown) => Promise.reject(refused('query', thrown)))
  search = (text: string, limit: number) => this.call<Row | null>('search', text, { limit })
  /** Through the editor, which a hidden window may suspend: for the doctor, and to make the window know what is below a block. */
  block = (uuid: string) => this.call<Row | null>('get_block', uuid)
  /** In Logseq's own query language. */
  ownQuery = (query: string) => this.call<any[] | null>('q', query)
  // What the person looks at.
  currentPage = () => this.call<Row | null>('get_current_page')
  currentBlock = () => this.call<Row | null>('get_current_block')
  selectedBlocks = () => this.call<Row[] | null>('get_selected_blocks')
  /** Shows a page, or a block by its uuid, in the window. */
  openPage = (page: string) => this.call('push_state', 'page', { name: page }, {})
  templates = () => this.call<Row | null>('get_current_graph_templates')

  // Writing pages. Without redirect: false Logseq shows the page to the person.

  createPage = (title: string, extra: { uuid?: string; firstBlock: boolean; journal?: boolean }) =>
    this.call<Row | null>('create_page', title, {}, {
      redirect: false,
      createFirstBlock: extra.firstBlock,
      ...(extra.journal ? { journal: true } : {}),
      ...(extra.uuid ? { customUUID: extra.uuid } : {}),
    })
  /** Only DB graphs; date as JavaScript's Date reads it. */
  createJournal = (date: string) => this.call<Row | null>('create_journal_page', date)
  /** Takes a name on file graphs and a uuid on DB graphs. */
  deletePage = (page: string) => this.call('delete_page', page)
  /** Only DB graphs, which have a recycle bin. */
  restorePage = (page: string) => this.call('restore_page', page)
  /** Takes a name on file graphs and a uuid on DB graphs. */
  renamePage = (page: string, name: string) => this.call('rename_page', page, name)

  // Writing blocks. focus: false keeps the person's cursor where it is.

  insertBlock = (target: string, content: string, at: Row) =>
    this.call<Row | null>('insert_block', target, content, { focus: false, ...at })
  updateBlock = (uuid: string, content: string) => this.call('update_block', uuid, content, {})
  removeBlock = (uuid: string) => this.call('remove_block', uuid)
  moveBlock = (uuid: string, target: string, at: { before?: boolean; children?: boolean }) =>
    this.call('move_block', uuid, target, at)
  setProperty = (uuid: string, key: string, value: unknown) =>
    this.call('upsert_block_property', uuid, key, value, { reset: true })
  removeProperty = (uuid: string, key: string) => this.call('remove_block_property', uuid, key)
  addTag = (uuid: string, tag: string) => this.call('add_block_tag', uuid, tag)
  removeTag = (uuid: string, tag: string) => this.call('remove_block_tag', uuid, tag)
  // Tags and properties of DB graphs. A tag is named by its uuid.
  createTag = (title: string) => this.call<Row | null>('create_tag', title, {})
  extendTag = (tag: string, above: string) => this.call('add_tag_extends', tag, above)
  addTagProperty = (tag: string, ident: string) => this.call('add_tag_property', tag, ident)
  createProperty = (title: string, type: string, many: boolean) =>
    this.call<Row | null>('upsert_property', title, { type, cardinality: many ? 'many' : 'one' }, {})
  deleteProperty = (key: string) => this.call('remove_property', key)
  setCollapsed = (uuid: string, collapsed: boolean) => this.call('set_block_collapsed', uuid, collapsed)

  /** Whether a method exists. The arguments must be such that it changes nothing. */
  async has(method: string, ...args: unknown[]): Promise<boolean> {
    try {
      await this.call(method, ...args)
    } catch {
      // Another error means that it exists.
    }
    return !this.missing.has(method)
  }

  /** Finds out which writes are missing, by those that change nothing. */
  probeWrites(kind: 'file' | 'db'): Promise<unknown> {
    return Promise.all([...harmless, ...(kind === 'db' ? harmlessByUUID : [])].map(([method, ...args]) => this.has(method, ...args)))
  }

  private async call<T = unknown>(method: string, ...args: unknown[]): Promise<T> {
    try {
      return (await this.withTimeout(method, this.callLogseq(method, args))) as T
    } catch (thrown) {
      const message = messageOf(thrown)
      if (message.includes('[deferred timeout]')) throw timeoutFault(method)
      if (!unknownMethod.test(message)) throw refusals[method] ? refused(refusals[method], thrown) : thrown
      if (!this.missing.has(method)) {
        this.missing.add(method)
        this.onMissing(method)
      }
      throw new Fault('CAPABILITY_MISSING', `this Logseq has no method ${method}`, { method })
    }
  }

  private withTimeout<T>(method: string, asked: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(timeoutFault(method)), this.timeout)
      asked.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }
}

/** What Logseq does not take is wrong in the request. */
function refused(field: string, thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  const message = messageOf(thrown)
  return new Fault('INVALID_INPUT', `${field}: Logseq answered: ${message}`, { field, logseq: message })
}

/** A write that timed out may still happen: Logseq goes on after the SDK's timeout. */
function timeoutFault(method: string): Fault {
  if (readMethods.test(method)) return new Fault('TIMEOUT', `Logseq did not answer ${method} in time`, { method })
  return new Fault('TIMEOUT', `Logseq did not answer ${method} in time; the write may still happen`, {
    method,
    applied: 'unknown',
  })
}

function graphChangedFault(): Fault {
  return new Fault('INTERNAL', 'another graph was opened meanwhile', { applied: 'unknown' })
}
