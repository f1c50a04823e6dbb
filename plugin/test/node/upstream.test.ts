import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offeredCapabilities } from '../../src/capabilities'
import { OpenGraph } from '../../src/graph'
import { Host } from '../../src/host'
import { run } from '../../src/methods'
import { api } from '../host/api'
import { known, seed } from '../host/seed'

// What Logseq's own tests of its plugin API say of DB graphs (property types
// are inferred, values are entities, a batch answers every block): first that
// the test host keeps to it, then that the plugin reads it as a person would.

function open() {
  const world = seed('db', 'demo')
  const logseq = api(() => world)
  const graph = new OpenGraph(new Host(async (method, args) => logseq[method]!(...args)), 'db', { pages: [], tags: [] })
  const capabilities = offeredCapabilities({ kind: 'db', missing: new Set(), readOnly: false, hiding: false })
  const ask = (method: string, params: Record<string, unknown>): Promise<any> => run({ graph, readOnly: false, capabilities }, method, params)
  return { world, logseq, ask }
}

const given = { x1: true, x2: 'https://logseq.com', x3: 1, x4: [1, 2], x5: { foo: 'bar' }, x8: 'some content' }
const own = (name: string) => `:plugin.property.logseq-lectern/${name}`

test('property values of a DB graph are stored as Logseq stores them', () => {
  const { world, logseq } = open()
  for (const [key, value] of Object.entries(given)) logseq.upsert_block_property!(known.second, key, value, { reset: true })
  const row = world.byUUID(known.second)!
  const value = (name: string) => world.pull(row[own(name)].id)
  assert.equal(row[own('x1')], true)
  assert.equal(value('x2')[':block/title'], 'https://logseq.com')
  assert.equal(value('x3')[':logseq.property/value'], 1)
  assert.deepEqual(row[own('x4')].map(({ id }: any) => world.pull(id)[':logseq.property/value']).sort(), [1, 2])
  assert.equal(row[own('x5')], '{"foo":"bar"}')
  assert.equal(value('x8')[':block/title'], 'some content')
  assert.equal(value('x8')[':block/page'].id, row[':block/page'].id)
  const types = ['x1', 'x2', 'x3', 'x4', 'x5', 'x8'].map((name) => world.find(':db/ident', own(name))![':logseq.property/type'])
  assert.deepEqual(types, [':checkbox', ':url', ':number', ':number', ':json', ':default'])
  assert.throws(() => logseq.upsert_block_property!(known.second, 'x8', ['a', 'b']), /cardinality/)
})

test('the plugin reads them as they were given, and shows no value as a block', async () => {
  const { ask } = open()
  const before = await ask('pages.tree', { page: 'Books' })
  const block = await ask('blocks.update', { uuid: known.second, properties: given })
  assert.deepEqual({ ...block.properties, x4: block.properties.x4.sort() }, given)
  const changed = await ask('blocks.update', { uuid: known.second, properties: { x1: false, x4: [3], x8: 'other' } })
  assert.deepEqual(changed.properties, { ...given, x1: false, x4: [3], x8: 'other' })
  const none = Object.fromEntries(Object.keys(given).map((key) => [key, null]))
  assert.deepEqual((await ask('blocks.update', { uuid: known.second, properties: none })).properties, {})
  assert.deepEqual(await ask('pages.tree', { page: 'Books' }), before)
})

test('a batch answers every block, each before its children', () => {
  const { world, logseq } = open()
  const page = world.find(':block/name', 'reviews')![':block/uuid']
  const batch = [{ content: 'b1', children: [{ content: 'b1.1', children: [{ content: 'b1.1.1' }, { content: 'b1.1.2' }] }, { content: 'b1.2' }] }, { content: 'b2' }]
  const made = logseq.insert_batch_block!(page, batch, { sibling: false }) as any[]
  assert.deepEqual(made.map(({ title }) => title), ['b1', 'b1.1', 'b1.1.1', 'b1.1.2', 'b1.2', 'b2'])
})

test('a number for a text property is text, and no reference to whatever has that id', async () => {
  const { world, ask } = open()
  const id = world.find(':block/name', 'diary')!.id as number
  await ask('blocks.update', { uuid: known.second, properties: { x8: 'some content' } })
  assert.deepEqual((await ask('blocks.update', { uuid: known.second, properties: { x8: id } })).properties, { x8: String(id) })
  assert.deepEqual((await ask('blocks.update', { uuid: known.first, properties: { Rating: id } })).properties, { Rating: id })
})

test('what is no choice of a property takes the old value away, so the plugin refuses it', async () => {
  const { world, logseq, ask } = open()
  const priority = async () => (await ask('blocks.get', { uuid: known.task })).priority
  logseq.upsert_block_property!(known.task, ':logseq.property/priority', 'Sometime', { reset: true })
  assert.equal(await priority(), undefined, 'as Logseq has it')

  await ask('blocks.update', { uuid: known.task, properties: { priority: 'high' } })
  assert.equal(await priority(), 'High')
  const pages = world.all(':block/name', 'shelf').length
  const draft = (more: object) => ({ uuid: crypto.randomUUID(), content: 'x', ...more })
  const bad = { properties: { Priority: 'Sometime' } }
  for (const [method, params] of [
    ['blocks.update', { uuid: known.task, content: 'other words', ...bad }],
    ['blocks.update', { uuid: known.task, properties: { Rating: 5, Priority: ['High', 'Sometime'] } }],
    ['blocks.update', { uuid: known.task, properties: { Priority: 3 } }],
    ['blocks.create', { target: known.first, place: 'last', ...draft(bad) }],
    ['blocks.insert', { target: known.first, place: 'last', blocks: [draft({ children: [draft(bad)] })] }],
    ['pages.create', { title: 'Shelf', ...bad }],
    ['pages.update', { page: 'Books', properties: { Rating: 5, ...bad.properties } }],
  ] as const) {
    const before = await ask('pages.tree', { page: 'Books' })
    await assert.rejects(ask(method, params), (thrown: any) => {
      assert.equal(thrown.code, 'INVALID_INPUT', `${method}: ${thrown.message}`)
      assert.match(thrown.message, /priority \(default\) takes (one of Low, Medium, High, Urgent|one value), got ["3[]/i)
      return true
    })
    assert.deepEqual(await ask('pages.tree', { page: 'Books' }), before, method)
  }
  const task = await ask('blocks.get', { uuid: known.task })
  assert.deepEqual([task.content, task.priority, task.properties.Rating], ['water the plants', 'High', undefined])
  assert.equal(world.all(':block/name', 'shelf').length, pages)
})

test('a journal of a DB graph is named as the settings say', async () => {
  const { ask } = open()
  assert.equal((await ask('journals.create', { day: '2026-11-21' })).page.name, 'Nov 21st, 2026')
})
