import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { offeredCapabilities } from '../../src/capabilities'
import { OpenGraph } from '../../src/graph'
import { Host } from '../../src/host'
import { run } from '../../src/methods'
import { api } from '../host/api'
import { addProperty } from '../host/dbproperties'
import { known, seed } from '../host/seed'

function open(kind: 'og' | 'db', hidden = { pages: [] as string[], tags: [] as string[] }) {
  const world = seed(kind, 'demo')
  const logseq = api(() => world)
  const of = kind === 'og' ? 'file' : 'db'
  const graph = new OpenGraph(new Host(async (method, args) => logseq[method]!(...args)), of, hidden)
  const capabilities = offeredCapabilities({ kind: of, missing: new Set(), readOnly: false, hiding: false })
  const ask = (method: string, params: Record<string, unknown> = {}): Promise<any> => run({ graph, readOnly: false, capabilities }, method, params)
  return { world, graph, ask }
}

// A hub that hides pages asks for bare answers: no name comes that it did not ask for.
describe('bare answers', () => {
  test('leave references in texts as they are stored', async () => {
    for (const kind of ['og', 'db'] as const) {
      const { ask } = open(kind)
      const block = await ask('blocks.get', { uuid: known.refers, bare: true })
      assert.match(block.content, kind === 'og' ? new RegExp(`^see \\(\\(${known.first}\\)\\)$`) : /^see \[\[[0-9a-f-]{36}\]\]$/)
      assert.notEqual((await ask('blocks.get', { uuid: known.refers })).content, block.content)
    }
  })

  test('of a DB graph name no tag and no value that is a page, and still say what kind of task it is', async () => {
    const { world, ask } = open('db')
    const books = world.find(':block/name', 'books')!
    addProperty(world, ':user.property/about-1', 'About', ':node')
    world.set(world.byUUID(known.secret)!.id, { ':user.property/about-1': { ':db/id': books.id } })
    const block = await ask('blocks.get', { uuid: known.secret, bare: true })
    assert.match(block.tags[0], /^\[\[[0-9a-f-]{36}\]\]$/)
    assert.equal(JSON.stringify(block.properties).includes('Books'), false)
    assert.equal(block.page.name, 'Diary')
    const task = await ask('blocks.get', { uuid: known.task, bare: true })
    assert.deepEqual([task.marker, task.priority], ['Todo', 'High'])
  })

  test("do not undo what the plugin's own settings hide", async () => {
    for (const kind of ['og', 'db'] as const) {
      const { ask } = open(kind, { pages: ['books'], tags: ['private'] })
      await assert.rejects(ask('blocks.get', { uuid: known.secret, bare: true }), /no block/)
      await assert.rejects(ask('blocks.get', { uuid: known.first, bare: true }), /no block/)
      assert.deepEqual((await ask('pages.tree', { page: 'Diary', bare: true })).blocks, [])
    }
  })

  test('of a file graph say where a tag or property stands', async () => {
    const { ask } = open('og')
    await ask('pages.update', { page: 'Books', properties: { shelf: 'top' } })
    const { tags } = await ask('tags.list', { bare: true })
    const tag = tags.find((one: any) => one.name === 'private')
    assert.deepEqual(tag.uses.map((use: any) => use.uuid), [known.secret])
    const { properties } = await ask('properties.list', { bare: true })
    const shelf = properties.find((one: any) => one.name === 'shelf')
    const { uuid } = await ask('pages.get', { page: 'Books' })
    assert.deepEqual(shelf.uses, [{ uuid }])
    assert.equal('uses' in (await ask('tags.list')).tags[0], false)
  })

  test('a scan does without the ranking of Logseq', async () => {
    const { graph, ask } = open('db')
    graph.host.search = () => assert.fail('asked Logseq to rank')
    const found = await ask('search', { query: 'LEND', limit: 10, scan: true })
    assert.deepEqual(found.blocks.map((block: any) => block.uuid), [known.second])
  })
})
