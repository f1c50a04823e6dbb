import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { Fault } from '../../src/fault'
import { nonce, pluginProof, serverProof } from '../../src/proof'
import { FakeLink, Stage, settled } from './stage'
import { type Section, sections } from './txtar'

// The bridge replays these from its end; here the plugin's wire stands where
// the transcript says "plugin", and this file plays the server.

const folder = path.resolve(process.cwd(), '../bridge/testdata')
const token = 'a token for transcripts'

/** What no plugin of ours would send, so only the bridge can be tested with it. */
const notOurs = new Map([
  ['bad_frame', 'the plugin sends no broken frames'],
  ['no_hello', 'the plugin always says hello'],
])

/** One connection of a transcript: whose plugin it is, and how far it has been checked. */
interface Line {
  stage: Stage
  link: FakeLink
  checked: number
  serverNonce: string
}

class Replay {
  readonly lines = new Map<string, Line>()
  private readonly ids = new Map<string, string>()
  private readonly answers = new Map<string, { resolve: (value: unknown) => void; reject: (thrown: unknown) => void }>()
  private readonly cancelled = new Set<string>()

  constructor(private readonly script: Section[]) {}

  async run(): Promise<void> {
    for (const { name, lines } of this.script) {
      const [what, number = '1'] = name.split(' ')
      for (const line of lines) {
        if (what === 'server') await this.server(number, JSON.parse(line))
        if (what === 'plugin') await this.plugin(this.lines.get(number)!, JSON.parse(line))
      }
      if (what === 'cut') this.lines.get(number)!.link.close(1006, 'cut')
      if (what === 'close') this.lines.get(number)!.link.close(JSON.parse(lines[0]!).code, '')
      await settled()
    }
  }

  private async server(number: string, frame: any): Promise<void> {
    const line = this.lines.get(number) ?? (await this.connect(number))
    if (frame.method === 'challenge') frame.params.nonce = line.serverNonce
    if (typeof frame.id === 'string') frame.id = this.id(frame.id)
    if (frame.method === 'cancel') {
      frame.params.id = this.id(frame.params.id)
      this.cancelled.add(frame.params.id)
    }
    if (frame.result?.proof) frame.result.proof = await this.proof(line, frame.result.proof)
    await line.link.says(frame)
  }

  /** A further connection is the first plugin again when it has lost its own, else another plugin. */
  private async connect(number: string): Promise<Line> {
    const first = this.lines.get('1')
    const again = first?.link.ended ? first.stage : undefined
    const stage = again ?? this.begin(number)
    await again?.timers.pass(1000)
    const line = { stage, link: stage.link, checked: 0, serverNonce: nonce() }
    assert.equal(line.link.ended, undefined, 'a new link')
    this.lines.set(number, line)
    return line
  }

  private begin(number: string): Stage {
    const { proof, nonce: _nonce, ...about } = this.hello(number).params
    const stage = new Stage(proof === '$wrong_proof' ? 'another token' : token, about, (method, params) => {
      if (method === 'ping') return Promise.resolve({})
      return new Promise((resolve, reject) => this.answers.set(JSON.stringify([method, params]), { resolve, reject }))
    })
    stage.wire.start()
    return stage
  }

  private hello(number: string): any {
    const name = number === '1' ? 'plugin' : `plugin ${number}`
    const lines = this.script.filter((section) => section.name === name).flatMap((section) => section.lines)
    return JSON.parse(lines[0]!)
  }

  private async plugin(line: Line, want: any): Promise<void> {
    if (want.method === 'ping') return // asked by the plugin: allowed, and never done by ours
    if (want.method && want.id === undefined) line.stage.wire.notify(want.method, want.params)
    if (want.id && !want.method) await this.answer(want)
    await settled()
    if (want.id && this.cancelled.has(this.id(want.id))) {
      assert.equal(line.link.sent.length, line.checked, 'nothing is sent for a cancelled call')
      return
    }
    const { jsonrpc, ...got } = line.link.sent[line.checked++] ?? {}
    assert.equal(jsonrpc, '2.0')
    if (want.method === 'hello') await this.checkHello(line, got, want)
    else assert.deepEqual(got, want.id ? { ...want, id: this.id(want.id) } : want)
  }

  private async answer({ id, result, error }: any): Promise<void> {
    const asked = this.script
      .flatMap((section) => (section.name.startsWith('server') ? section.lines : []))
      .map((line) => JSON.parse(line))
      .find((frame) => frame.id === id && frame.method)
    const waiting = this.answers.get(JSON.stringify([asked.method, asked.params ?? {}]))
    if (!waiting) return // a ping, which the wire answers by itself
    if (error) waiting.reject(new Fault(error.code, error.message, error.data))
    else waiting.resolve(result)
    await settled()
  }

  private async checkHello(line: Line, got: any, want: any): Promise<void> {
    const { nonce: theirs, proof } = got.params
    assert.match(theirs, /^[0-9a-f]{32}$/)
    const right = await pluginProof(token, line.serverNonce, theirs)
    assert.equal(proof === right, want.params.proof === '$plugin_proof')
    assert.deepEqual({ ...got, params: { ...got.params, nonce: '', proof: '' } }, { ...want, params: { ...want.params, nonce: '', proof: '' } })
    assert.equal(JSON.stringify(got).includes(token), false)
  }

  private async proof({ link, serverNonce }: Line, placeholder: string): Promise<string> {
    const hello = link.sent.find((frame) => frame.method === 'hello')
    if (placeholder === '$wrong_proof') return serverProof('not the token', serverNonce, hello.params.nonce)
    return serverProof(token, serverNonce, hello.params.nonce)
  }

  private id(name: string): string {
    if (!name.startsWith('$')) return name
    if (!this.ids.has(name)) this.ids.set(name, `1-${this.ids.size}-${nonce()}`)
    return this.ids.get(name)!
  }
}

describe('transcripts', { skip: !existsSync(folder) && `there is no ${folder}` }, () => {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.txtar')) : []
  for (const file of names) {
    const name = file.replace('.txtar', '')
    test(name, { skip: notOurs.get(name) ?? false }, async () => {
      const replay = new Replay(sections(readFileSync(path.join(folder, file), 'utf8')))
      await replay.run()
      const { stage, link } = replay.lines.get('1')!
      const { phase, detail } = stage.wire.state
      if (name === 'squatter') {
        assert.deepEqual([link.ended?.code, link.sent.length], [4003, 1], 'it closes, and has said nothing but hello')
        assert.match(detail, /does not know the token/)
      }
      if (name === 'wrong_token') assert.match(detail, /run: lectern plugin install/)
      if (name === 'replaced') assert.deepEqual([phase, detail], ['replaced', 'the same graph has connected again; the newest connection is used'])
      if (name === 'handshake') assert.equal(phase, 'connected')
    })
  }
})
