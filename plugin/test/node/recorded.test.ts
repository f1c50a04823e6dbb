import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { type Recorded, replay } from '../host/replay'
import { exceptions } from './recorded'

// The stand-in against what Logseq's own code answered. The recordings are no
// part of this repository; where they lie beside it, every answer is compared.

const folder = process.env.LOGSEQ_RECORDED ?? path.resolve(process.cwd(), '../../shared/data/logseq-recorded')
const skip = existsSync(folder) ? false : `no recordings in ${folder}; LOGSEQ_RECORDED names another folder`

test('the page of what works where names each exception', () => {
  const page = readFileSync(path.resolve(process.cwd(), '../docs/logseq-compatibility.md'), 'utf8')
  const named = [...page.matchAll(/^\| `([\w ]+ \d+)` \| [^|]+\|$/gm)].map((m) => m[1]!)
  assert.deepEqual(named.sort(), [...exceptions().keys()].sort())
})

for (const file of ['recorded.jsonl', 'recorded-og.jsonl']) {
  test(`${file}: every answer is Logseq's, or an exception with a reason`, { skip }, (t) => {
    const lines = readFileSync(path.join(folder, file), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Recorded)
    const all = replay(lines)
    const differs = all.filter(({ equal }) => !equal)
    const count = `${all.length - differs.length} of ${all.length}`
    t.diagnostic(`${count} answers are equal`)
    assert.ok(readFileSync(path.resolve(process.cwd(), '../docs/logseq-compatibility.md'), 'utf8').includes(count), `the page says something else than ${count}`)
    if (process.env.LECTERN_DEBUG) for (const one of differs) console.error(`${one.at} ${one.method} ${JSON.stringify(one.args)}\n  Logseq    ${one.wanted.slice(0, 9000)}\n  stand-in  ${one.got.slice(0, 9000)}`)
    const known = exceptions()
    assert.deepEqual(differs.map(({ at }) => at).filter((at) => !known.has(at)), [], 'no exception is listed for these')
    const scenarios = new Set(lines.map(({ scenario }) => scenario))
    const mine = [...known.keys()].filter((at) => scenarios.has(at.replace(/ \d+$/, '')))
    const open = new Set(differs.map(({ at }) => at))
    assert.deepEqual(mine.filter((at) => !open.has(at)), [], 'these are equal by now: take them off the list')
  })
}
