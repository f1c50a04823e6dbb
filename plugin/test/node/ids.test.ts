import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesOf } from '../host/ogfiles'
import { known } from '../host/seed'
import { openSeed } from './methods'

// Ids in the files of a file graph: only where something refers to a block.

const uuid = () => crypto.randomUUID() as string
const idsIn = (text: string | undefined) => [...(text ?? '').matchAll(/id:: (\S+)/g)].map((m) => m[1])

test('what is written has no id in its file, and is found by its uuid', async () => {
  const { ask, world } = openSeed('og')
  const before = idsIn(filesOf(world)['pages/Books.md'])
  const [one, two, three, four] = [uuid(), uuid(), uuid(), uuid()]
  await ask('blocks.create', { uuid: one, target: 'Books', place: 'first', content: 'one', properties: { mood: 'fine' } })
  await ask('blocks.insert', { target: one, place: 'after', blocks: [{ uuid: two, content: 'two\nlines', children: [{ uuid: three, content: 'three' }] }] })
  await ask('pages.append', { page: 'Books', uuid: four, content: 'four' })
  const file = filesOf(world)['pages/Books.md']!
  assert.match(file, /^- one\n {2}mood:: fine\n- two\n {2}lines\n\t- three\n/)
  assert.deepEqual(idsIn(file), before)
  for (const one_ of [one, two, three, four]) assert.equal((await ask('blocks.get', { uuid: one_, depth: 0 })).uuid, one_)
  await ask('blocks.update', { uuid: two, content: 'other' })
  await ask('blocks.move', { uuid: two, target: one, place: 'before' })
  assert.deepEqual(idsIn(filesOf(world)['pages/Books.md']), before)
  assert.equal((await ask('blocks.get', { uuid: two, depth: 0 })).content, 'other')
})

test('a reference writes the id of its block, and a state without it takes it off', async () => {
  const { ask, world } = openSeed('og')
  const [plain, from] = [uuid(), uuid()]
  await ask('blocks.create', { uuid: plain, target: 'Reviews', place: 'last', content: 'plain' })
  const before = await ask('blocks.state', { uuid: plain })
  assert.equal(before.text, 'plain')
  for (const [method, params] of [
    ['blocks.create', { uuid: from, target: 'Books', place: 'last', content: `see ((${plain}))`, keep: [plain] }],
    ['pages.append', { uuid: uuid(), page: 'Books', content: `see ((${plain}))`, keep: [plain] }],
    ['blocks.update', { uuid: known.second, content: `see ((${plain}))`, keep: [plain] }],
    ['blocks.insert', { target: 'Books', place: 'last', blocks: [{ uuid: uuid(), content: 'a', children: [{ uuid: uuid(), content: `((${plain}))`, keep: [plain] }] }] }],
  ] as const) {
    await ask(method, params)
    assert.equal((await ask('blocks.state', { uuid: plain })).text, `plain\nid:: ${plain}`, method)
    await ask('blocks.exact', { ...before, properties: {}, tags: [] })
    assert.equal((await ask('blocks.state', { uuid: plain })).text, 'plain', method)
  }
  assert.match(filesOf(world)['pages/Reviews.md']!, /- plain$/)
})

test('what was deleted comes back with the id that it had, or without one', async () => {
  const { ask } = openSeed('og')
  const plain = uuid()
  await ask('blocks.create', { uuid: plain, target: 'Books', place: 'first', content: 'plain' })
  for (const one of [plain, known.first]) {
    const was = await ask('blocks.state', { uuid: one, children: true })
    await ask('blocks.delete', { uuid: one })
    const states = (of: any): any => ({ ...of, properties: {}, tags: [], ...(of.children ? { children: of.children.map(states) } : {}) })
    await ask('blocks.restore', { page: 'Books', ...(was.after ? { after: was.after } : {}), blocks: [states(was)] })
    assert.deepEqual(await ask('blocks.state', { uuid: one, children: true }), was)
  }
})

test('a reference to what the settings hide writes nothing there', async () => {
  const { ask, world } = openSeed('og', { pages: ['reviews'], tags: [] })
  const before = filesOf(world)['pages/Reviews.md']
  await ask('blocks.create', { uuid: uuid(), target: 'Books', place: 'last', content: `((${known.refers}))`, keep: [known.refers] })
  assert.equal(filesOf(world)['pages/Reviews.md'], before)
})

test('on a DB graph nothing is said of ids', async () => {
  const { ask, graph } = openSeed('db')
  assert.equal(graph.write.keepIDs, undefined)
  await ask('blocks.create', { uuid: uuid(), target: 'Books', place: 'last', content: 'x', keep: [known.second] })
  assert.deepEqual((await ask('blocks.state', { uuid: known.second })).text, 'Lend it to Ada')
})
