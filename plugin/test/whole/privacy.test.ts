import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Window } from '../host/launch'
import { Stage, patience, skip } from './stage'

// Two DB graphs that differ in nothing but what the rules of their sources
// hide: what agents are answered must be the same.

const worlds = ['hiding', 'empty'] as const

let stage: Stage
const windows: Window[] = []

before(async () => {
  if (skip) return
  stage = await Stage.start([...worlds], 'exclude = ["namespace:work", "#secret", "property:Owner=Ada", "property:Visibility=private"]\n')
  for (const graph of worlds) {
    const window = await stage.open('db', graph)
    windows.push(window)
    await furnish(window, graph === 'hiding')
  }
}, patience)

after(async () => {
  for (const window of windows) await window.close()
  if (!skip) await stage.stop()
})

async function furnish(window: Window, hiding: boolean): Promise<void> {
  const page = async (title: string) => ((await window.person('create_page', title, {}, { redirect: false })) as any).uuid as string
  const block = async (on: string, text: string) => ((await window.person('insert_block', on, text, { sibling: false })) as any).uuid as string
  const tag = ((await window.person('create_tag', 'secret', {})) as any).uuid as string
  const home = await page('home/salaries')
  await block(home, 'what the gardener gets')
  await block(home, 'TODO ask [[Books]]')
  const owner = await window.person('create_property', 'Owner', { type: 'node' })
  const visibility = await window.person('create_property', 'Visibility', { type: 'default' })
  const idOf = async (uuid: string) => ((await window.person('get_page', uuid)) as any).id as number
  const [ada, bob] = [await idOf(await page('Ada')), await idOf(await page('Bob'))]
  const pruned = await block(home, 'the gardener has pruned')
  await window.person('upsert_block_property', pruned, visibility, 'public', { reset: true })
  await window.person('upsert_block_property', pruned, owner, bob, { reset: true })
  await window.person('upsert_block_property', home, owner, bob, { reset: true })
  if (!hiding) return
  const plans = await page('Plans of the gardener')
  await window.person('upsert_block_property', plans, owner, ada, { reset: true })
  await block(plans, 'what the gardener gets next year')
  const unread = await block(home, 'what the gardener must not read, of [[Books]]')
  await window.person('upsert_block_property', unread, visibility, 'private', { reset: true })
  await block(unread, 'nor the gardener this')
  const adas = await block(home, 'what the gardener of [[Ada]] must not read')
  await window.person('upsert_block_property', adas, owner, ada, { reset: true })
  const work = await page('work/salaries')
  const hidden = await block(work, `what the gardener of [[${home}]] gets`)
  await window.person('add_block_tag', await block(home, 'what the gardener may not know'), tag)
  await window.person('add_block_tag', await page('Gardeners of old'), tag)
  await window.person('upsert_block_property', hidden, ':logseq.property/status', 'Todo', { reset: true })
  await window.person('add_block_tag', hidden, ':logseq.class/Task')
}

const asked: [tool: string, args: Record<string, unknown>, has: RegExp][] = [
  ['list_pages', { limit: 200 }, /home\/salaries/],
  ['search', { query: 'gardener' }, /what the gardener gets/],
  ['search', { query: 'salaries' }, /home\/salaries/],
  ['search', { query: 'gets gardener' }, /what the gardener gets/],
  ['get_page_content', { page_name: 'salaries' }, /what the gardener gets/],
  ['get_page_content', { page_name: 'home/salaries', format: 'json' }, /ask \[\[Books\]\]/],
  ['get_page_content', { page_name: 'work/salaries' }, /NOT_FOUND/],
  ['get_page_content', { page_name: 'work' }, /NOT_FOUND/],
  ['get_page_content', { page_name: 'Gardeners of old' }, /NOT_FOUND/],
  ['get_backlinks', { page_name: 'home/salaries' }, /"total":0|\[false/],
  ['get_backlinks', { page_name: 'Books' }, /ask \[\[Books\]\]/],
  ['list_tasks', { limit: 50 }, /water the plants/],
  ['find', { text: 'gardener' }, /what the gardener gets/],
  ['find', { tag: 'secret' }, /"total":0/],
  ['find', { task: [] }, /water the plants/],
  ['find', { namespace: 'work' }, /"total":0/],
  ['find', { namespace: 'home' }, /what the gardener gets/],
  ['find', { properties: { Owner: 'Ada' } }, /"total":0/],
  ['find', { properties: { Owner: 'Bob' } }, /the gardener has pruned/],
  ['find', { properties: { Visibility: 'private' } }, /"total":0/],
  ['find', { properties: { Visibility: 'public' } }, /the gardener has pruned/],
  ['find', { text: 'must not read' }, /"total":0/],
  ['get_page_content', { page_name: 'Plans of the gardener' }, /NOT_FOUND/],
  ['get_backlinks', { page_name: 'Ada' }, /"total":0/],
  ['get_backlinks', { page_name: 'Bob' }, /the gardener has pruned/],
  ['search', { query: 'next year' }, /Nothing has all of these words/],
  ['get_tags', {}, /private/],
  ['list_properties', {}, /Owner/],
]

describe('what is hidden is as what is not there, on DB graphs', { ...patience, skip }, () => {
  for (const [tool, args, has] of asked) {
    test(`${tool} ${JSON.stringify(args)}`, async () => {
      const [one, other] = await Promise.all(worlds.map(async (graph) => told(await stage.call(graph, tool, args))))
      assert.equal(one, other)
      assert.match(one!, has)
      assert.doesNotMatch(one!, /work\/|may not know|of old(?!" in)|Plans of|not read|next year/)
    })
  }

  test('and the two of one name are one', async () => {
    const { page } = await stage.ask('hiding', 'get_page_content', { page_name: 'salaries' })
    assert.equal(page.page_name, 'home/salaries')
  })
})

/** An answer without what differs between any two graphs. */
function told({ error, structured }: { error: boolean; structured: unknown }): string {
  const text = JSON.stringify([error, structured])
  return text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'uuid').replace(/"updated_at":\d+/g, '"updated_at":0').replace(/no page \\"[^"]*\\"/g, 'no page')
}
