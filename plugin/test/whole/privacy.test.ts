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
  stage = await Stage.start([...worlds], 'exclude = ["namespace:work", "#secret"]\n')
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
  await window.person('create_property', 'Owner', { type: 'node' })
  if (!hiding) return
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
  ['get_tags', {}, /private/],
  ['list_properties', {}, /Owner/],
]

describe('what is hidden is as what is not there, on DB graphs', { ...patience, skip }, () => {
  for (const [tool, args, has] of asked) {
    test(`${tool} ${JSON.stringify(args)}`, async () => {
      const [one, other] = await Promise.all(worlds.map(async (graph) => told(await stage.call(graph, tool, args))))
      assert.equal(one, other)
      assert.match(one!, has)
      assert.doesNotMatch(one!, /work\/|may not know|of old(?!" in)/)
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
