import assert from 'node:assert/strict'
import { test } from 'node:test'
import { person } from '../host/db'
import { known } from '../host/seed'
import { openSeed } from './methods'

// The files that blocks show, on the stand-in's database.

type Ask = (method: string, params: Record<string, unknown>) => Promise<any>

const listed = async (ask: Ask, params = {}) => {
  const { blocks, total } = await ask('assets.list', params)
  return [blocks.map(({ uuid, files }: any) => [uuid, ...files]), total]
}

test('a file graph lists what blocks link to', async () => {
  const { ask, logseq } = openSeed('og')
  const write = (uuid: string, text: string) => logseq.update_block!(uuid, text, {})
  write(known.first, 'see ![plan](../assets/plan%20of%20beds_1.png){:width 300} and [list](../assets/sub/list.pdf)')
  write(known.second, 'assets/none.png is no link, ../assets is no file')
  write(known.refers, '[[../assets/old.org.png]] and "../assets/quoted.mp3" and 100%: ../assets/100%.txt')
  assert.deepEqual(await listed(ask), [[
    [known.first, 'plan of beds_1.png', 'sub/list.pdf'],
    [known.refers, 'old.org.png', 'quoted.mp3', '100%.txt'],
  ], 2])
  assert.deepEqual(await listed(ask, { offset: 1, limit: 1 }), [[[known.refers, 'old.org.png', 'quoted.mp3', '100%.txt']], 2])
})

test('a DB graph lists its assets by their blocks, but not what is elsewhere', async () => {
  const { ask, world } = openSeed('db')
  person.show_file!(world, known.first, 'png')
  person.show_file!(world, known.second, 'pdf')
  person.show_file!(world, known.task, '../../etc/passwd')
  world.set(world.byUUID(known.second)!.id, { ':logseq.property.asset/external-url': 'https://example.org/a.pdf' })
  assert.deepEqual(await listed(ask), [[[known.first, `${known.first}.png`]], 1])
  assert.deepEqual((await ask('blocks.get', { uuid: known.first })).files, [`${known.first}.png`])
  assert.equal((await ask('blocks.get', { uuid: known.second })).files, undefined)
})

for (const kind of ['og', 'db'] as const) {
  test(`what the settings hide shows no files on a ${kind} graph`, async () => {
    const { ask, world } = openSeed(kind, { pages: ['reviews'], tags: ['private'] })
    for (const uuid of [known.refers, known.secret, known.below, known.first]) person.show_file!(world, uuid, 'png')
    assert.deepEqual(await listed(ask), [[[known.first, `${known.first}.png`]], 1])
  })
}
