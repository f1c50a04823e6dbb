import { methodsUsed, offeredCapabilities, lackingMethods } from './capabilities'
import { Changes } from './changes'
import { diagnose } from './diagnose'
import type { ErrorRecord, State } from './diagnostics'
import { EventLog } from './eventlog'
import { asFault } from './fault'
import { OpenGraph } from './graph'
import type { Host } from './host'
import { type AccessState, methodNames, run } from './methods'
import { visibleRequest } from './methods/requests'
import { type PageLookup, focus } from './methods/window'
import { nonce } from './proof'
import { type LogseqInfo, probe } from './probe'
import { RequestQueue } from './requests'
import type { Settings } from './settings'
import type { Transport } from './transport'
import { type ConnectionState, type Timers, Connection } from './connection'

/** What main.ts, or a test, gives the plugin. */
export interface PluginOptions {
  host: Host
  settings: () => Settings
  transports: Transport[]
  versions: State['versions']
  origin: string
  /** Whether the window is hidden. */
  hidden: () => boolean
  show: (state: State) => void
  timers: Timers
  /** The time in milliseconds. */
  now: () => number
  /** The system, as the browser names it. */
  platform: string
}

const maxRecentErrors = 20
const maxLogLines = 20

/** Joins the parts: what Logseq offers, what the settings allow, the connection. */
export class Plugin {
  private logseq?: LogseqInfo
  /** Counts changes of the graph, so that work begun in one graph stays in it. */
  private epoch = 0
  private access: AccessState = { readOnly: true, capabilities: [] }
  private readonly session = nonce()
  private readonly recentErrors: ErrorRecord[] = []
  private readonly log: EventLog
  private readonly requests: RequestQueue
  private everConnected = false
  private readonly connection: Connection
  private readonly changes: Changes

  constructor(private readonly options: PluginOptions) {
    this.log = new EventLog(options.now)
    this.requests = new RequestQueue(options.now)
    this.connection = new Connection({
      transports: () => this.transports(),
      port: () => options.settings().port,
      token: () => options.settings().token,
      about: () => this.hello(),
      answer: (method, params) => this.answer(method, params),
      changed: (connection) => this.connectionChanged(connection),
      timers: options.timers,
    })
    this.changes = new Changes(
      () => this.access.graph,
      (changed) => this.connection.notify('changed', changed),
      options.timers,
      (thrown) => this.recordError('changed', thrown),
    )
    options.host.onMissing = () => {
      this.updateAccess()
      this.connection.notify('announce', this.hello())
    }
  }

  async start(): Promise<void> {
    await this.probeLogseq()
    this.connection.start()
  }

  stop(reason: string): void {
    this.connection.stop(reason)
  }

  /** On request, or after the settings have changed. */
  reconnect(): void {
    this.updateAccess()
    this.connection.start()
  }

  /** Another graph is open: drop everything about the old one. */
  async graphChanged(): Promise<void> {
    const before = this.logseq?.graph?.url
    this.epoch++
    this.access = { readOnly: true, capabilities: [] }
    await this.probeLogseq()
    if (this.connection.state.phase === 'connected') this.connection.notify('announce', this.hello())
    else if (this.logseq?.graph?.url !== before) this.connection.start()
  }

  databaseChanged(event: unknown): void {
    this.changes.handleEvent(event)
  }

  /**
   * Queues a request to agents about a block, or about what the person looks
   * at. Answers what to tell the person.
   */
  async askAgent(block?: string): Promise<string> {
    const { graph } = this.access
    if (!graph) return 'No graph is open.'
    try {
      const about = block ? { blocks: [block] } : await focusedTarget(graph.host, graph.reader)
      const seen = await visibleRequest(graph, { id: '', at: 0, ...about })
      if (!seen) return 'There is nothing here that an agent may see.'
      const request = this.requests.add(this.graphKey(), about)
      this.log.add(`request ${request.id} queued`)
      this.connection.notify('request', { ...request })
      this.show()
      if (this.connection.state.phase !== 'connected') return 'Queued for your agents. Lectern is not connected now; they find it when it is.'
      return 'Queued for your agents: they find it with list_requests.'
    } catch (thrown) {
      this.recordError('request', thrown)
      return `Not queued: ${asFault(thrown).message}`
    }
  }

  state(): State {
    return {
      connection: this.connection.state,
      ...(this.logseq ? { logseq: this.logseq } : {}),
      access: this.access,
      settings: this.options.settings(),
      versions: this.options.versions,
      missing: [...this.options.host.missing].sort(),
      recentErrors: this.recentErrors,
      log: this.log.newest(maxLogLines),
      waiting: this.requests.list(this.graphKey()).length,
      everConnected: this.everConnected,
      platform: this.options.platform,
    }
  }

  private async probeLogseq(): Promise<void> {
    try {
      this.logseq = await probe(this.options.host)
    } catch (thrown) {
      this.recordError('probe', thrown)
      this.logseq = { version: 'unknown', kind: 'file', graph: null }
    }
    this.updateAccess()
    const { graph, kind } = this.logseq
    // Not waited for: while its window is hidden, Logseq may do no writes.
    if (graph) void this.options.host.probeWrites(kind)
  }

  /** Works out what is offered, from what Logseq has and the settings allow. */
  private updateAccess(): void {
    const { graph, kind = 'file' } = this.logseq ?? {}
    const { readOnly, excludedPages, excludedTags } = this.options.settings()
    const epoch = this.epoch
    const host = this.options.host.while(() => this.epoch === epoch)
    const open = graph ? new OpenGraph(host, kind, { pages: excludedPages, tags: excludedTags }) : undefined
    const capabilities = open
      ? offeredCapabilities({ kind, missing: this.options.host.missing, readOnly, hiding: open.visible.any })
      : []
    const key = this.graphKey()
    const waiting = { list: () => this.requests.list(key), remove: (id: string) => this.closeRequest(key, id) }
    this.access = { ...(open ? { graph: open } : {}), readOnly, capabilities, waiting }
    this.show()
  }

  /** What requests are kept by: those of another graph are not of this one. */
  private graphKey(): string {
    return this.logseq?.graph?.url ?? ''
  }

  private closeRequest(graph: string, id: string): boolean {
    const there = this.requests.remove(graph, id)
    if (there) this.log.add(`request ${id} answered`)
    this.show()
    return there
  }

  private connectionChanged(connection: ConnectionState): void {
    const { phase, detail } = connection
    if (phase !== 'connecting' && detail !== 'reconnecting') this.log.add(`${phase}: ${detail}`)
    if (phase === 'connected') {
      this.everConnected = true
      // Who was to be told may not have been there when they were queued.
      for (const request of this.requests.list(this.graphKey())) this.connection.notify('request', { ...request })
    }
    this.show()
  }

  private hello(): Record<string, unknown> {
    const { versions, origin, host } = this.options
    const { version = 'unknown', kind = '', graph } = this.logseq ?? {}
    return {
      logseq_version: version,
      plugin_version: versions.plugin,
      sdk_version: versions.sdk,
      skill_version: versions.skill,
      api_capabilities: this.access.capabilities,
      graph: { name: graph?.name ?? '', url: graph?.url ?? '', kind: graph ? kind : '' },
      methods: methodNames,
      missing: [...host.missing],
      lacking: graph && kind ? lackingMethods(kind, host.missing) : {},
      read_only: this.access.readOnly,
      origin,
      session: this.session,
    }
  }

  private async answer(method: string, params: Record<string, unknown>): Promise<unknown> {
    if (method === 'ping') return { logseq_version: this.logseq?.version, graph: this.logseq?.graph?.name }
    if (method === 'diagnose') return this.diagnose()
    try {
      return await run(this.access, method, params)
    } catch (thrown) {
      this.recordError(method, thrown)
      throw thrown
    }
  }

  private diagnose(): Promise<unknown> {
    const { host, hidden } = this.options
    const { readOnly, excludedPages, excludedTags } = this.options.settings()
    const settings = Object.entries({ readOnly, excludedPages, excludedTags })
      .filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value))
      .map(([key]) => key)
    const missing = methodsUsed.filter((method) => host.missing.has(method))
    return diagnose(this.access.graph, hidden, { missing, settings })
  }

  private transports(): Transport[] {
    const { transport } = this.options.settings()
    if (transport === 'auto') return this.options.transports
    return this.options.transports.filter(({ name }) => name === transport)
  }

  private recordError(method: string, thrown: unknown): void {
    const { code, message } = asFault(thrown)
    this.recentErrors.unshift({ at: new Date(this.options.now()).toISOString(), method, code, message })
    this.recentErrors.splice(maxRecentErrors)
    this.log.add(`${method}: ${code}: ${message}`)
    this.show()
  }

  private show(): void {
    this.options.show(this.state())
  }
}

/** The blocks that are selected, else the one being edited, else the page that is open. */
async function focusedTarget(host: Host, reader: PageLookup): Promise<{ blocks: string[]; page?: string }> {
  const { page, editing, selected } = await focus(host, reader)
  if (selected.length > 0) return { blocks: selected }
  if (editing) return { blocks: [editing] }
  return { blocks: [], ...(page ? { page } : {}) }
}
