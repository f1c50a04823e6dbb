import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Host } from '../../src/host'
import { Plugin } from '../../src/plugin'
import { RequestQueue } from '../../src/requests'
import { nonce, serverProof } from '../../src/proof'
import { readSettings } from '../../src/settings'
import { api } from '../host/api'
import { known, seed } from '../host/seed'
import { FakeLink, FakeTimers, settled } from './stage'

// "Ask an agent about this": from the person to the answer.

/** A plugin on a graph, connected to a server that the test plays. */
async function openPlugin(kind: 'og' | 'db', settings: Record<string, unknown> = {}) {
  const world = seed(kind, 'demo')
  const logseq = api(() => world)
  const links: FakeLink[] = []
  const timers = new FakeTimers()
  let now = 1_764_054_000_000
  const plugin = new Plugin({
    host: new Host(async (method, args) => {
      if (!logseq[method]) throw new Error(`Not existed method #${method}`)
      return logseq[method](...args)
    }),
    settings: () => readSettings({ token: 'a token', port: 1, ...settings }),
    transports: [{ name: 'websocket', open: (_port, ends) => (links.push(new FakeLink(ends)), links.at(-1)!) }],
    versions: { plugin: '0.1.0', sdk: '0.2.12', skill: '7' },
    origin: 'lsp://logseq.io',
    hidden: () => false,
    show: () => undefined,
    timers,
    now: () => now++,
    platform: 'Linux x86_64',
  })
  await plugin.start()
  const greet = async () => {
    const link = links.at(-1)!
    await link.says({ method: 'challenge', params: { nonce: '0'.repeat(32) } })
    await settled()
    const proof = await serverProof('a token', '0'.repeat(32), link.sent[0].params.nonce)
    await link.says({ id: 'h1', result: { type: 'hello_ack', proof, skill_version: '7' } })
    await settled()
  }
  let asked = 0
  const ask = async (method: string, params: object = {}): Promise<any> => {
    const id = `r${++asked}`
    await links.at(-1)!.says({ id, method, params })
    for (let turn = 0; turn < 50; turn++) {
      const answer = links.at(-1)!.sent.find((frame) => frame.id === id)
      if (answer) return answer.result ?? answer.error
      await settled()
    }
    throw new Error(`no answer to ${method}`)
  }
  const announced = () => links.at(-1)!.sent.filter(({ method }) => method === 'request').map(({ params }) => params)
  return { plugin, world, logseq, links, timers, greet, ask, announced }
}

for (const kind of ['og', 'db'] as const) {
  test(`a request about a block waits until it is answered, on a ${kind} graph`, async () => {
    const { plugin, greet, ask, announced } = await openPlugin(kind)
    await greet()
    assert.match(await plugin.askAgent(known.child), /^Queued/)
    const { requests } = await ask('requests.list')
    assert.deepEqual(requests.map(({ blocks }: any) => blocks), [[known.child]])
    assert.deepEqual(announced(), requests)
    assert.equal(plugin.state().waiting, 1)
    assert.deepEqual(await ask('requests.close', { id: requests[0].id }), {})
    assert.deepEqual(await ask('requests.list'), { requests: [] })
    assert.equal((await ask('requests.close', { id: requests[0].id })).code, 'NOT_FOUND')
    assert.equal(plugin.state().waiting, 0)
  })
}

test('without a block it is about the selection, the block being edited, or the page', async () => {
  const { plugin, world, logseq, greet, ask } = await openPlugin('db')
  await greet()
  assert.equal(await plugin.askAgent(), 'There is nothing here that an agent may see.')
  const page = world.byUUID(known.child)![':block/page'].id
  const uuid = world.pull(page)[':block/uuid']
  logseq.get_current_page = () => ({ uuid })
  await plugin.askAgent()
  logseq.get_current_block = () => ({ uuid: known.first })
  await plugin.askAgent()
  logseq.get_selected_blocks = () => [{ uuid: known.first }, { uuid: known.second }]
  await plugin.askAgent()
  const { requests } = await ask('requests.list')
  assert.deepEqual(requests.map(({ page, blocks }: any) => [page, blocks]), [[uuid, []], [undefined, [known.first]], [undefined, [known.first, known.second]]])
})

test('what was asked while nothing was connected is told at the next connection', async () => {
  const { plugin, greet, announced, ask, links, timers } = await openPlugin('og')
  assert.match(await plugin.askAgent(known.first), /not connected/)
  await greet()
  assert.deepEqual(announced().map(({ blocks }) => blocks), [[known.first]])
  links.at(-1)!.close(1006, '')
  await timers.pass(1000)
  await greet()
  assert.equal(announced().length, 1, 'and again at the one after it')
  assert.equal((await ask('requests.list')).requests.length, 1)
})

test('about what the settings hide nothing is asked, and what is hidden later is gone', async () => {
  const settings: Record<string, unknown> = { excludedPages: 'books' }
  const { plugin, greet, ask, announced } = await openPlugin('db', settings)
  await greet()
  assert.equal(await plugin.askAgent(known.first), 'There is nothing here that an agent may see.')
  assert.deepEqual([announced(), await ask('requests.list')], [[], { requests: [] }])
  settings.excludedPages = ''
  plugin.reconnect()
  await greet()
  await plugin.askAgent(known.first)
  assert.equal((await ask('requests.list')).requests.length, 1)
  settings.excludedPages = 'books'
  plugin.reconnect()
  await greet()
  assert.deepEqual(await ask('requests.list'), { requests: [] })
})

test('the newest fifty of all graphs are kept, and a graph has its own', () => {
  const queue = new RequestQueue(() => 1)
  const first = queue.add('a', { blocks: [nonce()] })
  for (let n = 0; n < 49; n++) queue.add('b', { blocks: [] })
  assert.deepEqual([queue.list('a').length, queue.list('b').length, queue.list('c').length], [1, 49, 0])
  assert.equal(queue.remove('b', first.id), false, 'not that of another graph')
  queue.add('b', { blocks: [] })
  assert.deepEqual([queue.list('a').length, queue.list('b').length], [0, 50])
})
