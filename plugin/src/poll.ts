import type { LinkHandlers, Link, Transport } from './transport'

/** Posts JSON and returns the body of the answer; rejects if there is none. */
export type Post = (url: string, body: unknown) => Promise<unknown>

const waitMs = 25_000

interface Answer {
  session?: string
  frames?: unknown[]
  closed?: { code: number; reason: string }
  error?: unknown
}

/**
 * The fallback for a Logseq that blocks its plugins' WebSockets to this machine:
 * the same frames in HTTP bodies, sent by Logseq itself. One request waits for
 * the server's frames while others carry ours, one at a time to keep the order.
 */
export function polling(post: Post): Transport {
  return { name: 'poll', open: (port, ends) => new Poll(post, port, ends) }
}

class Poll implements Link {
  private session = ''
  private outbox: unknown[] = []
  private sending = false
  private done = false
  private readonly url: string

  constructor(
    private readonly post: Post,
    port: number,
    private readonly handlers: LinkHandlers,
  ) {
    this.url = `http://127.0.0.1:${port}/plugin/poll`
    void this.receive()
  }

  send(text: string): void {
    this.outbox.push(JSON.parse(text))
    void this.flush()
  }

  close(code: number, reason: string): void {
    if (!this.done && this.session) {
      const closeRequest = { session: this.session, send: [], wait_ms: 0, close: true }
      this.post(this.url, closeRequest).catch(() => undefined) // it notices the missing pings anyway
    }
    this.finish(code, reason)
  }

  private async receive(): Promise<void> {
    while (!this.done) await this.exchange([], this.session ? waitMs : 0)
  }

  private async flush(): Promise<void> {
    if (this.sending || !this.session) return
    this.sending = true
    while (this.outbox.length > 0 && !this.done) await this.exchange(this.outbox.splice(0), 0)
    this.sending = false
  }

  private async exchange(send: unknown[], wait: number): Promise<void> {
    let answer: Answer
    try {
      answer = unwrap(await this.post(this.url, { session: this.session, send, wait_ms: wait }))
    } catch (thrown) {
      return this.finish(1006, `${thrown}`)
    }
    if (this.done) return
    const malformed = !Array.isArray(answer.frames) || (!this.session && !answer.session)
    if (malformed && !answer.closed) return this.finish(4002, 'poll: the answer has no frames')
    if (!this.session) this.session = answer.session ?? ''
    for (const frame of answer.frames ?? []) void this.handlers.onFrame(JSON.stringify(frame))
    if (answer.closed) return this.finish(answer.closed.code, answer.closed.reason)
    void this.flush()
  }

  private finish(code: number, reason: string): void {
    if (this.done) return
    this.done = true
    this.handlers.onClosed(code, reason, this.session !== '')
  }
}

/** Logseq returns the body as text, as JSON, or together with its status. */
function unwrap(answer: unknown): Answer {
  if (typeof answer === 'string') return JSON.parse(answer) as Answer
  const wrapped = answer as { status?: unknown; body?: unknown } | null
  if (wrapped && typeof wrapped.status === 'number' && 'body' in wrapped) return unwrap(wrapped.body)
  if (typeof answer !== 'object' || answer === null) throw new Error('poll: no answer')
  return answer as Answer
}
