import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Window } from '../host/launch'
import { type Kind, matrix } from '../host/matrix'
import { known } from '../host/seed'
import { Stage, patience, skip, until } from './stage'

// Everything at once: an MCP client over stdio, `lectern serve`, the hub, the
// bridge, and the built plugin with the real SDK in a browser. What agents do
// one thing after another; every tool by itself is in every_tool.test.ts, and
// what Logseq does wrong in faults.test.ts.

const graphs = [
  { kind: 'og', graph: 'files' },
  { kind: 'db', graph: 'base' },
] as const

let stage: Stage

before(async () => {
  if (!skip) stage = await Stage.start(graphs.map(({ graph }) => graph))
}, patience)

after(async () => {
  if (!skip) await stage.stop()
})

for (const { kind, graph } of graphs) {
  describe(`${kind} graph`, { ...patience, skip }, () => {
    let window: Window
    const ask = (tool: string, args: Record<string, unknown> = {}) => stage.ask(graph, tool, args)
    const refused = async (word: RegExp, tool: string, args: Record<string, unknown> = {}) => {
      const answer = await stage.call(graph, tool, args)
      assert.equal(answer.error, true, `${tool} was not refused: ${answer.text}`)
      assert.match(answer.text, word)
      return answer
    }
    before(async () => void (window = await stage.open(kind, graph)), patience)
    after(() => window.close())

    test('ping says which graph it is', async () => {
      const ping = await ask('ping')
      assert.deepEqual([ping.connected, ping.graph, ping.kind], [true, graph, kind === 'og' ? 'file' : 'db'])
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
  })
}

describe('comings and goings', { ...patience, skip }, () => {
  test('the newest of two windows on a graph is used, the older says why', async () => {
    const older = await stage.open('db', 'base')
    const newer = await stage.open('db', 'base')
    await until(async () => /replaced by another Logseq/.test(await older.status()))
    assert.equal((await stage.ask('base', 'ping')).connected, true)
    await older.close()
    await newer.close()
  })

  test('a plugin that is kept from WebSockets goes the long way', async () => {
    const window = await stage.open('og', 'files', { settings: { port: stage.lectern.port, transport: 'auto' } })
    assert.match(await window.status(), /connected \(poll\)/, 'the test page is no origin of Logseq')
    await stage.ask('files', 'get_page_content', { page_name: 'Books' })
    await window.close()
  })

  test('a page that a person lets in takes the short one', async () => {
    await stage.lectern.command(['plugin', 'allow', stage.logseq.origin])
    const window = await stage.open('og', 'files', { settings: { port: stage.lectern.port, transport: 'auto' } })
    assert.match(await window.status(), /connected \(websocket\)/)
    await window.close()
  })
})

describe('the doctor', { ...patience, skip }, () => {
  const looks = async (...args: string[]) => {
    const found = JSON.parse(await stage.lectern.command(['doctor', '--json', ...args]))
    return Object.fromEntries(found.map(({ name, result, detail }: any) => [name, `${result}: ${detail}`]))
  }

  // The picture that it looks at is drawn a moment after a plugin has come.
  const shown = (graph: string) => until(async () => (await looks('logseq.connected'))['logseq.connected']!.includes(graph))

  test('tells what it finds of two Logseqs', async () => {
    const [files, base] = [await stage.open('og', 'files'), await stage.open('db', 'base')]
    for (const graph of ['files', 'base']) await shown(graph)
    const found = await looks('logseq')
    assert.match(found['logseq.connected'], /^ok: base, files$/)
    assert.match(found['logseq.origin'], /base: lsp:\/\/logseq\.io; files: lsp:/)
    assert.match(found['logseq.versions'], /base: Logseq 2\.0\.1, plugin [^;]*; files: Logseq 0\.10\.15/)
    assert.match(found['logseq.release'], /^ok: base: Logseq 2\.0\.1; files: Logseq 0\.10\.15$/)
    assert.match(found['logseq.transport'], /^ok: base: WebSocket; /)
    const counts = /^ok: base: (\d+) of (\d+) .*; files: (\d+) of (\d+)/.exec(found['logseq.methods']!)?.slice(1).map(Number)
    const has = (kind: Kind) => matrix().filter((row) => row.has[kind]).length
    assert.deepEqual(counts, [has('db'), matrix().length, has('og'), matrix().length], found['logseq.methods'])
    assert.match(found['logseq.window'], /^ok: base: with the window (hidden|visible) the editor answers in \d+ ms and the database/)
    assert.match(found['logseq.properties'], /logseq\.property 14, .*user\.property 1.*files: a file graph has no/)
    await base.fault('get_block', 'lost')
    await files.fault('move_block', 'missing')
    await stage.call('files', 'move_block', { block_uuid: known.second, target_parent_uuid: known.first })
    // A method that turns out to be missing is announced after the answer.
    const withMove = async () => (await stage.ask('files', 'get_capabilities')).capabilities.some((one: any) => one.key === 'blocks.move' && one.available)
    await until(async () => !(await withMove()))
    assert.match((await looks('logseq.window'))['logseq.window'], /^warn: base: .*the editor gave no answer within \d+ ms \(TIMEOUT\) and the database answers/)
    assert.match((await looks('logseq.methods'))['logseq.methods'], /^warn: .*missing: blocks\.move; this Logseq lacks move_block/)
    await files.close()
    await base.close()
  })

  test('tries to write where it is asked to, and leaves nothing', async () => {
    const base = await stage.open('db', 'base')
    await shown('base')
    const found = await looks('logseq.properties', '--try-writes')
    assert.match(found['logseq.properties'], /^ok: .*Rating was set and read back/)
    await base.fault('upsert_block_property', 'throw')
    assert.match((await looks('logseq.properties', '--try-writes'))['logseq.properties'], /^warn: .*cannot set Rating: .*moon/)
    const { pages } = await stage.ask('base', 'list_pages', { limit: 100 })
    assert.deepEqual(pages.filter(({ page_name }: any) => /doctor/.test(page_name)), [])
    await base.close()
  })
})
