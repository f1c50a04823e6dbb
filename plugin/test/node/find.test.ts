import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dbDialect } from '../../src/adapters/db'
import { Host } from '../../src/host'
import { Reader } from '../../src/reader'
import { addProperty } from '../host/dbproperties'
import { openSeed } from './methods'
import { known } from '../host/seed'

// find, on the stand-in's database: everything that the plugin decides.

type Ask = (method: string, params: Record<string, unknown>) => Promise<any>

/** Names of pages and texts of blocks, and the total. */
async function found(ask: Ask, params: Record<string, unknown>): Promise<[string[], number]> {
  const { found, total } = await ask('find', params)
  return [found.map(({ page, block }: any) => page?.name ?? block.content), total]
}

for (const kind of ['og', 'db'] as const) {
  describe(`find on a ${kind} graph`, () => {
    test('by tag, state, words, namespace and days', async () => {
      const { ask, logseq } = openSeed(kind)
      const marked = kind === 'og' ? 'TODO [#A] water the plants' : 'water the plants'
      const secret = kind === 'og' ? 'nobody reads this #private' : 'nobody reads this'
      assert.deepEqual(await found(ask, { tag: 'private' }), [[secret], 1])
      assert.deepEqual(await found(ask, { tag: '#Private', kind: 'blocks' }), [[secret], 1])
      assert.deepEqual(await found(ask, { tag: 'private', kind: 'pages' }), [[], 0])
      assert.deepEqual(await found(ask, { tag: 'nobody' }), [[], 0])
      assert.deepEqual(await found(ask, { any_task: true }), [[marked], 1])
      assert.deepEqual(await found(ask, { any_task: true, task: ['todo'] }), [[marked], 1])
      assert.deepEqual(await found(ask, { any_task: true, task: ['DONE'] }), [[], 0])
      assert.deepEqual(await found(ask, { text: 'it lend', kind: 'blocks' }), [['Lend it to Ada'], 1])
      assert.deepEqual(await found(ask, { text: 'books', kind: 'pages' }), [['Books'], 1])
      assert.deepEqual(await found(ask, { from: 20261120, to: 20261120 }), [['Nov 20th, 2026', marked], 2])
      assert.deepEqual(await found(ask, { from: 20261121 }), [[], 0])
      logseq.create_page!('Books/Old', {}, { redirect: false })
      const paths = (await found(ask, { namespace: 'books', kind: 'pages' }))[0]
      assert.ok(paths.includes('Books/Old'), JSON.stringify(paths))
      const below = await found(ask, { namespace: 'Books', kind: 'blocks', text: 'chapter' })
      assert.deepEqual(below, [['chapter one'], 1])
      assert.deepEqual(await found(ask, { namespace: 'Boo' }), [[], 0])
    })

    test('by an existing property, in parts', async () => {
      const { ask } = openSeed(kind)
      await ask('blocks.update', { uuid: known.first, properties: { mood: 'fine' } })
      await ask('blocks.update', { uuid: known.second, properties: { mood: 'odd' } })
      const all = ['Read [[Middlemarch]] again', 'Lend it to Ada']
      assert.deepEqual(await found(ask, { properties: ['Mood'] }), [all, 2])
      assert.deepEqual(await found(ask, { properties: ['mood'], limit: 1 }), [all.slice(0, 1), 2])
      assert.deepEqual(await found(ask, { properties: ['mood'], limit: 1, offset: 1 }), [all.slice(1), 2])
      assert.deepEqual(await found(ask, { properties: ['mood', 'none'] }), [[], 0])
      assert.deepEqual((await found(ask, { properties: ['priority'] }))[1], 1)
    })

    test('not what is in the recycle bin or hidden by the settings', async () => {
      const { ask } = openSeed(kind)
      await ask('pages.delete', { page: 'Books' })
      assert.deepEqual(await found(ask, { text: 'lend' }), [[], 0])
      const hiding = openSeed(kind, { pages: ['diary'], tags: [] })
      assert.deepEqual(await found(hiding.ask, { tag: 'private' }), [[], 0])
      const tagged = openSeed(kind, { pages: [], tags: ['private'] })
      assert.deepEqual(await found(tagged.ask, { text: 'nor this' }), [[], 0])
    })
  })
}

test('find on a DB graph: a tag also means those that extend it, and a property all of its name', async () => {
  const { ask, world, logseq } = openSeed('db')
  const tag = logseq.create_tag!('Work', {}) as { uuid: string }
  const below = logseq.create_tag!('Meeting', {}) as { uuid: string; id: number }
  world.set(below.id, { ':logseq.property.class/extends': [world.byUUID(tag.uuid)!.id] })
  logseq.add_block_tag!(known.second, below.uuid)
  assert.deepEqual(await found(ask, { tag: 'work' }), [['Lend it to Ada'], 1])
  assert.deepEqual(await found(ask, { tag: tag.uuid }), [['Lend it to Ada'], 1])
  addProperty(world, ':user.property/Mood', 'Mood', ':default')
  logseq.upsert_block_property!(known.second, ':user.property/Mood', 'fine', {})
  logseq.upsert_block_property!(known.first, 'mood', 'odd', {})
  assert.equal((await found(ask, { properties: ['mood'] }))[1], 2)
})

test('rows come in the order in which they were made, whatever the order of the set', async () => {
  const answered = [[{ id: 31, uuid: 'c' }], [{ id: 7, uuid: 'a' }], [{ id: 12, uuid: 'b' }]]
  const reader = new Reader(new Host(async () => answered), dbDialect)
  assert.deepEqual((await reader.pull('?b', '[?b :block/page _]')).map(({ uuid }) => uuid), ['a', 'b', 'c'])
})
