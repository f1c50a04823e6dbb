import { Fault, messageOf } from './fault'

// host.ts is the only file that knows what Logseq calls its methods, and what
// it expects of their arguments. Everything else asks a Host.

/** Asks Logseq by its own method name; what the SDK's caller does. */
export type Ask = (method: string, args: unknown[]) => Promise<unknown>

/** What a Logseq entity looks like in answers: keys differ by version and call. */
export type Row = Record<string, any>

export interface Graph {
  name: string
  url: string
}

/** Logseq's SDK gives up after 10 s; we do so earlier, to say it in our words. */
const budgetMs = 9_000

/** Methods that change nothing, so that nobody is in doubt about them. */
const reads = /^(get_|check_|search$|datascript_query$)/

const unknownMethod = /^Not existed method/

export class Host {
  /** Called when a method turns out to be missing, once for each. */
  onMissing: (method: string) => void = () => {}

  constructor(
    private readonly ask: Ask,
    private readonly budget = budgetMs,
    /** Methods this Logseq has said it does not have. */
    readonly missing = new Set<string>(),
  ) {}

  /**
   * The same host for as long as open says so. Afterwards nothing is asked any
   * more: what was begun in one graph must not go on in another.
   */
  within(open: () => boolean): Host {
    const ask: Ask = (method, args) => (open() ? this.ask(method, args) : Promise.reject(elsewhere()))
    const host = new Host(ask, this.budget, this.missing)
    host.onMissing = (method) => this.onMissing(method)
    return host
  }

  // About Logseq itself.

  info = () => this.call<{ version?: string; supportDb?: boolean } | null>('get_app_info')
  isDB = () => this.call<boolean>('check_current_is_db_graph')
  graph = () => this.call<Graph | null>('get_current_graph')
  userConfig = () => this.call<Row | null>('get_user_configs')

  // Reading. The SDK's own datascriptQuery drops the last input in the
  // versions on npm, so this goes past it. Strings are read as EDN.

  query = (query: string, ...inputs: string[]) =>
    this.call<any[] | null>('datascript_query', query, ...inputs)
  search = (text: string, limit: number) => this.call<Row | null>('search', text, { limit })
  /** Through the editor, which a hidden window may put to rest: for the doctor alone. */
  block = (uuid: string) => this.call<Row | null>('get_block', uuid)
  templates = () => this.call<Row | null>('get_current_graph_templates')

  // Writing pages. Without redirect: false Logseq shows the page to the person.

  createPage = (title: string, extra: { uuid?: string; firstBlock: boolean; journal?: boolean }) =>
    this.call<Row | null>('create_page', title, {}, {
      redirect: false,
      createFirstBlock: extra.firstBlock,
      ...(extra.journal ? { journal: true } : {}),
      ...(extra.uuid ? { customUUID: extra.uuid } : {}),
    })
  /** DB graphs alone; date as JavaScript's Date reads it. */
  createJournal = (date: string) => this.call<Row | null>('create_journal_page', date)
  deletePage = (name: string) => this.call('delete_page', name)
  /** DB graphs alone, which have a recycle bin. */
  restorePage = (page: string) => this.call('restore_page', page)
  /** Takes a name on file graphs and a uuid on DB graphs. */
  renamePage = (page: string, name: string) => this.call('rename_page', page, name)

  // Writing blocks. focus: false keeps the person's cursor where it is.

  insertBlock = (target: string, content: string, at: Row) =>
    this.call<Row | null>('insert_block', target, content, { focus: false, ...at })
  insertBatch = (target: string, blocks: Row[], at: Row) =>
    this.call<Row[] | null>('insert_batch_block', target, blocks, at)
  updateBlock = (uuid: string, content: string) => this.call('update_block', uuid, content, {})
  removeBlock = (uuid: string) => this.call('remove_block', uuid)
  moveBlock = (uuid: string, target: string, at: { before?: boolean; children?: boolean }) =>
    this.call('move_block', uuid, target, at)
  setProperty = (uuid: string, key: string, value: unknown) =>
    this.call('upsert_block_property', uuid, key, value, { reset: true })
  removeProperty = (uuid: string, key: string) => this.call('remove_block_property', uuid, key)
  addTag = (uuid: string, tag: string) => this.call('add_block_tag', uuid, tag)
  removeTag = (uuid: string, tag: string) => this.call('remove_block_tag', uuid, tag)
  setCollapsed = (uuid: string, collapsed: boolean) => this.call('set_block_collapsed', uuid, collapsed)

  /** Asks a method whose arguments can change nothing; whether it exists is the answer. */
  async has(method: string, ...args: unknown[]): Promise<boolean> {
    try {
      await this.call(method, ...args)
    } catch {
      // Whatever it complained about, it was there to complain.
    }
    return !this.missing.has(method)
  }

  private async call<T = unknown>(method: string, ...args: unknown[]): Promise<T> {
    try {
      return (await this.inTime(method, this.ask(method, args))) as T
    } catch (thrown) {
      const said = messageOf(thrown)
      if (said.includes('[deferred timeout]')) throw late(method)
      if (!unknownMethod.test(said)) throw thrown
      if (!this.missing.has(method)) {
        this.missing.add(method)
        this.onMissing(method)
      }
      throw new Fault('CAPABILITY_MISSING', `this Logseq has no method ${method}`, { method })
    }
  }

  private inTime<T>(method: string, asked: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(late(method)), this.budget)
      asked.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }
}

/** A late write may still land: Logseq goes on working after the SDK gave up. */
function late(method: string): Fault {
  if (reads.test(method)) return new Fault('TIMEOUT', `Logseq did not answer ${method} in time`, { method })
  return new Fault('TIMEOUT', `Logseq did not answer ${method} in time; a write may still land`, {
    method,
    applied: 'unknown',
  })
}

function elsewhere(): Fault {
  return new Fault('INTERNAL', 'another graph was opened meanwhile', { applied: 'unknown' })
}
