import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSeed } from './methods'
import { known } from '../host/seed'

// Tags and properties as entities, on the stand-in's DB graph.

test('a tag is created, extended, put on blocks and pages and taken off', async () => {
  const { ask } = openSeed('db')
  await ask('properties.create', { name: 'Pages', type: 'number' })
  const made = await ask('tags.create', { name: 'Book', properties: ['pages'] })
  assert.deepEqual([made.existed, made.page.name, made.page.kind], [false, 'Book', 'tag'])
  const again = await ask('tags.create', { name: 'book', extends: ['private'] })
  assert.deepEqual([again.existed, again.page.uuid], [true, made.page.uuid])
  assert.deepEqual((await ask('tags.set', { uuid: known.second, add: ['Book'] })).tags, ['Book'])
  const page = await ask('pages.get', { page: 'Books' })
  assert.deepEqual((await ask('tags.set', { uuid: page.uuid, add: [made.page.uuid] })).tags, ['Book'])
  const found = await ask('find', { tag: 'private' })
  assert.equal(found.total, 3, 'what extends a tag has it')
  assert.deepEqual((await ask('tags.set', { uuid: known.second, remove: ['Book'] })).tags, [])
})

test('a tag or property that is not there is not found, and nothing is written before', async () => {
  const { ask } = openSeed('db')
  await assert.rejects(ask('tags.set', { uuid: known.second, add: ['private', 'nothing'] }), /no tag/)
  assert.deepEqual((await ask('blocks.get', { uuid: known.second })).tags, [])
  await assert.rejects(ask('tags.create', { name: 'New', properties: ['nothing'] }), /no property/)
  assert.equal((await ask('tags.list', {})).tags.some(({ name }: any) => name === 'New'), false)
  await assert.rejects(ask('tags.create', { name: 'a/b' }), /slash/)
})

test('a property has the type it was created with, and what does not fit is refused', async () => {
  const { ask } = openSeed('db')
  const made = await ask('properties.create', { name: 'Sown on', type: 'date', many: true })
  assert.deepEqual([made.name, made.type, made.many], ['Sown on', 'date', true])
  await assert.rejects(ask('properties.create', { name: 'sown on' }), /already/)
  await assert.rejects(ask('blocks.update', { uuid: known.second, properties: { 'Sown on': ['soon'] } }), /takes a day/)
  const block = await ask('blocks.update', { uuid: known.second, properties: { 'Sown on': ['2026-03-01'] } })
  assert.deepEqual(block.properties['Sown on'], ['Mar 1st, 2026'])
})

test('a tag and a property that were created go again', async () => {
  const { ask } = openSeed('db')
  for (const [method, name] of [['tags.create', 'Book'], ['properties.create', 'Sown']] as const) {
    await ask(method, { name })
    await ask('pages.delete', { page: name })
    const left = await ask('pages.state', { page: name }).catch(() => undefined)
    assert.ok(left === undefined || left.recycled, name)
  }
  assert.deepEqual((await ask('properties.list', {})).properties.filter(({ name }: any) => name === 'Sown'), [])
})

test('a tag that the settings hide is no tag', async () => {
  const { ask } = openSeed('db', { pages: ['private'], tags: [] })
  await assert.rejects(ask('tags.set', { uuid: known.second, add: ['private'] }), /no tag/)
})
