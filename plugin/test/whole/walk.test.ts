import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Window } from '../host/launch'
import type { Outline } from '../host/outline'
import { Stage, patience, skip } from './stage'
import { Walk, adopt, numbers } from './walk'
import { furnish } from './walk_objects'

// What the answers claim against what the graph holds, after each of many
// random calls: with a person who edits beside, and alone, to be undone as a
// whole. WALK_STEPS makes it longer, WALK_SEED makes it another one, WALK_KINDS
// walks on one kind of graph only. Each walk is in a time zone of its own, in
// which days of the machine's may be others.

const steps = Number(process.env.WALK_STEPS ?? 8)
const seed = Number(process.env.WALK_SEED ?? 1)
const kinds = (['db', 'og'] as const).filter((kind) => (process.env.WALK_KINDS ?? 'db og').includes(kind))
const zones = { 'db-shared': 'America/New_York', 'db-alone': 'Pacific/Auckland', 'og-shared': 'Asia/Tokyo', 'og-alone': 'America/Los_Angeles' } as const
const long = { timeout: patience.timeout + steps * 2_000 }

let stage: Stage

before(async () => {
  if (!skip) stage = await Stage.start(kinds.flatMap((kind) => [`${kind}-shared`, `${kind}-alone`]))
}, patience)

after(async () => {
  if (!skip) await stage.stop()
})

const outline = (window: Window) => window.host('outline') as Promise<Outline>

async function open(kind: (typeof kinds)[number], whose: 'shared' | 'alone'): Promise<Window> {
  const graph = `${kind}-${whose}` as const
  const window = await stage.open(kind, graph, { zone: zones[graph] })
  assert.equal(await window.pluginZone(), zones[graph])
  await furnish(window, kind)
  return window
}

async function walk(window: Window, kind: 'db' | 'og', graph: string, person: boolean): Promise<void> {
  const random = numbers(seed)
  const steady = new Walk(random, kind)
  let now = await outline(window)
  for (let at = 0; at < steps; at++) {
    const hand = person && random() < 0.3 ? steady.byHand(now) : null
    if (hand) {
      await window.person(...hand)
      now = await outline(window)
    }
    const step = steady.next(now)
    if (!step) continue
    const what = `seed ${seed}, step ${at}: ${step.tool} ${JSON.stringify(step.args)}`
    const answer = await stage.call(graph, step.tool, step.args)
    const before = now
    const found = (now = await outline(window))
    if (typeof step.then === 'string') {
      assert.equal(answer.structured?.code, step.then, `${what}: ${answer.text}`)
      assert.deepEqual(found, before, `${what} was refused and did something`)
      continue
    }
    assert.equal(answer.error, false, `${what}: ${answer.text}`)
    assert.equal(answer.structured.verified, true, `${what}: ${answer.text}`)
    for (const [name, count] of Object.entries(step.counts ?? {})) assert.equal(answer.structured[name], count, what)
    assert.deepEqual(found, adopt(step.then, found), what)
  }
}

for (const kind of kinds) {
  describe(`${steps} random calls on a ${kind} graph`, { ...long, skip }, () => {
    test('do what they claim, beside a person', long, async () => {
      const window = await open(kind, 'shared')
      await walk(window, kind, `${kind}-shared`, true)
      await window.close()
    })

    test('are undone, all of them', long, async () => {
      const graph = `${kind}-alone`
      const window = await open(kind, 'alone')
      const before = await outline(window)
      await walk(window, kind, graph, false)
      await stage.lectern.command(['undo', '--yes', '--source', graph])
      // The empty pages above those that were made stay, and the days of values: Logseq made them. In the bin lies what was made.
      const stays = /^(Plot \d(\/Row 1)?|Nov \d+th, 2026)$/
      const now = Object.entries(await outline(window)).filter(([title, blocks]) => !title.startsWith('bin: ') && (title in before || blocks.length > 0 || !stays.test(title)))
      assert.deepEqual(Object.fromEntries(now), before)
      await window.close()
    })
  })
}
