import { methodsUsed, offeredCapabilities } from './capabilities'
import { Changes } from './changes'
import { diagnose } from './diagnose'
import type { ErrorRecord, State } from './diagnostics'
import { asFault } from './fault'
import { OpenGraph } from './graph'
import type { Host } from './host'
import { type AccessState, methodNames, run } from './methods'
import { nonce } from './proof'
import { type LogseqInfo, probe } from './probe'
import type { Settings } from './settings'
import type { Transport } from './transport'
import { type Timers, Connection } from './connection'

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
}

const maxRecentErrors = 20

/** Joins the parts: what Logseq offers, what the settings allow, the connection. */
export class Plugin {
  private logseq?: LogseqInfo
  /** Counts changes of the graph, so that work begun in one graph stays in it. */
  private epoch = 0
  private access: AccessState = { readOnly: true, capabilities: [] }
  private readonly session = nonce()
  private readonly recentErrors: ErrorRecord[] = []
  private readonly connection: Connection
  private readonly changes: Changes

  constructor(private readonly options: PluginOptions) {
    this.connection = new Connection({
      transports: () => this.transports(),
      port: () => options.settings().port,
      token: () => options.settings().token,
      about: () => this.hello(),
      answer: (method, params) => this.answer(method, params),
      changed: () => this.show(),
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

  state(): State {
    return {
      connection: this.connection.state,
      ...(this.logseq ? { logseq: this.logseq } : {}),
      access: this.access,
      settings: this.options.settings(),
      versions: this.options.versions,
      missing: [...this.options.host.missing].sort(),
      recentErrors: this.recentErrors,
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
    this.access = { ...(open ? { graph: open } : {}), readOnly, capabilities }
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
    this.recentErrors.unshift({ at: new Date().toISOString(), method, code, message })
    this.recentErrors.splice(maxRecentErrors)
    this.show()
  }

  private show(): void {
    this.options.show(this.state())
  }
}
