import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openDoor } from '../host/door'
import { Logseq, type Window, noBrowser } from '../host/launch'
import { known } from '../host/seed'
import { type Agent, Lectern } from './lectern'

// Everything at once: an MCP client over stdio, `lectern serve`, the hub, the
// bridge, and the built plugin with the real SDK in a browser. LECTERN_BIN is
// the binary.

const patience = { timeout: 120_000 }
const binary = process.env.LECTERN_BIN
const skip = binary ? noBrowser : 'LECTERN_BIN names no binary'

const graphs = [
  { source: 'files', kind: 'og', graph: 'old' },
  { source: 'base', kind: 'db', graph: 'new' },
] as const

let logseq: Logseq
let lectern: Lectern
let agent: Agent
let door: Awaited<ReturnType<typeof openDoor>>

before(async () => {
  if (!binary || noBrowser) return
  logseq = await Logseq.start()
  const sources = graphs.map(({ source, graph }) => `[[source]]\nname = "${source}"\nkind = "logseq"\ngraph = "${graph}"\n`)
  lectern = await Lectern.prepare(binary, logseq.origin, sources.join('\n'))
  door = await openDoor(lectern.port)
  agent = await lectern.agent()
}, patience)

after(async () => {
  if (!binary || noBrowser) return
  await lectern.stop()
  door.close()
  await logseq.stop()
})

type Kind = (typeof graphs)[number]['kind']

async function open(kind: Kind, graph: string, more: { settings?: object; faults?: Record<string, string> } = {}): Promise<Window> {
  const settings = { port: door.port, token: await lectern.token(), transport: 'websocket', ...more.settings }
  const window = await logseq.open({ kind, graph, settings, ...(more.faults ? { faults: more.faults } : {}) })
  await until(async () => /\nconnected/.test(await window.status()))
  return window
}

async function until(done: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await done())) {
    assert.ok(Date.now() < deadline, 'it did not come about within 60 s')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

for (const { source, kind, graph } of graphs) {
  describe(`${kind} graph`, { ...patience, skip }, () => {
    let window: Window
    const ask = async (tool: string, args: Record<string, unknown> = {}) => {
      const answer = await agent.call(tool, { source, ...args })
      assert.equal(answer.error, false, `${tool}: ${answer.text}`)
      return answer.structured
    }
    const refused = async (word: RegExp, tool: string, args: Record<string, unknown> = {}) => {
      const answer = await agent.call(tool, { source, ...args })
      assert.equal(answer.error, true, `${tool} was not refused: ${answer.text}`)
      assert.match(answer.text, word)
      return answer
    }
    before(async () => void (window = await open(kind, graph)), patience)
    after(() => window.close())

    test('ping and get_capabilities', async () => {
      const ping = await ask('ping')
      assert.deepEqual([ping.connected, ping.graph, ping.kind], [true, graph, kind === 'og' ? 'file' : 'db'])
      const { capabilities } = await ask('get_capabilities')
      const lacking = capabilities.filter((one: any) => !one.available).map((one: any) => one.key)
      assert.deepEqual(lacking, kind === 'og' ? [] : ['templates'])
    })

    test('pages: list, create, read, update, rename, delete', async () => {
      const made = await ask('create_page', { title: 'Garden', content: '- beds\n  - tulips\n- paths', properties: { area: 'south' } })
      assert.deepEqual([made.success, made.verified], [true, true])
      const listed = await ask('list_pages', { limit: 100 })
      assert.ok(listed.pages.some((page: any) => page.page_name === 'Garden'))
      const text = await ask('get_page_content', { page_name: 'garden', format: 'text' })
      assert.match(text.text, /beds[\s\S]*tulips[\s\S]*paths/)
      const json = await ask('get_page_content', { page_name: 'Garden', format: 'json' })
      assert.equal(json.blocks[0].children[0].content, 'tulips')
      const updated = await ask('update_page', { page_name: 'Garden', content_append: 'shed', properties: { area: 'north' } })
      assert.equal(updated.verified, true, JSON.stringify(updated))
      const renamed = await ask('rename_page', { page_name: 'Garden', new_name: 'Yard' })
      assert.equal(renamed.verified, true)
      const gone = await ask('delete_page', { page_name: 'Yard' })
      assert.equal(gone.recycled ?? false, kind === 'db')
      if (kind === 'og') await refused(/no page/, 'get_page_content', { page_name: 'Yard' })
    })

    test('blocks: create, read, update, move, delete', async () => {
      const made = await ask('create_block', { page_name: 'Books', content: 'new one', position: 'first' })
      assert.equal(made.verified, true, JSON.stringify(made))
      const uuid = made.uuid ?? made.block?.uuid
      const read = await ask('get_block', { block_uuid: uuid })
      assert.equal(read.block.content, 'new one')
      const updated = await ask('update_block', { block_uuid: uuid, content: 'newer', properties: { mood: 'fine' } })
      assert.equal(updated.verified, true, JSON.stringify(updated))
      const moved = await ask('move_block', { block_uuid: uuid, target_parent_uuid: known.first })
      assert.equal(moved.verified, true, JSON.stringify(moved))
      await refused(/children|recursive/, 'delete_block', { block_uuid: known.first })
      assert.equal((await ask('delete_block', { block_uuid: uuid })).verified, true)
      await refused(/no block/, 'get_block', { block_uuid: uuid })
    })

    test('trees, search, links, queries, journals, tasks, vocabulary', async () => {
      const tree = await ask('insert_blocks', { page_name: 'Reviews', markdown: '- one\n  - two\n    - three\n- four' })
      assert.deepEqual([tree.inserted, tree.verified], [4, true])
      const found = await ask('search', { query: 'lend it' })
      assert.equal(found.blocks[0].uuid, known.second)
      assert.equal(found.blocks[0].page_name, 'Books')
      assert.equal((await ask('get_backlinks', { page_name: 'Middlemarch' })).blocks[0].uuid, known.first)
      const query = await ask('datascript_query', { query: '[:find ?u :in $ ?n :where [?p :block/name ?n] [?p :block/uuid ?u]]', inputs: ['books'] })
      assert.equal(query.total, 1)
      const noted = await ask('append_to_journal', { date: '2026-11-21', content: 'first frost' })
      assert.equal(noted.verified, true, JSON.stringify(noted))
      assert.match((await ask('get_journal', { date: '2026-11-21', format: 'text' })).text, /first frost/)
      const tasks = await ask('list_tasks', { limit: 9 })
      assert.deepEqual(tasks.blocks.map((block: any) => block.uuid), [known.task])
      const set = await ask('set_task', { block_uuid: known.task, status: 'DONE', deadline: '2026-12-01' })
      assert.equal(set.verified, true, JSON.stringify(set))
      assert.ok((await ask('get_tags')).tags.some((tag: any) => tag.name === 'private'))
      assert.ok((await ask('list_properties')).properties.length > 0)
      if (kind === 'og') assert.equal((await ask('list_templates')).templates[0].name, 'meeting')
      else await refused(/does not offer templates/, 'list_templates')
    })

    test('a late write is found to have landed', async () => {
      await window.fault('insert_block', 'late', 1)
      const answer = await refused(/before the answer|in time/, 'create_block', { page_name: 'Books', content: 'slow' })
      assert.match(answer.text, /the change is there/)
    })

    test('a silent null is no success', async () => {
      await window.fault('move_block', 'null', 1)
      const answer = await agent.call('move_block', { source, block_uuid: known.second, target_page_name: 'Reviews' })
      assert.ok(answer.error || answer.structured.verified === false, answer.text)
    })

    test("Logseq's own complaint reaches the agent", async () => {
      await window.fault('remove_block', 'throw', 1)
      await refused(/the moon is in the wrong phase/, 'delete_block', { block_uuid: known.child })
    })

    test('every write that turns out to be missing says so', async () => {
      for (const [method, tool, args] of [
        ['move_block', 'move_block', { block_uuid: known.second, target_page_name: 'Reviews' }],
        ['remove_block', 'delete_block', { block_uuid: known.child }],
        ['update_block', 'update_block', { block_uuid: known.second, content: 'x' }],
        ['insert_batch_block', 'insert_blocks', { page_name: 'Books', markdown: '- a\n- b' }],
        ['insert_block', 'create_block', { page_name: 'Books', content: 'x' }],
        ['rename_page', 'rename_page', { page_name: 'Books', new_name: 'Volumes' }],
        ['delete_page', 'delete_page', { page_name: 'Diary' }],
        ['create_page', 'create_page', { title: 'Never' }],
        ['datascript_query', 'list_pages', {}],
      ] as const) {
        await window.fault(method, 'missing')
        await refused(/does not offer|no method/, tool, args)
      }
    })
  })
}

describe('comings and goings', { ...patience, skip }, () => {
  const ask = (tool: string, args: Record<string, unknown> = {}) => agent.call(tool, args)

  test('two Logseqs side by side answer for their own graph', async () => {
    const [files, base] = [await open('og', 'old'), await open('db', 'new')]
    await files.person('create_page', 'Only in files', {}, {})
    assert.equal((await ask('get_page_content', { source: 'files', page_name: 'Only in files' })).error, false)
    assert.equal((await ask('get_page_content', { source: 'base', page_name: 'Only in files' })).error, true)
    await files.openGraph('third')
    await until(async () => (await ask('ping', { source: 'files' })).structured.connected === false)
    await files.close()
    await base.close()
  })

  test('the newest of two windows on a graph is used, the older says why', async () => {
    const older = await open('db', 'new')
    const newer = await open('db', 'new')
    await until(async () => /replaced by another Logseq/.test(await older.status()))
    assert.equal((await ask('ping', { source: 'base' })).structured.connected, true)
    await older.close()
    await newer.close()
  })

  test('Logseq quits in the middle of a call, and comes back', async () => {
    const window = await open('db', 'new')
    await window.fault('insert_block', 'lost')
    const writing = ask('create_block', { source: 'base', page_name: 'Books', content: 'cut off' })
    await until(async () => ((await window.calls()).insert_block ?? 0) > 0)
    await window.close()
    const cut = await writing
    assert.equal(cut.error, true)
    assert.match(cut.text, /lost|could not be found out|did not happen/)
    const back = await open('db', 'new')
    assert.equal((await ask('get_page_content', { source: 'base', page_name: 'Books' })).error, false)
    await back.close()
  })

  test('a plugin that is kept from WebSockets goes the long way', async () => {
    const window = await open('og', 'old', { settings: { port: lectern.port, transport: 'auto' } })
    assert.match(await window.status(), /connected \(poll\)/, 'the test page is no origin of Logseq')
    assert.equal((await ask('get_page_content', { source: 'files', page_name: 'Books' })).error, false)
    await window.close()
  })
})
