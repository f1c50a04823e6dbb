import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Window } from '../host/launch'
import { known } from '../host/seed'
import { Stage, patience, skip } from './stage'

// What Logseq's own code does that a plugin would not expect, through the
// whole chain: each of these tests was red before the plugin knew of it.

const [a, b, c] = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002', 'aaaaaaaa-0000-4000-8000-000000000003']

let stage: Stage

before(async () => {
  if (!skip) stage = await Stage.start(['notes', 'files'])
}, patience)

after(async () => {
  if (!skip) await stage.stop()
})

describe('a DB graph', { ...patience, skip }, () => {
  let window: Window
  const ask = (tool: string, args: Record<string, unknown> = {}) => stage.ask('notes', tool, args)
  const refused = (code: string, tool: string, args: Record<string, unknown> = {}) => stage.refused(code, 'notes', tool, args)
  /** Calls Logseq's own API, as another plugin or a person would. */
  const own = (method: string, ...args: unknown[]) => window.person(method, ...args) as Promise<any>
  const page = (title: string, uuid?: string) => own('create_page', title, {}, { redirect: false, createFirstBlock: false, ...(uuid ? { customUUID: uuid } : {}) })
  const lines = async (name: string) => (await ask('get_page_content', { page_name: name, format: 'json' })).blocks.map((one: any) => one.content)
  const property = (title: string, schema: object) => own('create_property', title, schema)
  /** The window forgets what it was sent, as after a start of Logseq. */
  const restart = () => own('restart')

  before(async () => void (window = await stage.open('db', 'notes')), patience)
  after(() => window.close())
  let count = 0
  let title = ''
  beforeEach(async () => {
    title = `Page ${++count}`
    await page(title)
  })

  test('N1: a source finds a graph by the name that people see', async () => {
    const ping = await ask('ping')
    assert.deepEqual([ping.connected, ping.graph], [true, 'notes'])
  })

  test('D1: writes of several blocks are done, and said to be', async () => {
    const made = await ask('create_page', { title: `Made ${title}`, content: '- agenda\n  - budget\n- notes' })
    assert.deepEqual([made.success, made.verified], [true, true])
    const more = await ask('update_page', { page_name: title, content_append: '- one\n- two' })
    assert.equal(more.verified, true)
    const noted = await ask('append_to_journal', { date: '2026-11-22', content: '- a\n- b' })
    assert.equal(noted.verified, true)
    const tree = await ask('insert_blocks', { page_name: title, markdown: '- parent\n  - child\n- last' })
    assert.deepEqual([tree.inserted, tree.verified], [3, true])
    assert.deepEqual(await lines(title), ['one', 'two', 'parent', 'last'])
    assert.equal((await ask('get_block', { block_uuid: tree.blocks[0] })).block.content, 'parent')
  })

  test('N2: no line of a block is lost', async () => {
    const texts = ['head', 'text\n- item1\n- item2', 'text\n# heading inside\nmore', '> q\n- x', '- [ ] x\n- [x] y']
    const made = await ask('insert_blocks', { page_name: title, blocks: texts.map((content) => ({ content })) })
    assert.equal(made.verified, true)
    assert.deepEqual(await lines(title), texts)
  })

  test('D3: the page that is deleted is the one that was named', async () => {
    await page('a/b/memo', a)
    await page('x/y/memo', b)
    assert.equal((await ask('delete_page', { page_name: b })).verified, true)
    const deleted = async (uuid: string) => Boolean((await own('get_page', uuid))[':logseq.property/deleted-at'])
    assert.deepEqual([await deleted(a), await deleted(b)], [false, true])
  })

  test('D4: pages are found by their path, and a name of several is a conflict', async () => {
    await page('p/q/same')
    await page('r/s/same')
    assert.equal((await ask('get_page_content', { page_name: 'p/q/same' })).page.page_name, 'p/q/same')
    const { structured } = await refused('CONFLICT', 'get_page_content', { page_name: 'same' })
    assert.deepEqual(structured.data.candidates.map((one: any) => one.page_name).sort(), ['p/q/same', 'r/s/same'])
    assert.equal((await ask('create_page', { title: 't/u', content: 'x' })).page_name, 't/u')
    const renamed = await ask('rename_page', { page_name: 'p/q/same', new_name: 'p/q/other' })
    assert.equal(renamed.verified, true)
    assert.equal((await ask('get_page_content', { page_name: 'p/q/other' })).page.page_name, 'p/q/other')
    await refused('INVALID_INPUT', 'rename_page', { page_name: 'p/q/other', new_name: 'elsewhere/other' })
  })

  test('D6: typed properties are set by what people see', async () => {
    await page('Ada')
    for (const [name, type, many] of [['Author', 'node', false], ['Day', 'date', false], ['At', 'datetime', false], ['Read', 'checkbox', false], ['Site', 'url', false], ['Size', 'number', false], ['Note', 'default', false], ['Readers', 'node', true]] as const) {
      await property(name, { type, cardinality: many ? 'many' : 'one' })
    }
    const set = { Author: 'Ada', Day: '2026-01-02', At: '2026-01-02T10:00', Read: 'true', Site: 'https://logseq.com', Size: '5', Note: 7, Readers: ['Ada', '[[Bob]]'] }
    const { uuid } = await ask('create_block', { page_name: title, content: 'typed', properties: set })
    const { properties } = (await ask('get_block', { block_uuid: uuid })).block
    assert.deepEqual([properties.Author, properties.Day, properties.Read, properties.Site, properties.Size, properties.Note], ['Ada', 'Jan 2nd, 2026', true, 'https://logseq.com', 5, '7'])
    assert.deepEqual([...properties.Readers].sort(), ['Ada', 'Bob'])
    assert.equal((await ask('get_backlinks', { page_name: 'Ada' })).blocks[0].uuid, uuid)
    assert.equal((await own('get_block_property', uuid, ':user.property/At')), new Date(2026, 0, 2, 10).getTime())
  })

  test('D6, N5: a value of another type is refused before anything is written', async () => {
    await property('Count', { type: 'number' })
    await property('Colour', { type: 'default', values: ['red', 'green'] })
    await property('Due day', { type: 'date' })
    await property('Open', { type: 'checkbox' })
    const { uuid } = await ask('create_block', { page_name: title, content: 'kept', properties: { Count: 5, Colour: 'Red' } })
    for (const bad of [{ Count: 'five' }, { Colour: 'blue' }, { 'Due day': 'someday' }, { Open: 'perhaps' }, { Count: 0 }, { Count: [1, 2] }]) {
      await refused('INVALID_INPUT', 'update_block', { block_uuid: uuid, content: 'lost', properties: bad })
    }
    const { block } = await ask('get_block', { block_uuid: uuid })
    assert.deepEqual([block.content, block.properties.Count, block.properties.Colour], ['kept', 5, 'red'])
  })

  test('D7: headings go both ways', async () => {
    const made = await ask('create_block', { page_name: title, content: '## Beds' })
    assert.equal(made.verified, true, JSON.stringify(made))
    assert.match((await ask('get_page_content', { page_name: title })).text, /## Beds/)
    assert.equal((await own('get_block', made.uuid))[':logseq.property/heading'], 2)
  })

  test('D7: a task in Markdown is a task', async () => {
    const made = await ask('create_block', { page_name: title, content: 'TODO [#A] call Ada\nDEADLINE: <2026-12-01 Tue>' })
    assert.equal(made.verified, true, JSON.stringify(made))
    const { block } = await ask('get_block', { block_uuid: made.uuid })
    assert.deepEqual([block.content, block.marker, block.priority, block.deadline, block.tags], ['call Ada', 'Todo', 'High', 20261201, ['Task']])
    assert.ok((await ask('list_tasks', { limit: 50 })).blocks.some((one: any) => one.uuid === made.uuid))
    assert.equal(JSON.stringify(await ask('get_tags')).includes('"A]"'), false)
  })

  test('D7: code and quotes go both ways', async () => {
    const texts = ['```js\nconst bed = [\n  1,\n]\n```', '> quoted\n> - not an item\n> # not a heading', '```\n# no heading\nTODO no task #notag\n```', '`#none` and `[[None]]`']
    const { blocks, verified } = await ask('insert_blocks', { page_name: title, blocks: texts.map((content) => ({ content })) })
    assert.equal(verified, true)
    assert.deepEqual(await lines(title), texts)
    for (const [at, uuid] of blocks.entries()) {
      const row = await own('get_block', uuid)
      assert.equal(row.title, texts[at])
      assert.equal(row[':logseq.property/heading'] ?? row[':logseq.property/status'] ?? row.tags, undefined, texts[at])
    }
    // What get_page_content says below the page's name, written as a page, is the page.
    const { text } = await ask('get_page_content', { page_name: title })
    const copy = await ask('create_page', { title: `Copy of ${title}`, content: text.replace(/^# .*\n/, '') })
    assert.equal(copy.verified, true)
    assert.deepEqual(await lines(`Copy of ${title}`), texts)
  })

  test('a day alone makes a task of a block', async () => {
    const { uuid } = await ask('create_block', { page_name: title, content: 'prune' })
    const { block } = await ask('set_task', { block_uuid: uuid, deadline: '2026-12-01' })
    assert.deepEqual([block.marker, block.deadline, block.tags], ['Todo', 20261201, ['Task']])
    assert.equal((await ask('set_task', { block_uuid: uuid, status: 'DONE', deadline: 'none' })).block.marker, 'Done')
    assert.equal((await ask('set_task', { block_uuid: uuid, deadline: '2026-12-02' })).block.marker, 'Done')
  })

  test('D8: before a block is before it, also where nobody has looked', async () => {
    const { blocks } = await ask('insert_blocks', { page_name: title, markdown: '- b2\n- b3\n- b4\n- b5' })
    await restart()
    assert.equal((await ask('create_block', { sibling_block_uuid: blocks[2], position: 'before', content: 'new' })).verified, true)
    assert.deepEqual(await lines(title), ['b2', 'b3', 'new', 'b4', 'b5'])
    await restart()
    assert.equal((await ask('move_block', { block_uuid: blocks[0], sibling_block_uuid: blocks[3], position: 'before' })).verified, true)
    await restart()
    assert.equal((await ask('move_block', { block_uuid: blocks[3], sibling_block_uuid: blocks[1], position: 'before' })).verified, true)
    assert.deepEqual(await lines(title), ['b5', 'b3', 'new', 'b4', 'b2'])
  })

  test('D8: and below a block', async () => {
    const { blocks } = await ask('insert_blocks', { page_name: title, markdown: '- a\n  - c3\n  - c4\n  - c5' })
    const children = async () => (await ask('get_block', { block_uuid: blocks[0], include_children: true })).block.children
    const [c3, , c5] = (await children()).map((one: any) => one.uuid)
    await restart()
    assert.equal((await ask('create_block', { parent_block_uuid: blocks[0], position: 'first', content: 'first' })).verified, true)
    await restart()
    assert.equal((await ask('move_block', { block_uuid: c5, sibling_block_uuid: c3, position: 'before' })).verified, true)
    assert.deepEqual((await children()).map((one: any) => one.content), ['first', 'c5', 'c3', 'c4'])
  })

  test('N3: a link to a page with a slash is a link', async () => {
    await page('n/three')
    const made = await ask('create_block', { page_name: title, content: 'see [[n/three]] and [[n/new]], not `[[n/code]]`' })
    assert.equal(made.verified, true, JSON.stringify(made))
    assert.equal((await ask('get_backlinks', { page_name: 'n/three' })).blocks[0].uuid, made.uuid)
    assert.equal((await ask('get_backlinks', { page_name: 'n/new' })).blocks[0].uuid, made.uuid)
    assert.equal((await ask('get_block', { block_uuid: made.uuid })).block.content, 'see [[n/three]] and [[n/new]], not `[[n/code]]`')
    await refused('NOT_FOUND', 'get_page_content', { page_name: 'n/code' })
  })

  test('N4: a heading that is written without its marks is none any more', async () => {
    const { uuid } = await ask('create_block', { page_name: title, content: '# Head' })
    assert.equal((await ask('update_block', { block_uuid: uuid, content: 'plain' })).verified, true)
    assert.equal((await own('get_block', uuid))[':logseq.property/heading'], undefined)
  })

  test('N6: undo of a status gives the task back its tag', async () => {
    const { uuid } = await ask('create_block', { page_name: title, content: 'TODO water' })
    await ask('update_block', { block_uuid: uuid, properties: { Status: null } })
    assert.deepEqual((await ask('get_block', { block_uuid: uuid })).block.tags ?? [], [])
    const { changes } = JSON.parse(await stage.lectern.command(['changes', '--json', '-n', '1'])) as { changes: { id: string }[] }
    await stage.lectern.command(['undo', '--yes', changes[0]!.id])
    const { block } = await ask('get_block', { block_uuid: uuid })
    assert.deepEqual([block.marker, block.tags], ['Todo', ['Task']])
  })

  test('a page gets back a name that another page in the bin has', async () => {
    await page('v/w/first')
    await ask('rename_page', { page_name: 'v/w/first', new_name: 'v/w/second' })
    const { changes } = JSON.parse(await stage.lectern.command(['changes', '--json', '-n', '1'])) as { changes: { id: string }[] }
    await page('v/w/first')
    assert.equal((await ask('delete_page', { page_name: 'v/w/first' })).recycled, true)
    await stage.lectern.command(['undo', '--yes', changes[0]!.id])
    assert.equal((await ask('get_page_content', { page_name: 'v/w/first' })).page.page_name, 'v/w/first')
    await refused('NOT_FOUND', 'get_page_content', { page_name: 'v/w/second' })
  })

  test('N7: a page is no block to be renamed by its text', async () => {
    await page(`Still ${title}`, c)
    await refused('NOT_FOUND', 'update_block', { block_uuid: c, content: 'renamed' })
    assert.equal((await own('get_page', c)).title, `Still ${title}`)
  })

  test('N9, P4: a name is found in both spellings of its accents', async () => {
    await page('Gärten')
    assert.equal((await ask('get_page_content', { page_name: 'Gärten'.normalize('NFD') })).page.page_name, 'Gärten')
  })

  test('D10: a page in the bin is not written to', async () => {
    const made = await ask('create_page', { title: `Gone ${title}`, content: 'old' })
    await ask('delete_page', { page_name: made.uuid })
    await refused('CONFLICT', 'create_page', { title: `Gone ${title}`, content: 'new' })
    assert.ok((await own('get_page', made.uuid))[':logseq.property/deleted-at'])
  })
})

test('D2: the settings of the plugin hide a namespace of a DB graph', { ...patience, skip }, async () => {
  const window = await stage.open('db', 'notes', { settings: { excludedPages: 'work/*' } })
  for (const title of ['work/salaries', 'home/salaries']) await window.person('create_page', title, {}, { redirect: false })
  const listed = (await stage.ask('notes', 'list_pages', { limit: 200 })).pages.map((one: any) => one.page_name)
  assert.deepEqual(listed.filter((name: string) => /salaries|work/.test(name)), ['home/salaries'])
  await stage.refused('NOT_FOUND', 'notes', 'get_page_content', { page_name: 'work/salaries' })
  // The name of two pages, of which one is hidden, is that of the other.
  assert.equal((await stage.ask('notes', 'get_page_content', { page_name: 'salaries' })).page.page_name, 'home/salaries')
  await window.close()
})

describe('a file graph', { ...patience, skip }, () => {
  let window: Window
  const ask = (tool: string, args: Record<string, unknown> = {}) => stage.ask('files', tool, args)
  before(async () => void (window = await stage.open('og', 'files')), patience)
  after(() => window.close())

  test('N2: no line of a block is lost', async () => {
    const texts = ['head', 'text\n- item1\n- item2', '> q\n- x']
    const made = await ask('insert_blocks', { page_name: 'Reviews', blocks: texts.map((content) => ({ content })) })
    assert.equal(made.verified, true)
    for (const [at, uuid] of made.blocks.entries()) assert.equal((await ask('get_block', { block_uuid: uuid })).block.content, texts[at])
  })

  test('P4: a name is found in both spellings of its accents', async () => {
    await window.person('create_page', 'Gärten'.normalize('NFD'), {}, { redirect: false, createFirstBlock: false })
    assert.equal((await ask('get_page_content', { page_name: 'Gärten'.normalize('NFC') })).page.page_name.normalize('NFC'), 'Gärten')
    assert.equal((await ask('get_block', { block_uuid: known.first })).block.page_name, 'Books')
  })

  test('P5: the pages above a page are there', async () => {
    assert.equal((await ask('create_page', { title: 'a/b/c', content: 'low' })).verified, true)
    for (const above of ['a', 'a/b']) {
      const { page, blocks } = await ask('get_page_content', { page_name: above, format: 'json' })
      assert.deepEqual([page.page_name, blocks ?? []], [above, []])
    }
    assert.equal((await ask('create_block', { page_name: 'a/b', content: 'between' })).verified, true)
    assert.deepEqual((await ask('find', { namespace: 'a' })).pages.map((one: any) => one.page_name).sort(), ['a', 'a/b', 'a/b/c'])
  })

  test('a day alone makes a task of a block', async () => {
    const { uuid } = await ask('create_block', { page_name: 'Reviews', content: 'prune' })
    const raw = async (set: object) => {
      await ask('set_task', { block_uuid: uuid, ...set })
      return (await ask('get_block', { block_uuid: uuid })).block.content
    }
    assert.equal(await raw({ deadline: '2026-12-01' }), 'TODO prune\nDEADLINE: <2026-12-01 Tue>')
    assert.equal(await raw({ status: 'DONE' }), 'DONE prune\nDEADLINE: <2026-12-01 Tue>')
    assert.equal(await raw({ deadline: 'none' }), 'DONE prune')
  })

  test('D5: the drawer of an Org block stays, and takes new properties', async () => {
    await window.person('create_page', 'Org', {}, { redirect: false, createFirstBlock: false, format: 'org' })
    const { uuid, verified } = await ask('create_block', { page_name: 'Org', content: 'Task one', properties: { effort: '3' } })
    assert.equal(verified, true)
    const raw = async () => (await ask('get_block', { block_uuid: uuid })).block.raw
    assert.equal(await raw(), 'Task one\n:PROPERTIES:\n:effort: 3\n:END:')
    await ask('create_block', { page_name: 'Reviews', content: `see ((${uuid}))` })
    assert.equal(await raw(), `Task one\n:PROPERTIES:\n:effort: 3\n:id: ${uuid}\n:END:`)
    assert.equal((await ask('update_block', { block_uuid: uuid, content: 'Task two', replace_content: true, properties: { mood: 'fine' } })).verified, true)
    assert.equal(await raw(), `Task two\n:PROPERTIES:\n:id: ${uuid}\n:effort: 3\n:mood: fine\n:END:`)
    assert.equal((await ask('get_block', { block_uuid: uuid })).block.content, 'Task two')
    await stage.refused('CAPABILITY_MISSING', 'files', 'update_page', { page_name: 'Org', properties: { area: 'south' } })
  })

  test('P1: words are found apart, and an answer without any says what to try', async () => {
    await ask('create_block', { page_name: 'Reviews', content: 'a chapter that was read again' })
    const found = await ask('search', { query: 'again chapter' })
    assert.equal(found.blocks[0].content, 'a chapter that was read again')
    assert.match((await ask('search', { query: 'nowhere at all' })).note, /Try one of them/)
  })
})
