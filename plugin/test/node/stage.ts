import type { Answer } from '../../src/session'
import type { LinkHandlers, Link, Transport } from '../../src/transport'
import { type ConnectionState, type Timers, Connection } from '../../src/connection'

// A stage for the wire without a network and without a clock.

/** Time that passes when the test says so. */
export class FakeTimers implements Timers {
  private now = 0
  private armed: { at: number; run: () => void }[] = []

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.now + ms, run }
    this.armed.push(timer)
    return () => {
      this.armed = this.armed.filter((one) => one !== timer)
    }
  }

  async pass(ms: number): Promise<void> {
    this.now += ms
    for (const timer of this.armed.filter(({ at }) => at <= this.now)) {
      this.armed = this.armed.filter((one) => one !== timer)
      timer.run()
    }
    await settled()
  }
}

/** Lets promises come to an end that wait for nothing but one another. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** One end of a connection as the test holds it. */
export class FakeLink implements Link {
  readonly sent: any[] = []
  ended?: { code: number; reason: string }

  constructor(private readonly ends: LinkHandlers) {}

  send = (text: string): void => void this.sent.push(JSON.parse(text))

  close(code: number, reason: string): void {
    if (this.ended) return
    this.ended = { code, reason }
    this.ends.onClosed(code, reason, true)
  }

  async says(frame: unknown): Promise<void> {
    await this.ends.onFrame(typeof frame === 'string' ? frame : JSON.stringify(frame))
    await settled()
  }
}

export class Stage {
  readonly links: FakeLink[] = []
  readonly timers = new FakeTimers()
  readonly seen: ConnectionState[] = []
  readonly wire: Connection

  constructor(token: string, about: Record<string, unknown>, answer: Answer) {
    const transport: Transport = {
      name: 'websocket',
      open: (_port, ends) => {
        const link = new FakeLink(ends)
        this.links.push(link)
        return link
      },
    }
    this.wire = new Connection({
      transports: () => [transport],
      port: () => 12740,
      token: () => token,
      about: () => about,
      answer,
      changed: (connection) => this.seen.push(connection),
      timers: this.timers,
    })
  }

  get link(): FakeLink {
    return this.links.at(-1)!
  }
}
