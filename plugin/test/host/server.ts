import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { nonce, pluginProof, serverProof } from '../../src/proof'
import { skill } from '../../src/skill'

// The server's end of the wire, small enough to read at once: it greets, it
// asks, it keeps what it is told. Both transports.

export interface Refusal {
  code: string
  message: string
  data?: Record<string, unknown>
}

export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(`${refusal.code}: ${refusal.message}`)
  }
}

/** One greeted plugin. */
export class Peer {
  readonly notified: { method: string; params: any }[] = []
  private readonly waiting = new Map<string, (frame: any) => void>()
  private count = 0
  gone = false

  constructor(
    readonly hello: any,
    readonly send: (frame: unknown) => void,
    readonly close: (code: number, reason: string) => void,
  ) {}

  take(frame: any): void {
    if (frame.method) this.notified.push(frame)
    else this.waiting.get(frame.id)?.(frame)
  }

  call<T = any>(method: string, params: unknown = {}): Promise<T> {
    const id = `1-${++this.count}-${nonce()}`
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, ({ result, error }) => (error ? reject(new Refused(error)) : resolve(result as T)))
      this.send({ jsonrpc: '2.0', id, method, params })
    })
  }
}

export class TestServer {
  readonly token = nonce() + nonce()
  version = 'test'
  /** Set to answer with a proof made of another token. */
  lying = false
  private readonly peers: Peer[] = []
  private arrivals: ((peer: Peer) => void)[] = []
  private readonly http = createServer((request, response) => void this.poll(request, response))
  private readonly polls = new Map<string, { take: (frame: any) => void; out: unknown[]; wake: () => void }>()

  async listen(): Promise<void> {
    const sockets = new WebSocketServer({ server: this.http, path: '/plugin' })
    sockets.on('connection', (socket) => this.greet(socket))
    await new Promise<void>((resolve) => this.http.listen(0, '127.0.0.1', resolve))
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port
  }

  /** The next plugin to be greeted. */
  arrival(): Promise<Peer> {
    return new Promise((resolve) => this.arrivals.push(resolve))
  }

  stop(): void {
    for (const peer of this.peers) peer.close(4000, 'going away')
    this.http.close()
    this.http.closeAllConnections()
  }

  private greet(socket: WebSocket): void {
    const take = this.conversation(
      (frame) => socket.send(JSON.stringify(frame)),
      (code, reason) => socket.close(code, reason),
    )
    socket.on('message', (text) => void take(JSON.parse(String(text))))
  }

  private conversation(send: (frame: unknown) => void, close: (code: number, reason: string) => void) {
    const own = nonce()
    let peer: Peer | undefined
    send({ jsonrpc: '2.0', method: 'challenge', params: { nonce: own, server_version: 'test', scheme: 'hmac-sha256' } })
    return async (frame: any) => {
      if (peer) return peer.take(frame)
      const { nonce: theirs, proof } = frame.params
      if (proof !== (await pluginProof(this.token, own, theirs))) {
        send({ id: frame.id, error: { code: 'UNAUTHORIZED', message: 'wrong token' } })
        return close(4003, 'wrong token')
      }
      peer = new Peer(frame.params, send, close)
      const proved = await serverProof(this.lying ? 'another' : this.token, own, theirs)
      send({ id: frame.id, result: { type: 'hello_ack', proof: proved, server_version: this.version, enabled_capabilities: [], skill_version: skill, ping_every_ms: 20000, pong_within_ms: 10000 } })
      this.peers.push(peer)
      for (const arrived of this.arrivals.splice(0)) arrived(peer)
    }
  }

  private async poll(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse): Promise<void> {
    let text = ''
    for await (const part of request) text += part
    const { session, send, wait_ms } = JSON.parse(text)
    const id = session || this.openPoll()
    const poll = this.polls.get(id)!
    for (const frame of send) await poll.take(frame)
    if (poll.out.length === 0 && wait_ms > 0) {
      await new Promise<void>((resolve) => {
        poll.wake = resolve
        setTimeout(resolve, wait_ms).unref()
      })
    }
    const frames = wait_ms > 0 || !session ? poll.out.splice(0) : []
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ ...(session ? {} : { session: id }), frames }))
  }

  private openPoll(): string {
    const poll = { take: (_: unknown) => {}, out: [] as unknown[], wake: () => {} }
    poll.take = this.conversation(
      (frame) => {
        poll.out.push(frame)
        poll.wake()
      },
      () => undefined,
    )
    const id = nonce()
    this.polls.set(id, poll)
    return id
  }
}
