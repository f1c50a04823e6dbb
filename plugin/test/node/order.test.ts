import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesOf } from '../host/ogfiles'
import { loadFile } from '../host/ogload'
import type { Entity } from '../host/world'
import { numbers } from '../whole/walk'
import { openSeed } from './methods'

// The order of blocks is the one that Logseq shows, whatever the order of their
// ids is and whatever of a page is left out: the block of its properties, and
// what the plugin hides.

type Tree = { uuid: string; children: Tree[] }
type Position = 'before' | 'after' | 'first' | 'last'

const hiding = { pages: [], tags: ['private'] }

function open(kind: 'og' | 'db') {
  const opened = openSeed(kind, hiding)
  const { ask, logseq, world } = opened
  const page = 'Recipe'
  logseq.create_page!(page, {}, { redirect: false, createFirstBlock: false })
  const rows = (parent: number): Entity[] => world.children(parent).filter((row) => !row[':block/pre-block?'])
  const blocks = () => rows(world.find(':block/name', page.toLowerCase())!.id)
  const tree = (row: Entity): Tree => ({ uuid: row[':block/uuid'], children: rows(row.id).map(tree) })
  return {
    ...opened, page,
    /** What Logseq shows below the page's properties. */
    shown: () => blocks().map(tree),
    sees: () => blocks().map((row) => row[world.text] as string),
    /** A person writes a block, which gets the highest id. */
    person: (target: string, text: string, at: Entity) => (logseq.insert_block!(target, text, at) as { uuid: string }).uuid,
    append: async (content: string) => (await ask('pages.append', { page, content, uuid: crypto.randomUUID() })).uuid as string,
    texts: async () => (await ask('pages.tree', { page, depth: 1 })).blocks.map((one: any) => one.content) as string[],
  }
}

for (const kind of ['og', 'db'] as const) {
  test(`${kind}: on a page with properties, a block that a person inserted is where they put it, and the next ones go where they are told`, async () => {
    const { ask, append, person, page, texts, sees, shown } = open(kind)
    await ask('pages.update', { page, properties: { kind: 'recipe' } })
    const [one] = [await append('one'), await append('four')]
    const two = person(one, 'two', { sibling: true })
    assert.deepEqual(await texts(), ['one', 'two', 'four'])
    await append('five')
    const create = (place: Position, target: string, content: string) => ask('blocks.create', { uuid: crypto.randomUUID(), target, place, content })
    await create('last', page, 'six')
    await create('first', page, 'zero')
    await create('before', one, 'half')
    await create('after', two, 'three')
    await ask('blocks.insert', { target: page, place: 'last', blocks: [{ uuid: crypto.randomUUID(), content: 'seven' }, { uuid: crypto.randomUUID(), content: 'eight' }] })
    const wanted = ['zero', 'half', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']
    assert.deepEqual(sees(), wanted)
    assert.deepEqual(await texts(), wanted)
    const last = shown().at(-1)!.uuid
    await ask('blocks.move', { uuid: last, target: page, place: 'first' })
    await ask('blocks.move', { uuid: two, target: page, place: 'last' })
    assert.deepEqual(sees(), ['eight', 'zero', 'half', 'one', 'three', 'four', 'five', 'six', 'seven', 'two'])
    assert.equal((await ask('blocks.state', { uuid: two })).after, shown().at(-2)!.uuid)
  })
}

test('the block of a page\'s properties stays the first, whatever is moved to it', async () => {
  const { ask, append, page, texts, world, logseq } = open('og')
  const all = (name: string) => world.children(world.find(':block/name', name.toLowerCase())!.id).map((row) => row[world.text])
  logseq.create_page!('Other', {}, { redirect: false, createFirstBlock: false })
  await ask('pages.update', { page, properties: { kind: 'recipe' } })
  const only = await append('only')
  for (const place of ['first', 'last'] as const) {
    await ask('blocks.move', { uuid: only, target: page, place })
    assert.deepEqual(all(page), ['kind:: recipe', 'only'])
    await ask('blocks.move', { uuid: only, target: 'Other', place })
    assert.deepEqual([all(page), all('Other')], [['kind:: recipe'], ['only']])
    await ask('blocks.move', { uuid: only, target: page, place })
    assert.deepEqual([all(page), await texts()], [['kind:: recipe', 'only'], ['only']])
  }
})

test('with a page\'s last property its block goes, and no other comes', async () => {
  const { ask, append, page, texts, world } = open('og')
  const all = () => world.children(world.find(':block/name', page.toLowerCase())!.id).map((row) => row[world.text])
  const set = async (properties: object) => (await ask('pages.update', { page, properties })).properties
  const read = async () => {
    const listed = (await ask('pages.list', {})).pages.find(({ name }: any) => name === page)
    return [(await ask('pages.get', { page })).properties, listed.properties]
  }
  assert.deepEqual([await set({ kind: null }), all()], [{}, []])
  await append('one')
  assert.deepEqual([await set({ kind: null }), all()], [{}, ['one']])
  await set({ kind: 'recipe', area: 'south' })
  assert.deepEqual([await set({ area: null }), await read()], [{ kind: 'recipe' }, [{ kind: 'recipe' }, { kind: 'recipe' }]])
  const state = await ask('pages.state', { page })
  assert.deepEqual([await set({ kind: null }), await read(), all()], [{}, [{}, {}], ['one']])
  assert.equal((await ask('pages.state', { page })).text, undefined)
  await ask('pages.exact', { page: state })
  assert.deepEqual([await read(), all(), await texts()], [[{ kind: 'recipe' }, { kind: 'recipe' }], ['kind:: recipe', 'one'], ['one']])
})

test('what stands above the first block of a file stays when the last property there goes', async () => {
  const { ask, world } = open('og')
  loadFile(world, 'pages/Old.md', 'kind:: soup\n\nAbove.\n\n- one\n')
  assert.deepEqual((await ask('pages.update', { page: 'Old', properties: { kind: null } })).properties, {})
  assert.match(filesOf(world)['pages/Old.md']!, /^\s*Above\.\n\n- one$/)
})

test('of a list that Logseq has broken, what still hangs together stays together', async () => {
  const { append, page, texts, world, person } = open('og')
  const one = await append('one')
  const four = await append('four')
  const three = person(four, 'three', { sibling: true, before: true })
  const two = person(three, 'two', { sibling: true, before: true })
  const id = (uuid: string) => world.byUUID(uuid)!.id as number
  // The one between has gone, and nobody has joined the ends.
  world.retract([id(two)])
  assert.deepEqual(await texts(), ['one', 'three', 'four'])
  assert.equal((await texts()).length, world.all(':block/page', world.find(':block/name', page.toLowerCase())!.id).length)
  assert.ok(id(one) < id(four) && id(four) < id(three), 'the ids are in another order')
})

const all = (trees: Tree[]): Tree[] => trees.flatMap((one) => [one, ...all(one.children)])

/** The list that has a block, and where in it. */
function find(trees: Tree[], uuid: string): { list: Tree[]; at: number } | undefined {
  const at = trees.findIndex((one) => one.uuid === uuid)
  return at >= 0 ? { list: trees, at } : trees.map((one) => find(one.children, uuid)).find(Boolean)
}

/** What a page looks like when blocks were put somewhere. */
function put(trees: Tree[], target: string | undefined, place: Position, blocks: Tree[]): Tree[] {
  const after = structuredClone(trees)
  const beside = target !== undefined && find(after, target)
  if (place === 'before' && beside) beside.list.splice(beside.at, 0, ...blocks)
  else if (place === 'after' && beside) beside.list.splice(beside.at + 1, 0, ...blocks)
  else {
    const list = beside ? beside.list[beside.at]!.children : after
    list.splice(place === 'first' ? 0 : list.length, 0, ...blocks)
  }
  return after
}

function without(trees: Tree[], uuid: string): Tree[] {
  return trees.filter((one) => one.uuid !== uuid).map((one) => ({ ...one, children: without(one.children, uuid) }))
}

const leaf = (): Tree => ({ uuid: crypto.randomUUID(), children: [] })
const draft = (tree: Tree): object => ({ uuid: tree.uuid, content: `text of ${tree.uuid.slice(0, 4)}`, children: tree.children.map(draft) })

for (const kind of ['og', 'db'] as const) {
  test(`${kind}: random pages are read and written as Logseq shows them`, async () => {
    for (let seed = 1; seed <= (kind === 'og' ? 15 : 4); seed++) {
      const random = numbers(seed)
      const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
      const { ask, logseq, page, shown, person, append } = open(kind)
      const secrets = new Set<string>()
      const tag = kind === 'db' ? (logseq.get_page!('private') as Entity).uuid : ''
      const properties = () => ask('pages.update', { page, properties: { [kind === 'og' ? pick(['tags', 'alias', 'title', 'type']) : 'kind']: 'x' } })
      if (random() < 0.7) await properties()
      await append('first')
      /** Without what the plugin hides. */
      const open_ = (trees: Tree[]): Tree[] => trees.filter(({ uuid }) => !secrets.has(uuid)).map((one) => ({ ...one, children: open_(one.children) }))
      const compare = async (what: string) => {
        const read = (trees: any[]): Tree[] => trees.map((one) => ({ uuid: one.uuid, children: read(one.children ?? []) }))
        assert.deepEqual(read((await ask('pages.tree', { page, depth: -1 })).blocks), open_(shown()), `seed ${seed}, read after ${what}`)
        const above = all(open_(shown())).filter(({ children }) => children.length > 0)
        if (above.length === 0) return
        const one = pick(above)
        assert.deepEqual(read((await ask('blocks.get', { uuid: one.uuid, depth: -1 })).children), one.children, `seed ${seed}, block after ${what}`)
      }
      for (let step = 0; step < 12; step++) {
        const before = shown()
        const uuids = all(open_(before)).map(({ uuid }) => uuid)
        const place = pick(['before', 'after', 'first', 'last'] as const)
        const target = uuids.length > 0 && (random() < 0.6 || place === 'before' || place === 'after') ? pick(uuids) : undefined
        const on = target ?? page
        const where = target ? place : pick(['first', 'last'] as const)
        let wanted: Tree[] | undefined
        const what = pick(['write', 'write', 'move', 'drag', 'delete', 'properties', 'own', 'secret', 'append', 'create', 'insert', 'carry', 'undo'])
        if (what === 'properties') await properties()
        else if (what === 'append') wanted = put(before, undefined, 'last', [{ uuid: await append('appended'), children: [] }])
        else if (what === 'create') {
          const block = leaf()
          wanted = put(before, target, where, [block])
          await ask('blocks.create', { target: on, place: where, uuid: block.uuid, content: 'created' })
        } else if (what === 'insert') {
          const blocks = [{ ...leaf(), children: [leaf(), leaf()] }, leaf()]
          wanted = put(before, target, where, blocks)
          await ask('blocks.insert', { target: on, place: where, blocks: blocks.map(draft) })
        } else if (uuids.length > 0) {
          const uuid = pick(uuids)
          const { list, at } = find(before, uuid)!
          const inside = target !== undefined && find([list[at]!], target) !== undefined
          if (what === 'write') person(pick(uuids), 'by hand', { sibling: random() < 0.7, before: random() < 0.5 })
          else if (what === 'secret') {
            const hidden = person(uuid, kind === 'og' ? 'hidden #private' : 'hidden', { sibling: random() < 0.7 })
            if (kind === 'db') logseq.add_block_tag!(hidden, tag)
            secrets.add(hidden)
          } else if (what === 'own') logseq.upsert_block_property!(uuid, kind === 'og' ? 'mood' : ':user.property/Rating', kind === 'og' ? 'odd' : 3, {})
          else if (what === 'drag' && target && !inside) logseq.move_block!(uuid, target, pick([{}, { before: true }, { children: true }]))
          else if (what === 'delete') {
            wanted = without(before, uuid)
            await ask('blocks.delete', { uuid })
          } else if (what === 'move' && !inside) {
            wanted = put(without(before, uuid), target, where, [list[at]!])
            await ask('blocks.move', { uuid, target: on, place: where })
          } else if (what === 'carry') logseq.set_block_collapsed!(uuid, true)
          else if (what === 'undo') {
            wanted = before
            const { page: home, parent, after, before: behind, ...state } = await ask('blocks.state', { uuid, children: true })
            await ask('blocks.delete', { uuid })
            // One of its neighbours is enough to find its place again.
            const beside = pick<object>([after ? { after } : {}, behind ? { before: behind } : { last: true }])
            await ask('blocks.restore', { page: home, parent, ...beside, blocks: [state] })
          }
        }
        if (wanted) assert.deepEqual(shown(), wanted, `seed ${seed}: ${what} ${where}`)
        await compare(what)
      }
    }
  })

  test(`${kind}: a page that was deleted comes back in its order`, async () => {
    const { ask, append, person, page, shown } = open(kind)
    await ask('pages.update', { page, properties: { kind: 'recipe' } })
    const a = await append('a')
    await append('d')
    person(a, 'b', { sibling: true })
    person(a, 'a.1', { sibling: false })
    const before = shown()
    const { blocks, ...head } = await ask('pages.state', { page, blocks: true })
    assert.deepEqual(blocks.map(({ uuid }: any) => uuid), shown().map(({ uuid }) => uuid))
    await ask('pages.delete', { page })
    await ask('pages.restore', { page: head })
    if (kind === 'og') await ask('blocks.restore', { page, blocks })
    assert.deepEqual(shown(), before)
  })
}
