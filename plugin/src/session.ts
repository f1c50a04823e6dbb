import { Fault, asFault } from './fault'
import { type Frame, closing, decode, encode, fits } from './frames'
import { nonce, pluginProof, sameProof, serverProof } from './proof'
import type { Link } from './transport'

/** Answers one request. The signal fires when the server cancels it. */
export type Answer = (
  method: string,
  params: Record<string, unknown>,
  signal: AbortSignal,
) => Promise<unknown>

/** What the server tells after the handshake. */
export interface Welcome {
  server_version?: string
  skill_version?: string
  /** The absolute path of Lectern. */
  command?: string
  enabled_capabilities?: string[]
  ping_every_ms?: number
  pong_within_ms?: number
}

export interface SessionOptions {
  token: string
  about: () => Record<string, unknown>
  answer: Answer
  welcome: (welcome: Welcome) => void
  /** Notifications beside challenge and cancel, for example "replaced". */
  notified: (method: string, params: Record<string, unknown>) => void
}

const helloID = 'h1'

/**
 * A Session is the protocol of one link: challenge, proof of both ends, then
 * requests until it ends. Timeouts and reconnecting belong to Connection.
 */
export class Session {
  private phase: 'waiting' | 'proving' | 'open' | 'ended' = 'waiting'
  private serverNonce = ''
  private readonly ownNonce = nonce()
  private readonly calls = new Map<string, AbortController>()
  /** Proofs are asynchronous; frames that arrive meanwhile wait. */
  private queue = Promise.resolve()

  constructor(
    private readonly link: Link,
    private readonly options: SessionOptions,
  ) {}

  /** Handles one frame of the server. An invalid frame ends the link. */
  receive(text: string): Promise<void> {
    this.queue = this.queue.then(() => this.read(text))
    return this.queue
  }

  notify(method: string, params: Record<string, unknown>): void {
    if (this.phase === 'open') this.link.send(encode({ method, params }))
  }

  /** Aborts all pending calls; their results are not sent. */
  end(): void {
    this.phase = 'ended'
    for (const call of this.calls.values()) call.abort()
    this.calls.clear()
  }

  private async read(text: string): Promise<void> {
    try {
      await this.take(decode(text))
    } catch (thrown) {
      const unauthorized = thrown instanceof Fault && thrown.code === 'UNAUTHORIZED'
      const code = unauthorized ? closing.unauthorized : closing.protocol
      this.link.close(code, (thrown as Error).message)
    }
  }

  private async take(frame: Frame): Promise<void> {
    if (this.phase === 'ended') return
    if (this.phase === 'waiting') return this.prove(frame)
    if (this.phase === 'proving') return this.check(frame)
    const { id, method, params = {} } = frame
    if (method === undefined) return // an unmatched response: we never send requests
    if (id !== undefined) return this.call(id, method, params)
    if (method === 'cancel') return this.cancel(String(params.id))
    this.options.notified(method, params)
  }

  private async prove(frame: Frame): Promise<void> {
    const server = frame.params?.nonce
    if (frame.method !== 'challenge' || typeof server !== 'string' || !/^[0-9a-f]{32}$/.test(server)) {
      throw new Error('handshake: the server did not begin with a challenge')
    }
    this.phase = 'proving'
    this.serverNonce = server
    const proof = await pluginProof(this.options.token, server, this.ownNonce)
    const params = { ...this.options.about(), nonce: this.ownNonce, proof }
    this.link.send(encode({ id: helloID, method: 'hello', params }))
  }

  private async check(frame: Frame): Promise<void> {
    if (frame.id !== helloID) throw new Error('handshake: the server spoke before it answered hello')
    if (frame.error) {
      const refused = frame.error.code === 'UNAUTHORIZED'
      throw new Fault(refused ? 'UNAUTHORIZED' : 'INTERNAL', frame.error.message)
    }
    const welcome = (frame.result ?? {}) as Welcome & { proof?: unknown }
    const want = await serverProof(this.options.token, this.serverNonce, this.ownNonce)
    if (typeof welcome.proof !== 'string' || !sameProof(welcome.proof, want)) {
      throw new Fault(
        'UNAUTHORIZED',
        'the program on this port does not know the token: it is not Lectern, or the token is old',
      )
    }
    this.phase = 'open'
    this.options.welcome(welcome)
  }

  private call(id: string, method: string, params: Record<string, unknown>): void {
    if (this.calls.has(id)) throw new Error(`frame: id "${id}" is in use`)
    const abort = new AbortController()
    this.calls.set(id, abort)
    void this.options
      .answer(method, params, abort.signal)
      .then((result) => ({ id, result: result ?? null }))
      .catch((thrown: unknown) => errorFrame(id, asFault(thrown)))
      .then((frame) => this.finish(id, abort, frame))
  }

  private finish(id: string, abort: AbortController, frame: Frame): void {
    if (abort.signal.aborted) return
    this.calls.delete(id)
    let text = encode(frame)
    if (!fits(text)) {
      const tooLarge = new Fault('INVALID_INPUT', 'limit: the answer is larger than 8 MiB, ask for less')
      text = encode(errorFrame(id, tooLarge))
    }
    this.link.send(text)
  }

  private cancel(id: string): void {
    this.calls.get(id)?.abort()
    this.calls.delete(id)
  }
}

function errorFrame(id: string, { code, message, data }: Fault): Frame {
  return { id, error: data ? { code, message, data } : { code, message } }
}
