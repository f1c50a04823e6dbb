import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Logseq, type Opening, type Window, noBrowser } from '../host/launch'
import { known } from '../host/seed'
import { type Peer, Refused, TestServer } from '../host/server'

// The built plugin with the real SDK, in a real browser, against a graph in a
// real DataScript. Every test here goes the whole way: frame, SDK, Postmate,
// host, query, and back.

const patience = { timeout: 120_000 }
const suite = { ...patience, skip: noBrowser }
const server = new TestServer()
let logseq: Logseq

before(async () => {
  if (noBrowser) return
  await server.listen()
  logseq = await Logseq.start()
}, patience)

after(async () => {
  if (noBrowser) return
  await logseq.stop()
  server.stop()
})

async function open(kind: 'og' | 'db', settings: Record<string, unknown> = {}, more: Partial<Opening> = {}): Promise<{ window: Window; peer: Peer }> {
  const arrival = server.arrival()
  const window = await logseq.open({ kind, ...more, settings: { port: server.port, token: server.token, ...settings } })
  return { window, peer: await arrival }
}

const refusal = (code: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof Refused, String(thrown))
  assert.equal(thrown.refusal.code, code, thrown.message)
  return true
}

const uuid = () => crypto.randomUUID() as string

for (const kind of ['og', 'db'] as const) {
  describe(`${kind} graph`, suite, () => {
    let window: Window
    let peer: Peer
    before(async () => ({ window, peer } = await open(kind)), patience)
    after(() => window.close())

    test('hello tells versions, graph and capabilities', () => {
      const { hello } = peer
      assert.equal(hello.logseq_version, kind === 'og' ? '0.10.15' : '2.0.1')
      assert.equal(hello.graph.kind, kind === 'og' ? 'file' : 'db')
      assert.equal(hello.graph.name, 'demo')
      assert.ok(hello.api_capabilities.includes('blocks.move'))
      assert.equal(hello.api_capabilities.includes('templates'), kind === 'og')
      assert.equal(JSON.stringify(hello).includes(server.token), false, 'the token is never sent')
    })

    test('pages.list leaves out what nobody made', async () => {
      const { pages, total } = await peer.call('pages.list', { journals: false, limit: 100 })
      const names = pages.map((page: any) => page.name)
      assert.ok(names.includes('Books') && names.includes('Middlemarch'), String(names))
      assert.ok(!names.includes('Status') && !names.includes('Tag'), String(names))
      assert.equal(total, pages.length)
      const all = await peer.call('pages.list', { journals: true, offset: 1, limit: 2 })
      assert.equal(all.pages.length, 2)
      assert.equal(all.total, total + 1)
    })

    test('pages.tree gives whole outlines, in order', async () => {
      const { page, blocks } = await peer.call('pages.tree', { page: 'books' })
      assert.equal(page.name, 'Books')
      assert.deepEqual(blocks.map((block: any) => block.uuid), [known.first, known.second])
      assert.equal(blocks[0].content, 'Read [[Middlemarch]] again')
      assert.equal(blocks[0].children[0].content, 'chapter one')
      assert.equal(blocks[0].children[0].parent, known.first)
      const shallow = await peer.call('pages.tree', { page: 'Books', depth: 1 })
      assert.equal('children' in shallow.blocks[0], false)
    })

    test('references are shown as what they name', async () => {
      const block = await peer.call('blocks.get', { uuid: known.refers })
      assert.equal(block.content, kind === 'og' ? 'see Read [[Middlemarch]] again' : 'see [[Books]]')
      assert.notEqual(block.raw, block.content)
      assert.equal(block.page.name, 'Reviews')
    })

    test('journals are found by day and made once', async () => {
      const journal = await peer.call('journals.get', { day: 20261120 })
      assert.equal(journal.kind, 'journal')
      assert.equal(journal.journal_day, 20261120)
      await assert.rejects(peer.call('journals.get', { day: '2026-11-21' }), refusal('NOT_FOUND'))
      const made = await peer.call('journals.create', { day: '2026-11-21' })
      assert.equal(made.page.journal_day, 20261121)
      assert.equal(made.existed, false)
      assert.equal((await peer.call('journals.create', { day: 20261121 })).existed, true)
    })

    test('blocks are created at all four places', async () => {
      await peer.call('pages.create', { title: 'Places', create_first_block: false })
      const [a, b, c, d] = [uuid(), uuid(), uuid(), uuid()]
      await peer.call('blocks.create', { uuid: a, target: 'Places', place: 'last', content: 'a' })
      await peer.call('blocks.create', { uuid: b, target: 'Places', place: 'first', content: 'b' })
      await peer.call('blocks.create', { uuid: c, target: a, place: 'before', content: 'c' })
      const last = await peer.call('blocks.create', { uuid: d, target: b, place: 'after', content: 'd' })
      assert.equal(last.uuid, d)
      const { blocks } = await peer.call('pages.tree', { page: 'Places' })
      assert.deepEqual(blocks.map((block: any) => block.content), ['b', 'd', 'c', 'a'])
      await peer.call('blocks.move', { uuid: b, target: a, place: 'last' })
      await peer.call('blocks.move', { uuid: c, target: a, place: 'last' })
      await peer.call('blocks.move', { uuid: d, target: a, place: 'first' })
      const moved = await peer.call('blocks.get', { uuid: a, depth: -1 })
      assert.deepEqual(moved.children.map((block: any) => block.content), ['d', 'b', 'c'])
      await assert.rejects(peer.call('blocks.move', { uuid: a, target: b, place: 'last' }), refusal('INVALID_INPUT'))
    })

    test('a tree of blocks is one call, every uuid as chosen', async () => {
      const [top, below, next] = [uuid(), uuid(), uuid()]
      const trees = [
        { uuid: top, content: 'top', children: [{ uuid: below, content: 'below' }] },
        { uuid: next, content: 'next' },
      ]
      const { blocks } = await peer.call('blocks.insert', { target: 'Reviews', place: 'last', blocks: trees })
      assert.deepEqual(blocks.map((block: any) => block.uuid), [top, next])
      assert.equal(blocks[0].children[0].uuid, below)
      assert.equal(blocks[0].children[0].content, 'below')
    })

    test('updating the text keeps the properties', async () => {
      const id = uuid()
      await peer.call('blocks.create', { uuid: id, target: 'Reviews', place: 'last', content: 'old', properties: { mood: 'good' } })
      const block = await peer.call('blocks.update', { uuid: id, content: 'new' })
      assert.equal(block.content, 'new')
      assert.deepEqual(block.properties, { mood: 'good' })
      const bare = await peer.call('blocks.update', { uuid: id, properties: { mood: null } })
      assert.deepEqual(bare.properties, {})
      assert.equal(bare.uuid, id)
    })

    test('a deleted block is gone, and not found again', async () => {
      const id = uuid()
      await peer.call('blocks.create', { uuid: id, target: 'Reviews', place: 'last', content: 'brief' })
      assert.deepEqual(await peer.call('blocks.delete', { uuid: id }), {})
      await assert.rejects(peer.call('blocks.get', { uuid: id }), refusal('NOT_FOUND'))
      await assert.rejects(peer.call('blocks.delete', { uuid: id }), refusal('NOT_FOUND'))
    })

    test('what was deleted comes back as it was', async () => {
      const [top, below] = [uuid(), uuid()]
      const trees = [{ uuid: top, content: 'top', properties: { mood: 'good' }, children: [{ uuid: below, content: 'below' }] }]
      await peer.call('blocks.insert', { target: known.first, place: 'after', blocks: trees })
      const kept = await peer.call('blocks.state', { uuid: top, children: true })
      assert.equal(kept.after, known.first)
      await peer.call('blocks.delete', { uuid: top })
      const { page, parent, after, ...block } = kept
      await peer.call('blocks.restore', { page, parent, after, blocks: [block] })
      assert.deepEqual(await peer.call('blocks.state', { uuid: top, children: true }), kept)
      await peer.call('blocks.update', { uuid: top, content: 'other', properties: { mood: 'bad' } })
      await peer.call('blocks.exact', block)
      assert.deepEqual(await peer.call('blocks.state', { uuid: top, children: true }), kept)
      await peer.call('blocks.delete', { uuid: top })

      await peer.call('pages.create', { title: 'Brief', properties: { area: 'home' }, create_first_block: false })
      await peer.call('pages.append', { page: 'Brief', uuid: uuid(), content: 'a line' })
      const { blocks, ...bare } = await peer.call('pages.state', { page: 'Brief', blocks: true })
      await peer.call('pages.delete', { page: 'Brief' })
      await peer.call('pages.restore', { page: bare })
      if (kind === 'og') await peer.call('blocks.restore', { page: bare.name, blocks })
      assert.deepEqual(await peer.call('pages.state', { page: 'Brief', blocks: true }), { ...bare, blocks })
      await peer.call('pages.delete', { page: 'Brief' })
    })

    test('a bare answer names nothing that was not asked for', async () => {
      const block = await peer.call('blocks.get', { uuid: known.refers, bare: true })
      assert.equal(block.content, block.raw.replace(/\nid:: .*/, ''))
      assert.match(block.content, /[0-9a-f-]{36}/)
    })

    test('pages are created once, with properties, renamed and deleted', async () => {
      const made = await peer.call('pages.create', { title: 'Plans', properties: { area: 'home' }, create_first_block: false })
      assert.equal(made.existed, false)
      assert.deepEqual(made.page.properties, { area: 'home' })
      assert.equal((await peer.call('pages.update', { page: 'Plans', properties: { area: 'garden' } })).properties.area, 'garden')
      assert.equal((await peer.call('pages.create', { title: 'plans' })).existed, true)
      const appended = await peer.call('pages.append', { page: 'Plans', uuid: uuid(), content: 'paint' })
      assert.equal(appended.page.name, 'Plans')
      const renamed = await peer.call('pages.rename', { page: 'Plans', name: 'Designs' })
      assert.equal(renamed.name, 'Designs')
      const { blocks } = await peer.call('pages.tree', { page: 'Designs' })
      assert.deepEqual(blocks.map((block: any) => block.content), ['paint'])
      await assert.rejects(peer.call('pages.rename', { page: 'Designs', name: 'Books' }), refusal('INVALID_INPUT'))
      const gone = await peer.call('pages.delete', { page: 'Designs' })
      assert.equal(gone.recycled, kind === 'db')
      if (kind === 'og') await assert.rejects(peer.call('pages.get', { page: 'Designs' }), refusal('NOT_FOUND'))
      else assert.equal((await peer.call('pages.get', { page: 'Designs' })).recycled, true)
    })

    test('search finds blocks and pages in any case of letters', async () => {
      const found = await peer.call('search', { query: 'MIDDLEMARCH', limit: 5 })
      assert.ok(found.pages.some((page: any) => page.name === 'Middlemarch'))
      const few = await peer.call('search', { query: 'a (b', limit: 5 })
      assert.deepEqual(few.blocks, [])
      const ada = await peer.call('search', { query: 'to ada', limit: 1 })
      assert.deepEqual(ada.blocks.map((block: any) => block.uuid), [known.second])
      assert.equal(ada.blocks[0].page.name, 'Books')
    })

    test('backlinks', async () => {
      const { blocks, total } = await peer.call('pages.backlinks', { page: 'Middlemarch', limit: 10 })
      assert.deepEqual([blocks[0].uuid, total], [known.first, 1])
    })

    test('queries keep every input', async () => {
      const text = kind === 'og' ? ':block/content' : ':block/title'
      const { rows, total } = await peer.call('query', {
        query: `[:find ?u :in $ ?t ?p :where [?b ${text} ?t] [?b :block/uuid ?u] [?b :block/page ?page] [?page :block/name ?p]]`,
        inputs: ['"Lend it to Ada"', '"books"'].map((input) => (kind === 'og' ? input.replace('Ada"', `Ada\\nid:: ${known.second}"`) : input)),
        limit: 5,
      })
      assert.deepEqual([rows, total], [[[known.second]], 1])
      await assert.rejects(peer.call('query', { query: '[:find' }), refusal('INVALID_INPUT'))
    })

    test('tasks are listed and set', async () => {
      const { blocks } = await peer.call('tasks.list', { status: [kind === 'og' ? 'TODO' : 'Todo'] })
      assert.deepEqual(blocks.map((block: any) => block.uuid), [known.task])
      assert.equal(blocks[0].priority, kind === 'og' ? 'A' : 'High')
      const set = await peer.call('tasks.set', { uuid: known.task, status: 'doing', priority: 'low', deadline: '2026-12-01' })
      assert.equal(set.marker.toUpperCase(), 'DOING')
      assert.equal(set.deadline, 20261201)
      assert.equal(set.priority, kind === 'og' ? 'C' : 'Low')
      await assert.rejects(peer.call('tasks.set', { uuid: known.task, status: 'someday' }), refusal('INVALID_INPUT'))
      if (kind === 'db') {
        const unknown = peer.call('blocks.update', { uuid: known.task, content: 'other words', properties: { Priority: 'Sometime' } })
        await assert.rejects(unknown, (thrown) => refusal('INVALID_INPUT')(thrown) && /Low, Medium, High, Urgent/.test(String(thrown)))
        const now = await peer.call('blocks.get', { uuid: known.task })
        assert.deepEqual([now.content, now.priority], ['water the plants', 'Low'])
      }
    })

    test('tags, properties and templates', async () => {
      const { tags } = await peer.call('tags.list')
      assert.ok(tags.some((tag: any) => tag.name === 'private'), JSON.stringify(tags))
      const { properties } = await peer.call('properties.list')
      const named = properties.map((property: any) => property.name)
      assert.ok(named.includes(kind === 'og' ? 'template' : 'Rating'), String(named))
      if (kind === 'og') assert.equal((await peer.call('templates.list')).templates[0].name, 'meeting')
      else await assert.rejects(peer.call('templates.list'), refusal('CAPABILITY_MISSING'))
    })

    test("a person's typing is told as a change", async () => {
      const before = peer.notified.length
      await window.person('update_block', known.second, 'Lend it to Grace')
      const deadline = Date.now() + 60_000
      let told: any
      while (!told && Date.now() < deadline) {
        told = peer.notified.slice(before).find((one) => one.method === 'changed' && one.params.blocks.some((block: any) => block.uuid === known.second))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      assert.ok(told.params.pages.includes('Books'))
      assert.equal(JSON.stringify(told).includes('Grace'), false, 'ids and names only')
    })

    test('some levels below a block are what the whole page shows there', async () => {
      const ids = Array.from({ length: 5 }, uuid)
      const tree = ids.reduceRight((children, id, at) => [{ uuid: id, content: `level ${at}`, children }, ...(at === 2 ? [{ uuid: uuid(), content: 'beside' }] : [])], [] as unknown[])
      await peer.call('blocks.insert', { target: known.refers, place: 'last', blocks: tree })
      const whole = await peer.call('blocks.get', { uuid: ids[0], depth: -1 })
      const levels = ({ children, ...block }: any, depth: number): any => ({
        ...block,
        ...(depth > 0 && children ? { children: children.map((child: any) => levels(child, depth - 1)) } : {}),
      })
      for (const depth of [0, 1, 2, 3, 4]) {
        assert.deepEqual(await peer.call('blocks.get', { uuid: ids[0], depth }), levels(whole, depth), `${depth} levels`)
      }
      assert.equal(whole.children[0].children.length, 2)
    })

    test('a null that should have been a block is no success', async () => {
      await window.fault('insert_block', 'null', 1)
      const write = peer.call('blocks.create', { uuid: uuid(), target: 'Books', content: 'x' })
      await assert.rejects(write, (thrown) => {
        refusal('INTERNAL')(thrown)
        assert.equal((thrown as Refused).refusal.data?.applied, false)
        return true
      })
    })

    test("Logseq's own complaint is passed on", async () => {
      await window.fault('update_block', 'throw', 1)
      const write = peer.call('blocks.update', { uuid: known.second, content: 'x' })
      await assert.rejects(write, (thrown) => {
        refusal('INTERNAL')(thrown)
        assert.match((thrown as Refused).message, /the moon is in the wrong phase/)
        return true
      })
    })

    test('a method that turns out to be missing is announced', async () => {
      await window.fault('remove_block', 'missing')
      await assert.rejects(peer.call('blocks.delete', { uuid: known.child }), refusal('CAPABILITY_MISSING'))
      const told = peer.notified.find((one) => one.method === 'announce')
      assert.equal(told?.params.api_capabilities.includes('blocks.delete'), false)
      assert.equal(told?.params.api_capabilities.includes('blocks.create'), true)
    })

    test('the status page has no secrets and no markup', async () => {
      const text = await window.status()
      assert.match(text, /connected/)
      assert.match(text, /remove_block/)
      assert.equal(text.includes(server.token), false)
    })

    test('the configuration of clients is copied in one click', async () => {
      const copied = await window.press('Copy MCP configuration')
      assert.deepEqual(JSON.parse(copied), { mcpServers: { lectern: { command: 'lectern', args: ['serve'] } } })
      assert.deepEqual((await window.told()).slice(-1), ['The MCP configuration copied'])
      assert.match(await window.press('Copy diagnostics'), /^\S[\s\S]*capabilities/i)
    })

    test('bad input names its field', async () => {
      for (const [method, params, field] of [
        ['blocks.get', { uuid: 'nonsense' }, 'uuid'],
        ['blocks.create', { uuid: uuid(), target: 'Books', content: 'x', place: 'inside' }, 'place'],
        ['blocks.create', { uuid: known.first, target: 'Books', content: 'x' }, 'uuid'],
        ['pages.get', {}, 'page'],
        ['search', { query: ' ' }, 'query'],
        ['pages.list', { limit: 'many' }, 'limit'],
      ] as const) {
        await assert.rejects(peer.call(method, params), (thrown) => {
          refusal('INVALID_INPUT')(thrown)
          assert.equal((thrown as Refused).refusal.data?.field, field)
          return true
        })
      }
      await assert.rejects(peer.call('no.such'), refusal('CAPABILITY_MISSING'))
      await assert.rejects(peer.call('blocks.create', { uuid: uuid(), target: 'No such page', content: 'x' }), refusal('NOT_FOUND'))
    })
  })
}

describe('settings', suite, () => {
  for (const kind of ['og', 'db'] as const) {
    test(`hidden pages and tags do not exist (${kind})`, async () => {
      const { window, peer } = await open(kind, { excludedPages: 'Books', excludedTags: '#Private' })
      assert.equal(peer.hello.api_capabilities.includes('datascript.query'), false)
      await assert.rejects(peer.call('pages.get', { page: 'Books' }), refusal('NOT_FOUND'))
      for (const hidden of [known.first, known.secret, known.below]) {
        await assert.rejects(peer.call('blocks.get', { uuid: hidden }), refusal('NOT_FOUND'))
      }
      await assert.rejects(peer.call('blocks.create', { uuid: uuid(), target: known.below, content: 'x' }), refusal('NOT_FOUND'))
      assert.deepEqual((await peer.call('pages.tree', { page: 'Diary' })).blocks, [])
      assert.deepEqual((await peer.call('search', { query: 'nobody', limit: 9 })).blocks, [])
      assert.equal((await peer.call('pages.backlinks', { page: 'Middlemarch' })).total, 0)
      await assert.rejects(peer.call('query', { query: '[:find ?b :where [?b :block/uuid _]]' }), refusal('CAPABILITY_MISSING'))
      await window.close()
    })
  }

  test('read-only refuses every write', async () => {
    const { window, peer } = await open('db', { readOnly: true })
    assert.equal(peer.hello.api_capabilities.includes('blocks.create'), false)
    assert.ok(peer.hello.api_capabilities.includes('blocks.read'))
    await assert.rejects(peer.call('blocks.update', { uuid: known.first, content: 'x' }), refusal('CAPABILITY_MISSING'))
    await assert.rejects(peer.call('tasks.set', { uuid: known.task, status: 'done' }), refusal('CAPABILITY_MISSING'))
    await window.close()
  })

  test('the long way round carries the same frames', async () => {
    const { window, peer } = await open('og', { transport: 'poll' })
    const { blocks } = await peer.call('pages.tree', { page: 'Books' })
    assert.equal(blocks.length, 2)
    assert.equal((await peer.call('ping')).graph, 'demo')
    await window.close()
  })
})

describe('trouble', suite, () => {
  test('a late write says that it may have landed, and it has', async () => {
    const { window, peer } = await open('db')
    await window.fault('insert_block', 'late', 1)
    const id = uuid()
    await assert.rejects(peer.call('blocks.create', { uuid: id, target: 'Books', content: 'slow' }), (thrown) => {
      refusal('TIMEOUT')(thrown)
      assert.equal((thrown as Refused).refusal.data?.applied, 'unknown')
      return true
    })
    assert.equal((await peer.call('blocks.get', { uuid: id })).content, 'slow')
    await window.close()
  })

  test('another graph is announced, with its own blocks', async () => {
    const { window, peer } = await open('og')
    await peer.call('pages.create', { title: 'Only here' })
    await window.openGraph('other')
    while (!peer.notified.some((one) => one.method === 'announce' && one.params.graph.name === 'other')) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await assert.rejects(peer.call('pages.get', { page: 'Only here' }), refusal('NOT_FOUND'))
    await window.close()
  })

  test('a plugin that is reloaded comes back', async () => {
    const { window } = await open('db')
    const again = server.arrival()
    await window.reload()
    assert.equal((await (await again).call('pages.get', { page: 'Books' })).name, 'Books')
    await window.close()
  })

  test('a lost connection is made again, a replaced one is not', async () => {
    const { window, peer } = await open('db')
    const again = server.arrival()
    peer.close(4000, 'restart')
    const next = await again
    assert.equal((await next.call('pages.get', { page: 'Books' })).name, 'Books')
    next.send({ method: 'replaced', params: { reason: 'another window has this graph' } })
    next.close(4001, 'replaced')
    while (!/another window has this graph/.test(await window.status())) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await window.close()
  })

  test('a server that cannot prove the token is told nothing more', async () => {
    server.lying = true
    try {
      const { window, peer } = await open('db')
      while (!/does not know the token/.test(await window.status())) {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      await window.close()
      assert.equal(peer.notified.length, 0)
    } finally {
      server.lying = false
    }
  })

  test('without DataScript nothing is offered', async () => {
    const { window, peer } = await open('og', {}, { faults: { datascript_query: 'missing' } })
    assert.deepEqual(peer.hello.api_capabilities, [])
    await assert.rejects(peer.call('pages.get', { page: 'Books' }), refusal('CAPABILITY_MISSING'))
    await window.close()
  })
})
