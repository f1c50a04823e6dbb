import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { Host } from '../../src/host'
import { Plugin } from '../../src/plugin'
import { readSettings } from '../../src/settings'
import { FakeLink, FakeTimers, settled } from './stage'
import { sections } from './txtar'

// The transcripts hold a hello that the bridge is tested with. The plugin's own
// must have all its members, of the same types: else both ends pass their tests
// and do not understand each other.

const transcript = path.resolve(process.cwd(), '../bridge/testdata/handshake.txtar')

const logseq: Record<string, unknown> = {
  get_app_info: { version: '2.0.1', supportDb: true },
  check_current_is_db_graph: true,
  get_current_graph: { name: 'notes', url: 'logseq_db_notes', path: '/notes' },
  datascript_query: [],
}

function types(value: unknown): unknown {
  if (Array.isArray(value)) return [typeof value[0]]
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, types(one)]))
}

test('the hello of the transcripts is the hello of the plugin', async () => {
  const [said] = sections(readFileSync(transcript, 'utf8')).find(({ name }) => name === 'plugin')!.lines
  const want = JSON.parse(said!).params
  const links: FakeLink[] = []
  const plugin = new Plugin({
    host: new Host((method) => (method in logseq ? Promise.resolve(logseq[method]) : Promise.reject(new Error(`Not existed method #${method}`)))),
    settings: () => readSettings({ token: 'a token', port: 1 }),
    transports: [{ name: 'websocket', open: (_port, ends) => (links.push(new FakeLink(ends)), links[0]!) }],
    versions: { plugin: '0.1.0', sdk: '0.2.12', skill: '7' },
    origin: 'lsp://logseq.io',
    hidden: () => false,
    show: () => undefined,
    timers: new FakeTimers(),
    now: () => 0,
    platform: 'test',
  })
  await plugin.start()
  await links[0]!.says({ method: 'challenge', params: { nonce: '0'.repeat(32), server_version: '1.2.3', scheme: 'hmac-sha256' } })
  await settled()
  const got = links[0]!.sent[0]
  assert.deepEqual([got.id, got.method], ['h1', 'hello'])
  const common = Object.fromEntries(Object.entries(got.params).filter(([key]) => key in want))
  assert.deepEqual(types(common), types(want))
  assert.deepEqual(got.params.graph, want.graph)
  assert.equal(JSON.stringify(got).includes('a token'), false)
})
