import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join, split } from '../../src/adapters/propertylines'
import { offeredCapabilities } from '../../src/capabilities'
import { diagnostics } from '../../src/diagnostics'
import { string, uuid } from '../../src/edn'
import { journalName } from '../../src/journalname'
import { polling } from '../../src/poll'
import { readSettings } from '../../src/settings'
import { readInput, stringly } from '../host/edn'
import { settled } from './stage'

test('property lines leave the text and come back below its first line', () => {
  const raw = 'Read this\nid:: 1-2\nmood:: good, or so\nsecond line'
  const parts = split(raw)
  assert.deepEqual(parts, { body: 'Read this\nsecond line', lines: [['id', '1-2'], ['mood', 'good, or so']] })
  assert.equal(join(parts), raw)
  assert.equal(split('```\nnot:: one\n```').lines.length, 0)
  assert.equal(split('std::vector and a:: in text').lines.length, 0)
  assert.equal(join({ body: '', lines: [['a', 'b']] }), 'a:: b')
})

test('journals are named as the settings say', () => {
  assert.equal(journalName(20261121, 'MMM do, yyyy'), 'Nov 21st, 2026')
  assert.equal(journalName(20260312, 'EEEE, dd.MM.yyyy'), 'Thursday, 12.03.2026')
  assert.equal(journalName(20260103, "yyyy-MM-dd 'day' d"), '2026-01-03 day 3')
})

test('settings survive whatever a person typed', () => {
  assert.deepEqual(readSettings({ port: '12741', token: ' t ', excludedTags: '#Private, work', excludedPages: 'A/* , ,b' }), {
    port: 12741, token: 't', readOnly: false, excludedPages: ['a/*', 'b'], excludedTags: ['private', 'work'], transport: 'auto',
  })
  assert.equal(readSettings({ port: 'nine', readOnly: 'yes' }).port, 12740)
  assert.equal(readSettings(undefined).token, '')
})

test('EDN strings cannot be left early', () => {
  assert.equal(string('a"b\\'), '"a\\"b\\\\"')
  assert.equal(uuid('AAAAAAAA-1111-4111-8111-111111111111'), '#uuid "aaaaaaaa-1111-4111-8111-111111111111"')
})

test("the test host's way from EDN to DataScript", () => {
  assert.equal(stringly('[:find ?b :where [?b :block/name ":in/text"]]'), '[:find ?b :where [?b ":block/name" ":in/text"]]')
  assert.deepEqual(readInput('"two words"'), 'two words')
  assert.deepEqual(readInput('[1 2]'), [1, 2])
  assert.throws(() => readInput('word'), /symbol/)
})

test('each missing method takes its capabilities with it, and no others', () => {
  const now = { kind: 'db' as const, missing: new Set<string>(), readOnly: false, hiding: false }
  const all = offeredCapabilities(now)
  assert.ok(!all.includes('templates'))
  assert.deepEqual(all.filter((key) => !offeredCapabilities({ ...now, missing: new Set(['move_block']) }).includes(key)), ['blocks.move'])
  assert.deepEqual(offeredCapabilities({ ...now, missing: new Set(['datascript_query']) }), [])
  assert.deepEqual(all.filter((key) => !offeredCapabilities({ ...now, hiding: true }).includes(key)), ['datascript.query', 'query.own'])
  assert.equal(offeredCapabilities({ ...now, readOnly: true }).some((key) => /create|update|delete|move|insert|rename|\.set/.test(key)), false)
})

test('polls keep the order of frames and end with their reason', async () => {
  const bodies: any[] = []
  let waiting = (_answer: unknown) => {}
  const transport = polling(async (_url, body: any) => {
    bodies.push(body)
    if (body.session === '') return { session: 's', frames: [{ method: 'challenge' }] }
    if (body.wait_ms > 0) return new Promise((resolve) => (waiting = resolve))
    return { status: 200, body: '{"frames":[]}' } // as 2.x wraps an answer
  })
  const heard: unknown[] = []
  const link = transport.open(1, { onFrame: (text) => void heard.push(JSON.parse(text)), onClosed: (...end) => void heard.push(end) })
  await settled()
  link.send('{"id":"1"}')
  link.send('{"id":"2"}')
  await settled()
  assert.deepEqual(bodies.filter((body) => body.session === 's' && body.send.length > 0).flatMap((body) => body.send), [{ id: '1' }, { id: '2' }])
  waiting({ frames: [{ method: 'replaced' }], closed: { code: 4001, reason: 'newer' } })
  await settled()
  assert.deepEqual(heard, [{ method: 'challenge' }, { method: 'replaced' }, [4001, 'newer', true]])
})

test('diagnostics can be pasted in public', () => {
  const text = diagnostics({
    connection: { phase: 'waiting', detail: 'nothing answers', transport: 'poll' },
    logseq: { version: '2.0.1', kind: 'db', graph: { name: 'my diary', url: 'logseq_db_my-diary' } },
    access: { readOnly: false, capabilities: ['pages.list'] },
    settings: readSettings({ token: 'hush', excludedPages: 'affairs' }),
    versions: { plugin: '1', sdk: '2', skill: '3' },
    missing: ['move_block'],
    recentErrors: [{ at: '2026-11-21T08:00:00Z', method: 'pages.get', code: 'NOT_FOUND', message: 'no page "affairs"' }],
    log: [{ at: '2026-11-21T08:00:00Z', text: 'pages.get: NOT_FOUND: no page "affairs"' }],
    waiting: 2,
    everConnected: false,
    platform: 'Linux',
  })
  assert.doesNotMatch(text, /hush|diary|affairs/)
  assert.match(text, /NOT_FOUND/)
  assert.match(text, /move_block/)
})
