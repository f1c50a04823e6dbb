import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxFrame } from '../../src/frames'
import { nonce, pluginProof, sameProof, serverProof } from '../../src/proof'
import { Stage } from './stage'

const token = 'secret'

async function connected(answer: (method: string, params: any, signal: AbortSignal) => Promise<unknown> = async () => ({})) {
  const stage = new Stage(token, {}, answer)
  stage.wire.start()
  await greet(stage)
  assert.equal(stage.wire.state.phase, 'connected')
  return stage
}

async function greet({ link }: Stage) {
  const own = nonce()
  await link.says({ method: 'challenge', params: { nonce: own } })
  const proof = await serverProof(token, own, link.sent[0].params.nonce)
  await link.says({ id: 'h1', result: { type: 'hello_ack', proof, ping_every_ms: 20000, pong_within_ms: 10000 } })
}

test('proofs are HMAC-SHA256 of both nonces', async () => {
  // Computed with: printf 'lectern plugin v1\n%s\n%s' aa bb | openssl dgst -sha256 -hmac k
  assert.equal(await pluginProof('k', 'aa', 'bb'), 'e9e5b4b7cc558895ad1299ec02bc964c1efc9eb9a1019bf18f19583bb0234ec0')
  assert.equal(await serverProof('k', 'aa', 'bb'), 'ad60f3499fa861f2f7815f25508a3579f58e33a565d2199d12618d55dea66722')
  assert.equal(sameProof('ab', 'ab'), true)
  for (const other of ['', 'a', 'ac', 'abc']) assert.equal(sameProof('ab', other), false)
})

test('it comes back after 1, 2, 5, 10 and again 10 seconds', async () => {
  const stage = await connected()
  for (const seconds of [1, 2, 5, 10, 10]) {
    stage.link.close(1006, '')
    const before = stage.links.length
    await stage.timers.pass(seconds * 1000 - 1)
    assert.equal(stage.links.length, before)
    await stage.timers.pass(1)
    assert.equal(stage.links.length, before + 1)
  }
  await greet(stage)
  stage.link.close(1006, '')
  await stage.timers.pass(1000)
  assert.equal(stage.wire.state.phase, 'connecting', 'after a success it is quick again')
})

test('silence ends the connection', async () => {
  const stage = await connected()
  await stage.timers.pass(29_999)
  await stage.link.says({ id: 'p1', method: 'ping' })
  await stage.timers.pass(29_999)
  assert.equal(stage.wire.state.phase, 'connected')
  await stage.timers.pass(1)
  assert.deepEqual(stage.link.ended, { code: 4004, reason: 'the server stopped sending pings' })
})

test('a server that never greets is left after 5 s', async () => {
  const stage = new Stage(token, {}, async () => ({}))
  stage.wire.start()
  await stage.timers.pass(5000)
  assert.ok(stage.link.ended)
})

test('frames that break the rules end the connection with the reason', async () => {
  for (const [frame, why] of [
    ['{', /not JSON/],
    ['[]', /not an object/],
    ['{"id":1,"method":"ping"}', /id is not a string/],
    ['{"id":"a","method":"ping","params":[]}', /params is not an object/],
    ['{"id":"a","method":"ping","result":{}}', /both a request and an answer/],
    ['{}', /neither id nor method/],
    [' '.repeat(maxFrame + 1), /at most/],
  ] as const) {
    const stage = await connected()
    await stage.link.says(frame)
    assert.equal(stage.link.ended?.code, 4002)
    assert.match(stage.link.ended!.reason, why)
  }
})

test('a request in the very breath of the welcome is not lost', async () => {
  const stage = new Stage(token, {}, async () => ({ pong: true }))
  stage.wire.start()
  const own = nonce()
  await stage.link.says({ method: 'challenge', params: { nonce: own } })
  const proof = await serverProof(token, own, stage.link.sent[0].params.nonce)
  void stage.link.says({ id: 'h1', result: { proof } })
  await stage.link.says({ id: 'a', method: 'anything' })
  assert.deepEqual(stage.link.sent[1].result, { pong: true })
})

test('an answer that is too large is an answer that says so', async () => {
  const stage = await connected(async () => 'x'.repeat(maxFrame))
  await stage.link.says({ id: 'a', method: 'pages.list' })
  assert.equal(stage.link.sent[1].error.code, 'INVALID_INPUT')
  assert.match(stage.link.sent[1].error.message, /^limit: /)
})

test('a cancelled call hears of it and is not answered', async () => {
  let heard = false
  const stage = await connected((_method, _params, signal) => {
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve((heard = true))))
  })
  await stage.link.says({ id: 'a', method: 'search' })
  await stage.link.says({ method: 'cancel', params: { id: 'a' } })
  assert.equal(heard, true)
  assert.equal(stage.link.sent.length, 1)
})

test('without a token it does not connect', () => {
  const stage = new Stage('', {}, async () => ({}))
  stage.wire.start()
  assert.equal(stage.links.length, 0)
  assert.match(stage.wire.state.detail, /lectern plugin install/)
})
