import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { offeredCapabilities } from '../../src/capabilities'
import { OpenGraph } from '../../src/graph'
import { Host } from '../../src/host'
import { run } from '../../src/methods'
import { api } from '../host/api'
import { known, seed } from '../host/seed'

// Days of a DB graph are moments, and what day a moment is depends on where
// the person is.

const here = process.env.TZ

for (const zone of ['America/New_York', 'Europe/Berlin', 'Asia/Tokyo']) {
  describe(`days in ${zone}`, () => {
    afterEach(() => {
      if (here === undefined) delete process.env.TZ
      else process.env.TZ = here
    })

    const open = () => {
      process.env.TZ = zone
      const world = seed('db', 'demo')
      const logseq = api(() => world)
      const graph = new OpenGraph(new Host(async (method, args) => logseq[method]!(...args)), 'db', { pages: [], tags: [] })
      const capabilities = offeredCapabilities({ kind: 'db', missing: new Set(), readOnly: false, hiding: false })
      const ask = (method: string, params: Record<string, unknown> = {}): Promise<any> => run({ graph, readOnly: false, capabilities }, method, params)
      return { world, logseq, ask }
    }

    test('a deadline is the day that was given, for Logseq too', async () => {
      const { world, ask } = open()
      const set = await ask('tasks.set', { uuid: known.task, deadline: '2026-12-24' })
      assert.equal(set.deadline, 20261224)
      assert.equal(world.byUUID(known.task)![':logseq.property/deadline'], new Date(2026, 11, 24).getTime())
      const { blocks } = await ask('tasks.list', { from: 20261224, to: 20261224 })
      assert.deepEqual(blocks.map((one: any) => one.uuid), [known.task])
    })

    test("a person's day is read as that day, in the morning and at night", async () => {
      const { logseq, ask } = open()
      for (const hour of [0, 23]) {
        logseq.upsert_block_property!(known.task, ':logseq.property/scheduled', new Date(2026, 11, 24, hour).getTime(), { reset: true })
        assert.equal((await ask('blocks.get', { uuid: known.task })).scheduled, 20261224)
      }
    })

    test('a journal is that of the day', async () => {
      const { ask } = open()
      assert.equal((await ask('journals.create', { day: '2026-11-21' })).page.journal_day, 20261121)
    })
  })
}
