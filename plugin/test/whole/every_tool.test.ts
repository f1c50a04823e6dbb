import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { methodsUsed, requiredMethods } from '../../src/capabilities'
import type { Window } from '../host/launch'
import { type Kind, matrix } from '../host/matrix'
import { known } from '../host/seed'
import { type Made, calls } from './calls'
import { Stage, connected, patience, skip, until } from './stage'

// Every tool that a client is offered, on both kinds of graph; and every
// capability missing in turn. A tool or a capability that is added without a
// call here fails.

const graphs = [
  { kind: 'og', graph: 'files' },
  { kind: 'db', graph: 'base' },
] as const

let stage: Stage
let offered: string[]
let folder: string

before(async () => {
  if (skip) return
  folder = await mkdtemp(path.join(tmpdir(), 'lectern-graph-'))
  await mkdir(path.join(folder, 'assets'))
  await writeFile(path.join(folder, 'assets', `${known.child}.png`), Buffer.from([0x89, 0x50, 0xff]))
  stage = await Stage.start(graphs.map(({ graph }) => graph), `graph_folder = "${folder}"\n`)
  // Those for an agent's own changes are the hub's and ask Logseq nothing of their own.
  offered = (await stage.agent.tools()).filter((tool) => tool !== 'list_changes' && tool !== 'undo_change').sort()
}, patience)

after(async () => {
  if (skip) return
  await stage.stop()
  await rm(folder, { recursive: true })
})

/** The tools whose own capability a kind of graph lacks. */
const absent = (kind: Kind) => new Set(matrix().filter(({ has }) => !has[kind]).flatMap(({ tools }) => tools))

for (const { kind, graph } of graphs) {
  describe(`every tool on a ${kind} graph`, { ...patience, skip }, () => {
    let window: Window
    const made: Made = {}
    before(async () => void (window = await stage.open(kind, graph)), patience)
    after(() => window.close())

    test('what is offered is what is called', () => {
      assert.deepEqual(calls.map(({ tool }) => tool).sort(), offered)
      const mine = new Set(matrix().flatMap(({ tools }) => tools))
      assert.deepEqual([...mine, 'batch', 'get_capabilities', 'ping'].sort(), offered)
    })

    test('get_capabilities says what the matrix says', async () => {
      const { capabilities } = await stage.ask(graph, 'get_capabilities')
      const said = capabilities.map(({ key, available }: any) => [key, available])
      assert.deepEqual(said, matrix().map(({ key, has }) => [key, has[kind]]))
    })

    for (const { tool, args, good, person, alone } of calls) {
      test(tool, async () => {
        await person?.(window)
        const before = await asked(window)
        if (absent(kind).has(tool)) {
          await stage.refused('CAPABILITY_MISSING', graph, tool, args(made))
          return
        }
        good(await stage.ask(graph, tool, args(made)), kind, made)
        if (!alone) assert.ok((await asked(window)) > before, 'Logseq was not asked')
      })
    }
  })

  describe(`every capability missing in turn on a ${kind} graph`, { ...patience, skip }, () => {
    let window: Window
    before(async () => void (window = await stage.open(kind, graph)), patience)
    after(() => window.close())

    let tags = 0 // a tag that exists is only extended

    /** The window again, in front of a Logseq without these methods. */
    const without = async (...methods: string[]) => {
      await window.heal()
      for (const method of methods) await window.fault(method, 'missing')
      await window.reload()
      await connected(window)
    }
    const lacking = async () => {
      const { capabilities } = await stage.ask(graph, 'get_capabilities')
      return new Set<string>(capabilities.filter(({ available }: any) => !available).map(({ key }: any) => key))
    }

    test('of each method of Logseq that some stand on', async () => {
      const gone = new Set<string>()
      for (const method of methodsUsed) {
        const rows = matrix().filter(({ key, has }) => has[kind] && requiredMethods(key, kind).includes(method))
        if (rows.length === 0) continue // the other kind's
        await without(method)
        for (const { key, tools } of rows) {
          gone.add(key)
          for (const tool of tools) await refusedWithout(key, tool)
        }
        await until(async () => rows.every(({ key }) => gone.has(key)) && isIn(rows.map(({ key }) => key), await lacking()))
        const stays = matrix().filter(({ key, has }) => has[kind] && !requiredMethods(key, kind).includes(method))
        for (const { key } of stays) assert.equal((await lacking()).has(key), false, `${key} is gone without ${method}`)
        if (method !== 'datascript_query') await stage.ask(graph, 'get_block', { block_uuid: known.first })
      }
      const all = matrix().filter(({ has }) => has[kind]).map(({ key }) => key)
      assert.deepEqual([...gone].sort(), all.sort(), 'every capability was missing once')
    })

    test('by the settings: read-only takes what writes, and leaves what reads', async () => {
      await window.close()
      window = await stage.open(kind, graph, { settings: { readOnly: true } })
      const { capabilities } = await stage.ask(graph, 'get_capabilities')
      const writes = capabilities.filter(({ key, available }: any) => !available && key !== 'templates')
      assert.ok(writes.length >= 9, JSON.stringify(writes))
      for (const { tools, key } of writes) for (const tool of tools) await refusedWithout(key, tool)
      await stage.refused('CAPABILITY_MISSING', graph, 'set_task', { block_uuid: known.task, status: 'DONE' })
      const batch = await stage.ask(graph, 'batch', { items: [{ tool: 'create_block', arguments: { page_name: 'Books', content: 'x' } }] })
      assert.deepEqual([batch.failed, batch.results[0].error.code], [1, 'CAPABILITY_MISSING'])
      await stage.ask(graph, 'get_page_content', { page_name: 'Books' })
    })

    async function refusedWithout(key: string, tool: string): Promise<void> {
      // append_to_journal writes on a page that may have to be made first.
      const args = calls.find((one) => one.tool === tool)!.args({ block: known.second })
      const own = { rename_page: { page_name: 'Books' }, delete_page: { page_name: 'Diary' }, update_page: { page_name: 'Books' }, append_to_journal: { date: '2026-11-20' }, get_journal: { date: '2026-11-20' }, create_tag: { name: `Plant ${++tags}` } }
      const answer = await stage.refused('CAPABILITY_MISSING', graph, tool, { ...args, ...(own as any)[tool] })
      assert.match(answer.text, /does not offer|no method|read-only/, `${tool} without ${key}`)
    }
  })
}

const isIn = (keys: string[], set: Set<string>) => keys.every((key) => set.has(key))

async function asked(window: Window): Promise<number> {
  return Object.values(await window.calls()).reduce((sum, count) => sum + count, 0)
}
