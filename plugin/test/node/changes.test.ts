import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChangeNotice, Changes } from '../../src/changes'
import { Exclusions } from '../../src/exclusions'
import type { OpenGraph } from '../../src/graph'
import { Host } from '../../src/host'
import { Reader } from '../../src/reader'
import { dbDialect } from '../../src/adapters/db'
import { Fault } from '../../src/fault'
import { seed, known } from '../host/seed'
import { FakeTimers, settled } from './stage'

/** A graph without a browser: the plugin's reader on the test host's database. */
function graph(hidden = { pages: [] as string[], tags: [] as string[] }) {
  const world = seed('db', 'demo')
  const host = new Host(async (_method, [query, ...inputs]) => world.query(query as string, inputs))
  const reader = new Reader(host, dbDialect)
  return { world, reader, visible: new Exclusions(reader, hidden) }
}

function listen(open: ReturnType<typeof graph>) {
  const timers = new FakeTimers()
  const told: ChangeNotice[] = []
  const changes = new Changes(() => open as unknown as OpenGraph, (changed) => void told.push(changed), timers, (thrown) => assert.fail(String(thrown)))
  open.world.heard = (event) => changes.handleEvent(event)
  return { timers, told, changes }
}

test('many changes are one notification, four a second at most', async () => {
  const open = graph()
  const { timers, told } = listen(open)
  for (const text of ['a', 'b', 'c']) open.world.set(open.world.byUUID(known.first)!.id, { ':block/title': text })
  await timers.pass(249)
  assert.equal(told.length, 0)
  await timers.pass(1)
  await settled()
  assert.deepEqual(told, [{ blocks: [{ uuid: known.first, page: 'Books' }], pages: ['Books'], deleted: [] }])
})

test('blocks that come without an id are known by their uuid', async () => {
  const { timers, told, changes } = listen(graph())
  changes.handleEvent({ blocks: [{ uuid: known.second }, null, { uuid: 'odd' }], deletedBlockUuids: [known.child] })
  await timers.pass(250)
  await settled()
  assert.deepEqual(told, [{ blocks: [{ uuid: known.second, page: 'Books' }], pages: ['Books'], deleted: [known.child] }])
})

test('what is deleted is told by its uuid, what is too much by "more"', async () => {
  const open = graph()
  const { timers, told, changes } = listen(open)
  open.world.retract([open.world.byUUID(known.child)!.id])
  changes.handleEvent({ txData: Array.from({ length: 300 }, (_, at) => [at, 'uuid', `u${at}`, 1, false]) })
  await timers.pass(250)
  await settled()
  assert.equal(told[0]!.deleted.length, 200)
  assert.ok(told[0]!.deleted.includes(known.child))
  assert.equal(told[0]!.more, true)
})

test('hidden pages and tags are not told of', async () => {
  const open = graph({ pages: ['books'], tags: ['private'] })
  const { timers, told } = listen(open)
  for (const uuid of [known.first, known.secret, known.below]) open.world.set(open.world.byUUID(uuid)!.id, { ':block/title': 'x' })
  await timers.pass(250)
  await settled()
  assert.deepEqual(told, [])
})

// Logseq tells of the page with each of its blocks: its own code was recorded to.
test('a page is told of for what is its own, not for the hidden block that was written on it', async () => {
  const open = graph({ pages: [], tags: ['private'] })
  const { timers, told } = listen(open)
  const [block, page] = [open.world.byUUID(known.below)!.id, open.world.pageOf(open.world.byUUID(known.below)!)]
  const heard: [number, string, unknown, number, boolean][][] = []
  open.world.heard = ((before) => (event) => (heard.push(event.txData), before!(event)))(open.world.heard)
  open.world.operate('save-block', () => {
    open.world.set(block, { ':block/title': 'typed' })
    open.world.set(page, { ':block/updated-at': open.world.now() })
  })
  await timers.pass(250)
  await settled()
  assert.ok(heard[0]!.some(([id]) => id === page), 'the event has the page')
  assert.deepEqual(told, [])
  open.world.operate('rename-page', () => open.world.set(page, { ':block/title': 'Journal of mine', ':block/updated-at': open.world.now() }))
  await timers.pass(250)
  await settled()
  assert.deepEqual(told.map(({ pages }) => pages), [['Journal of mine']])
})

test('patterns hide pages and whole namespaces', () => {
  const { visible } = graph({ pages: ['diary', 'work/*'], tags: [] })
  const hides = (name: string) => visible.hides({ uuid: '', name, kind: 'page', properties: {}, tags: [], recycled: false })
  assert.deepEqual(['Diary', 'Work', 'work/Plans', 'Workshop', 'Diary two'].map(hides), [true, true, true, false, false])
})

test('a host that does not answer in time is late, not wrong', async () => {
  const host = new Host(() => new Promise(() => {}), 1)
  await assert.rejects(host.removeBlock('u'), (thrown) => thrown instanceof Fault && thrown.code === 'TIMEOUT' && thrown.data?.applied === 'unknown')
})

test('what was begun in one graph does not go on in another', async () => {
  let open = true
  const asked: string[] = []
  const host = new Host(async (method) => void asked.push(method)).while(() => open)
  await host.removeBlock('u')
  open = false
  await assert.rejects(host.removeBlock('v'), /another graph/)
  assert.deepEqual(asked, ['remove_block'])
})

test('a missing method is told once and remembered', async () => {
  const told: string[] = []
  const host = new Host(async (method) => {
    throw new Error(`Not existed method #${method}`)
  })
  host.onMissing = (method) => told.push(method)
  for (const ask of [host.moveBlock('a', 'b', {}), host.moveBlock('a', 'b', {})]) {
    await assert.rejects(ask, (thrown) => thrown instanceof Fault && thrown.code === 'CAPABILITY_MISSING')
  }
  assert.deepEqual([told, [...host.missing]], [['move_block'], ['move_block']])
})
