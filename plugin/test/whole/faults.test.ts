import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Window } from '../host/launch'
import type { Kind } from '../host/matrix'
import { known } from '../host/seed'
import type { Answer } from './lectern'
import { Stage, connected, patience, skip, until } from './stage'

// What Logseq does wrong, seen by an agent: late, silent, gone.

interface Write {
  tool: string
  args: Record<string, unknown>
  /** The method of Logseq that does it. */
  method: (kind: Kind) => string
}

const by = (method: string) => () => method

const writes: Write[] = [
  { tool: 'create_page', args: { title: 'Orchard' }, method: by('create_page') },
  { tool: 'update_page', args: { page_name: 'Books', content_append: 'more' }, method: by('insert_block') },
  { tool: 'rename_page', args: { page_name: 'Middlemarch', new_name: 'Middlemarch again' }, method: by('rename_page') },
  { tool: 'delete_page', args: { page_name: 'Diary' }, method: by('delete_page') },
  { tool: 'create_block', args: { page_name: 'Books', content: 'more' }, method: by('insert_block') },
  { tool: 'insert_blocks', args: { page_name: 'Books', markdown: '- a\n  - b\n- c' }, method: by('insert_block') },
  { tool: 'update_block', args: { block_uuid: known.child, content: 'chapter two', replace_content: true }, method: by('update_block') },
  { tool: 'move_block', args: { block_uuid: known.second, target_page_name: 'Reviews' }, method: by('move_block') },
  { tool: 'delete_block', args: { block_uuid: known.child }, method: by('remove_block') },
  { tool: 'append_to_journal', args: { date: '2026-11-20', content: 'frost' }, method: by('insert_block') },
  { tool: 'set_task', args: { block_uuid: known.task, status: 'DONE' }, method: (kind) => (kind === 'og' ? 'update_block' : 'upsert_block_property') },
]

const kinds = ['og', 'db'] as const
const graphOf = (kind: Kind, what: string) => `${kind}-${what.replaceAll('_', '-')}`
const comings = ['files', 'base', 'third']

let stage: Stage

before(async () => {
  if (skip) return
  const each = kinds.flatMap((kind) => [...writes.map(({ tool }) => tool), 'lost', 'null', 'read'].map((what) => graphOf(kind, what)))
  stage = await Stage.start([...each, ...comings])
}, patience)

after(async () => {
  if (!skip) await stage.stop()
})

/** Code and applied of an error. */
const fate = ({ error, structured }: Answer) => [error, structured.code, structured.data?.applied]

for (const kind of kinds) {
  describe(`Logseq does not answer within ten seconds, ${kind} graph`, { ...patience, skip }, () => {
    // All at once, each in a graph of its own: every one takes those seconds.
    const windows: Window[] = []
    const answers = new Map<string, Answer>()

    before(async () => {
      for (const { tool } of writes) windows.push(await stage.open(kind, graphOf(kind, tool)))
      const [lost, read] = [await stage.open(kind, graphOf(kind, 'lost')), await stage.open(kind, graphOf(kind, 'read'))]
      windows.push(lost, read)
      for (const [at, { method }] of writes.entries()) await windows[at]!.fault(method(kind), 'late', 1)
      await lost.fault('insert_block', 'lost', 1)
      await read.fault('datascript_query', 'lost', 1)
      await Promise.all([
        ...writes.map(async ({ tool, args }) => answers.set(tool, await stage.call(graphOf(kind, tool), tool, args))),
        stage.call(graphOf(kind, 'lost'), 'create_block', { page_name: 'Books', content: 'nowhere' }).then((answer) => answers.set('lost', answer)),
        stage.call(graphOf(kind, 'read'), 'list_pages').then((answer) => answers.set('read', answer)),
      ])
    }, patience)
    after(async () => {
      for (const window of windows) await window.close()
    })

    for (const { tool } of writes) {
      test(`${tool} has landed, and says so`, () => {
        const answer = answers.get(tool)!
        if (tool === 'insert_blocks') {
          // Several calls of Logseq's: what follows the late one was not made.
          assert.deepEqual(fate(answer), [true, 'TIMEOUT', 'unknown'], answer.text)
          assert.match(answer.text, /part of the change is there/)
          return
        }
        assert.deepEqual(fate(answer), [true, 'TIMEOUT', true], answer.text)
        assert.match(answer.structured.hint, /Do not repeat/)
      })
    }

    test('what has not landed may still, and says so', async () => {
      const answer = answers.get('lost')!
      assert.deepEqual(fate(answer), [true, 'TIMEOUT', 'unknown'], answer.text)
      const again = await stage.ask(graphOf(kind, 'lost'), 'create_block', { page_name: 'Books', content: 'somewhere' })
      assert.equal(again.verified, true)
    })

    test('a read says no more than that', () => {
      assert.deepEqual(fate(answers.get('read')!), [true, 'TIMEOUT', undefined])
    })
  })

  describe(`Logseq answers null and does nothing, ${kind} graph`, { ...patience, skip }, () => {
    let window: Window
    const graph = graphOf(kind, 'null')
    before(async () => void (window = await stage.open(kind, graph)), patience)
    after(() => window.close())

    for (const { tool, args, method } of writes) {
      test(`${tool} is no success`, async () => {
        await window.fault(method(kind), 'null', 1)
        const answer = await stage.call(graph, tool, args)
        assert.deepEqual(fate(answer), [true, 'INTERNAL', false], answer.text)
      })
    }

    test('nothing of it is there, and all of it can be done', async () => {
      for (const { tool, args } of writes.filter(({ tool }) => tool !== 'delete_block')) {
        const answer = await stage.ask(graph, tool, args)
        assert.equal(answer.verified, true, tool)
      }
    })

    for (const { tool, args, method } of writes.filter(({ tool }) => ['create_block', 'move_block', 'delete_block'].includes(tool))) {
      test(`${tool} passes on what Logseq complains of`, async () => {
        await window.fault(method(kind), 'throw', 1)
        const answer = await stage.call(graph, tool, args)
        assert.deepEqual([answer.error, answer.structured.code], [true, 'INTERNAL'])
        assert.match(answer.text, /the moon is in the wrong phase/)
      })
    }
  })
}

describe('comings and goings', { ...patience, skip }, () => {
  test('two Logseqs with the same uuids never answer for each other', async () => {
    const [files, base] = [await stage.open('og', 'files'), await stage.open('db', 'base')]
    for (const graph of ['files', 'base']) {
      await stage.ask(graph, 'update_block', { block_uuid: known.second, content: `this is ${graph}`, replace_content: true })
    }
    const asked = Array.from({ length: 60 }, (_, at) => (at % 2 ? 'files' : 'base'))
    const told = await Promise.all(asked.map((graph) => stage.ask(graph, 'get_block', { block_uuid: known.second })))
    assert.deepEqual(told.map(({ block }) => block.content), asked.map((graph) => `this is ${graph}`))
    await files.close()
    await stage.refused('UNAVAILABLE', 'files', 'get_block', { block_uuid: known.second })
    assert.equal((await stage.ask('base', 'get_block', { block_uuid: known.second })).block.content, 'this is base')
    await base.close()
  })

  test('another graph is opened in the middle of a write, which stays in its own', async () => {
    const window = await stage.open('db', 'base')
    await window.fault('insert_block', 'lost', 1)
    const writing = stage.call('base', 'create_block', { page_name: 'Books', content: 'of base' })
    await called(window, 'insert_block', 2) // the first was the probe
    await window.openGraph('third')
    const answer = await writing
    assert.deepEqual(fate(answer), [true, 'UNAVAILABLE', 'unknown'], answer.text)
    await until(async () => (await stage.ask('third', 'ping')).connected)
    assert.doesNotMatch((await stage.ask('third', 'get_page_content', { page_name: 'Books' })).text, /of base/)
    await stage.refused('UNAVAILABLE', 'base', 'get_page_content', { page_name: 'Books' })
    await window.openGraph('base')
    await until(async () => (await stage.ask('base', 'ping')).connected)
    assert.doesNotMatch((await stage.ask('base', 'get_page_content', { page_name: 'Books' })).text, /of base/)
    await window.close()
  })

  test('Logseq is reloaded in the middle of a write, which did not happen', async () => {
    const window = await stage.open('og', 'files')
    await window.fault('insert_block', 'lost', 1)
    const writing = stage.call('files', 'create_block', { page_name: 'Books', content: 'before the reload' })
    await called(window, 'insert_block', 2) // the first was the probe
    await window.reload()
    await connected(window)
    const answer = await writing
    assert.deepEqual(fate(answer), [true, 'UNAVAILABLE', false], answer.text)
    assert.equal((await stage.ask('files', 'create_block', { page_name: 'Books', content: 'after it' })).verified, true)
    await window.close()
  })

  test('Logseq quits in the middle of a read, which is asked again when it is back', async () => {
    const window = await stage.open('db', 'base')
    await window.fault('datascript_query', 'lost', 1)
    const reading = stage.ask('base', 'get_page_content', { page_name: 'Books' })
    await called(window, 'datascript_query', 2) // the first was the probe
    await window.close()
    const back = await stage.open('db', 'base')
    assert.equal((await reading).page.page_name, 'Books')
    await back.close()
  })

  test('Logseq quits in the middle of a write, which is not sent again', async () => {
    const window = await stage.open('db', 'base')
    await window.fault('insert_block', 'lost', 1)
    const writing = stage.call('base', 'create_block', { page_name: 'Books', content: 'cut off' })
    await called(window, 'insert_block', 2) // the first was the probe
    await window.close()
    const back = await stage.open('db', 'base')
    const answer = await writing
    assert.deepEqual([answer.error, answer.structured.code], [true, 'UNAVAILABLE'])
    assert.ok([false, 'unknown'].includes(answer.structured.data.applied), answer.text)
    assert.equal((await back.calls()).insert_block, 1) // the probe
    await back.close()
  })
})

describe('resources', { ...patience, skip }, () => {
  for (const [kind, graph] of [['og', 'files'], ['db', 'base']] as const) {
    test(`what a person types reaches those who subscribed (${kind})`, async () => {
      const window = await stage.open(kind, graph)
      const [page, block] = [`logseq://${graph}/page/Books`, `logseq://${graph}/block/${known.second}`]
      const read = async (uri: string) => (await stage.agent.read(uri)).text
      assert.match(await read(page), /Lend it to/)
      for (const uri of [page, block]) await stage.agent.subscribe(uri)
      await window.person('update_block', known.second, 'a person typed this')
      await until(async () => stage.agent.updated.includes(page) && stage.agent.updated.includes(block))
      assert.match(await read(page), /a person typed this/)
      assert.match(await read(block), /a person typed this/)
      await window.close()
    })
  }
})

const called = (window: Window, method: string, times = 1) => until(async () => ((await window.calls())[method] ?? 0) >= times)
