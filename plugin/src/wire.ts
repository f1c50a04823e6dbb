import { closing } from './frames'
import { type Answer, Session, type Welcome } from './session'
import type { Link, Transport } from './transport'

// wire.ts keeps one session alive. Start reading here for how the plugin
// connects; session.ts is what is said, the transports are how it travels.

export interface Connection {
  phase: 'off' | 'connecting' | 'connected' | 'waiting' | 'replaced'
  /** Why it is not connected, or what it is connected to. For people. */
  detail: string
  transport?: string
  welcome?: Welcome
}

export interface WireNeeds {
  transports: () => Transport[]
  port: () => number
  token: () => string
  about: () => Record<string, unknown>
  answer: Answer
  changed: (connection: Connection) => void
  timers?: Timers
}

export interface Timers {
  after(ms: number, run: () => void): () => void
}

/** The real one. */
export const clock: Timers = {
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

const delays = [1_000, 2_000, 5_000, 10_000]
const handshakeMs = 5_000

export class Wire {
  connection: Connection = { phase: 'off', detail: 'not started' }
  private link?: Link
  private session?: Session
  private failures = 0
  private turn = 0
  private disarm = () => {}
  private why = ''
  private readonly timers: Timers

  constructor(private readonly needs: WireNeeds) {
    this.timers = needs.timers ?? clock
  }

  /** Connects, or connects anew: after new settings, or when a person asks. */
  start(): void {
    this.stop('reconnecting')
    this.failures = 0
    this.connect()
  }

  stop(reason: string): void {
    this.disarm()
    this.session?.end()
    const link = this.link
    this.link = this.session = undefined
    link?.close(closing.goingAway, reason)
    this.say({ phase: 'off', detail: reason })
  }

  /** Sends a notification; without a connection it is forgotten. */
  notify(method: string, params: Record<string, unknown>): void {
    this.session?.notify(method, params)
  }

  private connect(): void {
    if (!this.needs.token()) {
      return this.say({ phase: 'off', detail: 'no token: run `lectern plugin install`, or paste it into the settings' })
    }
    const transports = this.needs.transports()
    const transport = transports[this.turn % transports.length]
    if (!transport) return this.say({ phase: 'off', detail: 'this Logseq offers no way to connect' })
    this.why = ''
    this.say({ phase: 'connecting', detail: `port ${this.needs.port()}`, transport: transport.name })
    let ended = false
    const link = transport.open(this.needs.port(), {
      frame: (text) => {
        if (ended) return
        const { welcome } = this.connection
        if (welcome) this.watch(silence(welcome), 'the server fell silent')
        return this.session?.receive(text)
      },
      closed: (code, reason, opened) => {
        ended = true
        if (this.link === link) this.lost(code, reason, opened)
      },
    })
    this.link = link
    const session = new Session(link, {
      token: this.needs.token(),
      about: this.needs.about,
      answer: this.needs.answer,
      welcome: (welcome) => this.welcome(transport, welcome),
      notified: (method, params) => this.notified(method, params),
    })
    this.session = session
    this.watch(handshakeMs, 'no handshake within 5 s')
  }

  private welcome(transport: Transport, welcome: Welcome): void {
    this.failures = 0
    const detail = `Lectern ${welcome.server_version ?? ''}`.trim()
    this.say({ phase: 'connected', detail, transport: transport.name, welcome })
    this.watch(silence(welcome), 'the server fell silent')
  }

  /** Drops the link when nothing arrives for ms. */
  private watch(ms: number, reason: string): void {
    this.disarm()
    this.disarm = this.timers.after(ms, () => this.link?.close(closing.noPong, reason))
  }

  private notified(method: string, params: Record<string, unknown>): void {
    if (method === 'replaced') this.why = String(params.reason ?? '')
  }

  private lost(code: number, reason: string, opened: boolean): void {
    this.disarm()
    this.session?.end()
    this.link = this.session = undefined
    if (!opened) this.turn++ // the next transport may get through
    if (code === closing.replaced) {
      // Coming back would throw the newer one out, which would come back too.
      const detail = this.why || reason || 'another Logseq took over this graph'
      return this.say({ phase: 'replaced', detail })
    }
    const delay = delays[Math.min(this.failures, delays.length - 1)]!
    this.failures++
    const detail = reason || (opened ? `connection lost (${code})` : `nothing answers on port ${this.needs.port()}`)
    this.say({ phase: 'waiting', detail })
    this.disarm = this.timers.after(delay, () => this.connect())
  }

  private say(connection: Connection): void {
    this.connection = connection
    this.needs.changed(connection)
  }
}

function silence({ ping_every_ms = 20_000, pong_within_ms = 10_000 }: Welcome): number {
  return ping_every_ms + pong_within_ms
}
