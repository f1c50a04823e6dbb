import { methodsUsed, offered } from './capabilities'
import { Changes } from './changes'
import { diagnose } from './diagnose'
import type { Mishap, State } from './diagnostics'
import { asFault } from './fault'
import { OpenGraph } from './graph'
import type { Host } from './host'
import { type Situation, methodNames, run } from './methods'
import { nonce } from './proof'
import { type Surroundings, probe } from './probe'
import type { Settings } from './settings'
import type { Transport } from './transport'
import { type Timers, Wire } from './wire'

/** What the plugin is given by whoever starts it; main.ts, or a test. */
export interface Place {
  host: Host
  settings: () => Settings
  transports: Transport[]
  versions: State['versions']
  origin: string
  /** The window cannot be seen. */
  hidden: () => boolean
  show: (state: State) => void
  timers: Timers
}

const mishapsKept = 20

/** Joins the parts: what Logseq offers, what the settings allow, who is connected. */
export class Plugin {
  private surroundings?: Surroundings
  /** Counts the graphs that were open, so that work begun in one stays in it. */
  private epoch = 0
  private situation: Situation = { readOnly: true, capabilities: [] }
  private readonly session = nonce()
  private readonly mishaps: Mishap[] = []
  private readonly wire: Wire
  private readonly changes: Changes

  constructor(private readonly place: Place) {
    this.wire = new Wire({
      transports: () => this.transports(),
      port: () => place.settings().port,
      token: () => place.settings().token,
      about: () => this.about(),
      answer: (method, params) => this.answer(method, params),
      changed: () => this.show(),
      timers: place.timers,
    })
    this.changes = new Changes(
      () => this.situation.graph,
      (changed) => this.wire.notify('changed', changed),
      place.timers,
      (thrown) => this.note('changed', thrown),
    )
    place.host.onMissing = () => {
      this.look()
      this.wire.notify('announce', this.about())
    }
  }

  async start(): Promise<void> {
    await this.lookAround()
    this.wire.start()
  }

  stop(reason: string): void {
    this.wire.stop(reason)
  }

  /** A person asked, or changed the settings. */
  reconnect(): void {
    this.look()
    this.wire.start()
  }

  /** Another graph is open: whatever is cached of the old one is wrong. */
  async graphChanged(): Promise<void> {
    const before = this.surroundings?.graph?.url
    this.epoch++
    this.situation = { readOnly: true, capabilities: [] }
    await this.lookAround()
    if (this.wire.connection.phase === 'connected') this.wire.notify('announce', this.about())
    else if (this.surroundings?.graph?.url !== before) this.wire.start()
  }

  databaseChanged(event: unknown): void {
    this.changes.take(event)
  }

  state(): State {
    return {
      connection: this.wire.connection,
      ...(this.surroundings ? { surroundings: this.surroundings } : {}),
      situation: this.situation,
      settings: this.place.settings(),
      versions: this.place.versions,
      missing: [...this.place.host.missing].sort(),
      mishaps: this.mishaps,
    }
  }

  private async lookAround(): Promise<void> {
    try {
      this.surroundings = await probe(this.place.host)
    } catch (thrown) {
      this.note('probe', thrown)
      this.surroundings = { version: 'unknown', kind: 'file', graph: null }
    }
    this.look()
  }

  /** Draws the conclusions from what is known and set. */
  private look(): void {
    const { graph, kind = 'file' } = this.surroundings ?? {}
    const { readOnly, excludedPages, excludedTags } = this.place.settings()
    const epoch = this.epoch
    const host = this.place.host.within(() => this.epoch === epoch)
    const open = graph ? new OpenGraph(host, kind, { pages: excludedPages, tags: excludedTags }) : undefined
    const capabilities = open
      ? offered({ kind, missing: this.place.host.missing, readOnly, hiding: open.seen.any })
      : []
    this.situation = { ...(open ? { graph: open } : {}), readOnly, capabilities }
    this.show()
  }

  private about(): Record<string, unknown> {
    const { versions, origin, host } = this.place
    const { version = 'unknown', kind = '', graph } = this.surroundings ?? {}
    return {
      logseq_version: version,
      plugin_version: versions.plugin,
      sdk_version: versions.sdk,
      skill_version: versions.skill,
      api_capabilities: this.situation.capabilities,
      graph: { name: graph?.name ?? '', url: graph?.url ?? '', kind: graph ? kind : '' },
      methods: methodNames,
      missing: [...host.missing],
      read_only: this.situation.readOnly,
      origin,
      session: this.session,
    }
  }

  private async answer(method: string, params: Record<string, unknown>): Promise<unknown> {
    if (method === 'ping') return { logseq_version: this.surroundings?.version, graph: this.surroundings?.graph?.name }
    if (method === 'diagnose') return this.diagnose()
    try {
      return await run(this.situation, method, params)
    } catch (thrown) {
      this.note(method, thrown)
      throw thrown
    }
  }

  private diagnose(): Promise<unknown> {
    const { host, hidden } = this.place
    const { readOnly, excludedPages, excludedTags } = this.place.settings()
    const settings = Object.entries({ readOnly, excludedPages, excludedTags })
      .filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value))
      .map(([key]) => key)
    const missing = methodsUsed.filter((method) => host.missing.has(method))
    return diagnose(this.situation.graph, hidden, { missing, settings })
  }

  private transports(): Transport[] {
    const { transport } = this.place.settings()
    if (transport === 'auto') return this.place.transports
    return this.place.transports.filter(({ name }) => name === transport)
  }

  private note(method: string, thrown: unknown): void {
    const { code, message } = asFault(thrown)
    this.mishaps.unshift({ at: new Date().toISOString(), method, code, message })
    this.mishaps.splice(mishapsKept)
    this.show()
  }

  private show(): void {
    this.place.show(this.state())
  }
}
