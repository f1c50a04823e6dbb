import { closing } from './frames'
import { type Answer, Session, type Welcome } from './session'
import type { Link, Transport } from './transport'

// connection.ts keeps one session open and reconnects. session.ts is the protocol,
// the transports carry its frames.

export interface ConnectionState {
  phase: 'off' | 'connecting' | 'connected' | 'waiting' | 'replaced'
  /** For people: why it is not connected, or to what. */
  detail: string
  transport?: string
  welcome?: Welcome
}

export interface ConnectionOptions {
  transports: () => Transport[]
  port: () => number
  token: () => string
  about: () => Record<string, unknown>
  answer: Answer
  changed: (connection: ConnectionState) => void
  timers?: Timers
}

export interface Timers {
  after(ms: number, run: () => void): () => void
}

/** The real timers. */
export const clock: Timers = {
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

const delays = [1_000, 2_000, 5_000, 10_000]
const handshakeMs = 5_000

export class Connection {
  state: ConnectionState = { phase: 'off', detail: 'not started' }
  private link?: Link
  private session?: Session
  private failures = 0
  private transportIndex = 0
  private cancelTimer = () => {}
  private replacedReason = ''
  private readonly timers: Timers

  constructor(private readonly options: ConnectionOptions) {
    this.timers = options.timers ?? clock
  }

  /** Connects or reconnects: at start, after new settings, or on request. */
  start(): void {
    this.stop('reconnecting')
    this.failures = 0
    this.connect()
  }

  stop(reason: string): void {
    this.cancelTimer()
    this.session?.end()
    const link = this.link
    this.link = this.session = undefined
    link?.close(closing.goingAway, reason)
    this.setState({ phase: 'off', detail: reason })
  }

  /** Sends a notification; without a connection it is dropped. */
  notify(method: string, params: Record<string, unknown>): void {
    this.session?.notify(method, params)
  }

  private connect(): void {
    if (!this.options.token()) {
      return this.setState({ phase: 'off', detail: 'no token: run `lectern plugin install`, or paste into the settings what `lectern plugin token show` prints' })
    }
    const transports = this.options.transports()
    const transport = transports[this.transportIndex % transports.length]
    if (!transport) return this.setState({ phase: 'off', detail: 'this Logseq offers no way to connect' })
    this.replacedReason = ''
    this.setState({ phase: 'connecting', detail: `port ${this.options.port()}`, transport: transport.name })
    let ended = false
    const link = transport.open(this.options.port(), {
      onFrame: (text) => {
        if (ended) return
        const { welcome } = this.state
        if (welcome) this.expectFrameWithin(maxSilence(welcome), 'the server stopped sending pings')
        return this.session?.receive(text)
      },
      onClosed: (code, reason, opened) => {
        ended = true
        if (this.link === link) this.handleClosed(code, reason, opened)
      },
    })
    this.link = link
    const session = new Session(link, {
      token: this.options.token(),
      about: this.options.about,
      answer: this.options.answer,
      welcome: (welcome) => this.welcome(transport, welcome),
      notified: (method, params) => this.notified(method, params),
    })
    this.session = session
    this.expectFrameWithin(handshakeMs, 'no handshake within 5 s')
  }

  private welcome(transport: Transport, welcome: Welcome): void {
    this.failures = 0
    const detail = `Lectern ${welcome.server_version ?? ''}`.trim()
    this.setState({ phase: 'connected', detail, transport: transport.name, welcome })
    this.expectFrameWithin(maxSilence(welcome), 'the server stopped sending pings')
  }

  /** Closes the link unless a frame arrives within ms. */
  private expectFrameWithin(ms: number, reason: string): void {
    this.cancelTimer()
    this.cancelTimer = this.timers.after(ms, () => this.link?.close(closing.noPong, reason))
  }

  private notified(method: string, params: Record<string, unknown>): void {
    if (method === 'replaced') this.replacedReason = String(params.reason ?? '')
  }

  private handleClosed(code: number, reason: string, opened: boolean): void {
    this.cancelTimer()
    this.session?.end()
    this.link = this.session = undefined
    if (!opened) this.transportIndex++ // try the next transport
    if (code === closing.replaced) {
      // Reconnecting would replace the newer one, which would reconnect too.
      const detail = this.replacedReason || reason || 'another Logseq took over this graph'
      return this.setState({ phase: 'replaced', detail })
    }
    const delay = delays[Math.min(this.failures, delays.length - 1)]!
    this.failures++
    const detail = reason || (opened ? `connection lost (${code})` : `nothing answers on port ${this.options.port()}`)
    this.setState({ phase: 'waiting', detail })
    this.cancelTimer = this.timers.after(delay, () => this.connect())
  }

  private setState(connection: ConnectionState): void {
    this.state = connection
    this.options.changed(connection)
  }
}

function maxSilence({ ping_every_ms = 20_000, pong_within_ms = 10_000 }: Welcome): number {
  return ping_every_ms + pong_within_ms
}
