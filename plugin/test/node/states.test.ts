import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { offeredCapabilities } from '../../src/capabilities'
import { OpenGraph } from '../../src/graph'
import { Host } from '../../src/host'
import { run } from '../../src/methods'
import { api } from '../host/api'
import { addProperty } from '../host/dbproperties'
import { known, seed } from '../host/seed'

/** The plugin's methods on the test host's database, without a browser. */
function open(kind: 'og' | 'db') {
  const world = seed(kind, 'demo')
  const logseq = api(() => world)
  const of = kind === 'og' ? 'file' : 'db'
  const host = new Host(async (method, args) => {
    if (!logseq[method]) throw new Error(`Not existed method #${method}`)
    return logseq[method](...args)
  })
  const graph = new OpenGraph(host, of, { pages: [], tags: [] })
  const capabilities = offeredCapabilities({ kind: of, missing: new Set(), readOnly: false, hiding: false })
  const ask = (method: string, params: Record<string, unknown>): Promise<any> => run({ graph, readOnly: false, capabilities }, method, params)
  const state = (uuid: string) => ask('blocks.state', { uuid, children: true })
  /** Everything a person would miss. */
  const all = async () => Promise.all((await graph.reader.pages()).map(({ uuid }) => ask('pages.state', { page: uuid, blocks: true })))
  return { world, logseq, graph, ask, state, all }
}

for (const kind of ['og', 'db'] as const) {
  describe(`states of a ${kind} graph`, () => {
    test('a tree that was deleted comes back as it was, uuids and place and all', async () => {
      const { ask, state, all, logseq, world } = open(kind)
      if (kind === 'db') {
        logseq.set_block_collapsed!(known.first, true)
        logseq.add_block_tag!(known.child, ':logseq.class/Task')
        addProperty(world, ':user.property/sees-ef56', 'Sees', ':node')
      }
      const before = await all()
      for (const uuid of [known.first, known.second, known.secret, known.task]) {
        const kept = await state(uuid)
        await ask('blocks.delete', { uuid })
        await assert.rejects(state(uuid), /no block/)
        const { page, parent, after, ...block } = kept
        await ask('blocks.restore', { page, parent, after, blocks: [block] })
        assert.deepEqual(await state(uuid), kept)
      }
      assert.deepEqual(await all(), before)
    })

    test('a block that was changed gets back text, properties and task', async () => {
      const { ask, all } = open(kind)
      const before = await all()
      for (const uuid of [known.first, known.task]) {
        const kept = await ask('blocks.state', { uuid })
        await ask('blocks.update', { uuid, content: 'other', properties: { mood: 'odd', ...(kind === 'db' ? { Rating: 9 } : {}) } })
        await ask('tasks.set', { uuid, status: 'done', priority: 'low', deadline: '2026-12-01' })
        assert.notDeepEqual(await ask('blocks.state', { uuid }), kept)
        await ask('blocks.exact', kept)
        assert.deepEqual(await ask('blocks.state', { uuid }), kept)
      }
      // The name of a property is a page of file graphs, and stays one.
      assert.deepEqual((await all()).filter(({ name }: any) => name !== 'mood'), before)
    })

    test('a page that was deleted comes back, with its blocks', async () => {
      const { ask, all } = open(kind)
      await ask('pages.update', { page: 'Books', properties: { shelf: 'top' } })
      const before = await all()
      const kept = await ask('pages.state', { page: 'Books', blocks: true })
      await ask('pages.delete', { page: 'Books' })
      if (kind === 'db') assert.equal((await ask('pages.state', { page: 'Books' })).recycled, true)
      const { blocks, ...page } = kept
      await ask('pages.restore', { page })
      const now = await ask('pages.state', { page: 'Books', blocks: true })
      if (!now.blocks) await ask('blocks.restore', { page: page.name, blocks })
      assert.deepEqual(await ask('pages.state', { page: 'Books', blocks: true }), kept)
      assert.deepEqual(await all(), before)
      await assert.rejects(ask('pages.restore', { page }), /already/)
    })

    test('a page gets back its properties, and loses those it did not have', async () => {
      const { ask } = open(kind)
      const bare = await ask('pages.state', { page: 'Books', blocks: true })
      await ask('pages.update', { page: 'Books', properties: { shelf: 'top' } })
      const dressed = await ask('pages.state', { page: 'Books', blocks: true })
      assert.notDeepEqual(dressed, bare)
      await ask('pages.update', { page: 'Books', properties: { shelf: 'low', more: '1' } })
      await ask('pages.exact', { page: dressed })
      assert.deepEqual(await ask('pages.state', { page: 'Books', blocks: true }), dressed)
      await ask('pages.exact', { page: bare })
      assert.deepEqual(await ask('pages.state', { page: 'Books', blocks: true }), bare)
    })

    test('a journal is kept by its day', async () => {
      const { ask } = open(kind)
      const { name, day, blocks } = await ask('pages.state', { day: '2026-11-20', blocks: true })
      assert.deepEqual([name, day, blocks.length], ['Nov 20th, 2026', 20261120, 1])
      await assert.rejects(ask('pages.state', { day: '2026-11-21' }), /no journal/)
    })

    test('who refers to a page or block is known', async () => {
      const { ask, graph } = open(kind)
      const { uuid } = (await graph.reader.page(kind === 'og' ? 'Middlemarch' : 'Books')).is
      assert.deepEqual((await ask('referrers', { uuid })).uuids, [kind === 'og' ? known.first : known.refers])
      if (kind === 'og') assert.deepEqual((await ask('referrers', { uuid: known.first })).uuids, [known.refers])
    })

    test('what a request lacks is refused by name', async () => {
      const { ask } = open(kind)
      await assert.rejects(ask('blocks.restore', { page: 'Books', blocks: [{ uuid: 'x', text: '' }] }), /uuid/)
      await assert.rejects(ask('pages.restore', { page: {} }), /name/)
      await assert.rejects(ask('blocks.restore', { page: 'Nowhere', blocks: [{ uuid: crypto.randomUUID(), text: '' }] }), /no block/)
    })
  })
}
