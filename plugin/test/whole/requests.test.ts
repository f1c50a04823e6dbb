import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { known } from '../host/seed'
import { Stage, patience, skip, until } from './stage'

// "Ask an agent about this" from Logseq's menus to an agent and back, and what
// an agent must not hear of it.

const ask = 'Ask an agent about this'
let stage: Stage

before(async () => {
  if (!skip) stage = await Stage.start(['notes', 'files'], 'exclude = ["Diary"]\n')
}, patience)

after(async () => {
  if (!skip) await stage.stop()
})

describe('a person asks, an agent answers', { ...patience, skip }, () => {
  for (const [kind, graph] of [['db', 'notes'], ['og', 'files']] as const) {
    test(`on a ${kind} graph`, async () => {
      const uri = `logseq://${graph}/requests`
      const window = await stage.open(kind, graph)
      assert.deepEqual((await stage.ask(graph, 'list_requests')).requests, [])
      await stage.agent.subscribe(uri)
      await window.command(ask, { uuid: known.second })
      await until(async () => stage.agent.updated.includes(uri))
      const { requests } = await stage.ask(graph, 'list_requests')
      assert.deepEqual(requests.map(({ blocks }: any) => blocks[0].content), ['Lend it to Ada'])
      assert.deepEqual(JSON.parse((await stage.agent.read(uri)).text), { requests: [{ id: requests[0].id, at: requests[0].at, block_uuids: [known.second] }] })
      assert.match(await window.status(), /1 waiting for an agent/)

      const answer = await stage.ask(graph, 'answer_request', { request_id: requests[0].id, content: '- Ada has it\n  - since May' })
      assert.equal(answer.verified, true)
      const { block } = await stage.ask(graph, 'get_block', { block_uuid: known.second, include_children: true })
      assert.deepEqual(block.children.map((one: any) => [one.content, one.children[0].content]), [['Ada has it', 'since May']])
      assert.deepEqual((await stage.ask(graph, 'list_requests')).requests, [])
      await until(async () => /0 waiting for an agent/.test(await window.status()))
      await stage.refused('NOT_FOUND', graph, 'answer_request', { request_id: requests[0].id })

      const { changes } = JSON.parse(await stage.lectern.command(['changes', '--json', '-n', '1'])) as { changes: { id: string }[] }
      await stage.lectern.command(['undo', '--yes', changes[0]!.id])
      assert.equal('children' in (await stage.ask(graph, 'get_block', { block_uuid: known.second, include_children: true })).block, false)
      await window.close()
    })

    test(`about what is hidden there is no request on a ${kind} graph`, async () => {
      const uri = `logseq://${graph}/requests`
      const window = await stage.open(kind, graph)
      const told = () => stage.agent.updated.filter((one) => one === uri).length
      const before = told()
      await window.command(ask, { uuid: known.secret })
      await window.command(ask, { uuid: known.first })
      await until(async () => told() > before)
      const { requests, total } = await stage.ask(graph, 'list_requests')
      assert.deepEqual([requests.map(({ blocks }: any) => blocks[0].uuid), total], [[known.first], 1])
      assert.equal(told(), before + 1, 'it was told of the one that it may see')
      assert.doesNotMatch((await stage.agent.read(uri)).text, new RegExp(known.secret))
      assert.match(await window.status(), /2 waiting for an agent/, 'the person sees both')
      await window.close()
    })
  }

  test('what was asked while Lectern was away is there when it is back', async () => {
    const window = await stage.open('db', 'notes')
    await window.set({ port: 9, token: 'x' })
    await until(async () => /waiting for Lectern/.test(await window.status()))
    await window.command(ask, { uuid: known.task })
    await until(async () => (await window.told()).some((text) => /not connected/.test(text)))
    await window.set({ port: stage.door.port, token: await stage.lectern.token(), transport: 'websocket' })
    await until(async () => (await stage.ask('notes', 'ping')).connected)
    assert.deepEqual((await stage.ask('notes', 'list_requests')).requests.map(({ blocks }: any) => blocks[0].uuid), [known.task])
    await window.close()
  })
})
