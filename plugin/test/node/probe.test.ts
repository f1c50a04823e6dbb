import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { lackingMethods, offeredCapabilities } from '../../src/capabilities'
import { Host } from '../../src/host'
import { openSeed } from './methods'

// What Logseq lacks is known before somebody asks for it, and to find out changes nothing.

for (const kind of ['og', 'db'] as const) {
  describe(`on a graph of kind ${kind}`, () => {
    const of = kind === 'og' ? 'file' : 'db'

    test('looking for methods that write changes nothing', async () => {
      const { world, logseq, graph } = openSeed(kind)
      const state = () => JSON.stringify(world.query('[:find ?e ?a ?v :where [?e ?a ?v]]', []))
      const before = state()
      await graph.host.probeWrites(of)
      assert.deepEqual([state(), [...graph.host.missing]], [before, []])
      assert.ok(logseq.move_block)
    })

    test('what is missing is known, and named', async () => {
      const { logseq } = openSeed(kind)
      for (const method of ['move_block', 'remove_block']) {
        const host = new Host((asked, args) => (asked === method ? Promise.reject(new Error(`Not existed method #${asked}`)) : Promise.resolve(logseq[asked]!(...args))))
        await host.probeWrites(of)
        const key = method === 'move_block' ? 'blocks.move' : 'blocks.delete'
        assert.equal(offeredCapabilities({ kind: of, missing: host.missing, readOnly: false, hiding: false }).includes(key), false)
        assert.deepEqual(lackingMethods(of, host.missing)[key], [method])
      }
    })

    test('a query, a property or a type that Logseq does not take is wrong in the request, in its own words', async () => {
      const { graph, ask } = openSeed(kind)
      const own = graph.host as unknown as { callLogseq: (method: string, args: unknown[]) => Promise<unknown> }
      const asked = own.callLogseq
      const refuse = (method: string) => (own.callLogseq = (name, args) => (name === method ? Promise.reject(new Error('no viable alternative')) : asked(name, args)))
      const is = (field: string) => (thrown: any) => thrown.code === 'INVALID_INPUT' && thrown.data.field === field && /no viable alternative/.test(thrown.message)
      refuse('datascript_query')
      await assert.rejects(ask('query', { query: '[:find ?a' }), is('query'))
      refuse('q')
      await assert.rejects(ask('query.own', { query: '(((' }), is('query'))
      refuse('upsert_block_property')
      const [block] = (own.callLogseq = asked, (await ask('pages.tree', { page: 'Books', depth: 1 })).blocks)
      refuse('upsert_block_property')
      await assert.rejects(ask('blocks.update', { uuid: block.uuid, properties: { mood: 'x' } }), is('properties'))
      if (kind === 'og') return
      refuse('upsert_property')
      await assert.rejects(ask('properties.create', { name: 'Sown', type: 'date' }), is('type'))
    })
  })
}
