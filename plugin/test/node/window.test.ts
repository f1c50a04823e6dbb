import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSeed } from './methods'
import { known } from '../host/seed'

// What the person looks at, and Logseq's own queries.

for (const kind of ['og', 'db'] as const) {
  test(`focus, showing a page and own queries on a ${kind} graph`, async () => {
    const { ask, logseq, graph } = openSeed(kind)
    assert.deepEqual(await ask('focus.get', {}), { selected: [] })
    const books = (await graph.reader.page('Books')).is
    logseq.get_current_page = () => ({ uuid: books.uuid })
    logseq.get_current_block = () => ({ uuid: known.child })
    logseq.get_selected_blocks = () => [{ uuid: known.first }, { uuid: 7 }]
    assert.deepEqual(await ask('focus.get', {}), { page: books.uuid, editing: known.child, selected: [known.first] })
    const shown: unknown[] = []
    logseq.push_state = (...args) => void shown.push(args)
    await ask('page.open', { target: 'books' })
    await ask('page.open', { target: known.child })
    assert.deepEqual(shown, [books.uuid && kind === 'db' ? books.uuid : 'Books', known.child].map((name) => ['page', { name }, {}]))
    await assert.rejects(ask('page.open', { target: 'nowhere' }), /no block/)
    const { found, total } = await ask('query.own', { query: '(task todo)' })
    assert.deepEqual([found[0].block.uuid, total], [known.task, 1])
  })
}

test('what the settings hide is not shown, and their queries are off', async () => {
  const { ask } = openSeed('db', { pages: ['books'], tags: [] })
  await assert.rejects(ask('page.open', { target: 'Books' }), /no block/)
  await assert.rejects(ask('query.own', { query: '(task todo)' }), /does not offer|queries are off/)
})
