import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Stage, patience, skip } from './stage'
import { numbers } from './walk'
import { type Pair, build, makePair, question } from './worlds'

// Pairs of random DB graphs that differ in nothing but what random rules hide:
// every tool answers the same in both, byte for byte. PRIVACY_PAIRS makes more
// of them, PRIVACY_ROUNDS asks each tool more often, PRIVACY_SEED begins elsewhere.

const pairs = Number(process.env.PRIVACY_PAIRS ?? 1)
const rounds = Number(process.env.PRIVACY_ROUNDS ?? 1)
const seed = Number(process.env.PRIVACY_SEED ?? 1)
const long = { timeout: patience.timeout + pairs * rounds * 240_000 }

const made = Array.from({ length: pairs }, (_, nth) => {
  const random = numbers(seed + nth)
  return { graphs: [`one-${nth}`, `other-${nth}`], random, pair: makePair(random) }
})

let stage: Stage

before(async () => {
  if (skip) return
  const rulesOf = (graph: string) => made.find(({ graphs }) => graphs.includes(graph))!.pair.rules
  stage = await Stage.start(made.flatMap(({ graphs }) => graphs), (graph) => `exclude = ${JSON.stringify(rulesOf(graph))}\n`)
}, patience)

after(async () => {
  if (!skip) await stage.stop()
})

describe('every tool answers as if what is hidden were not there', { ...long, skip }, () => {
  for (const [nth, { graphs, random, pair }] of made.entries()) {
    test(`seed ${seed + nth}: ${pair.rules.join(', ')}`, long, () => compare(graphs, random, pair))
  }
})

/** Tools that delete, replace or move what lies below something, hidden or not. */
const takes = new Set(['delete_page', 'delete_block', 'replace_page_content', 'move_block'])
const refusal = /^what this would change is hidden from agents\./

async function compare(graphs: string[], random: () => number, pair: Pair): Promise<void> {
  const windows = []
  for (const [world, graph] of graphs.entries()) {
    const window = await stage.open('db', graph)
    windows.push(window)
    await build(window, pair.items[world]!)
  }
  const offered = await stage.agent.tools()
  const readers = graphs.map((graph) => new Reader(graph, pair))
  const differ: string[] = []
  for (let round = 0; round < rounds; round++) {
    for (const tool of shuffled(random, offered)) {
      const args = question(tool, random, pair)
      const ask = async (more: object = {}) => Promise.all(graphs.map((graph) => stage.call(graph, tool, { ...args, ...more })))
      // What would take hidden blocks with it is refused, and done in the graph that has none there.
      if (takes.has(tool) && (await ask({ dry_run: true })).filter((answer) => refusal.test(answer.text)).length === 1) continue
      const [one, other] = (await ask()).map((answer, world) => readers[world]!.read(answer))
      if (one !== other) differ.push(`${tool} ${JSON.stringify(args)}\n  ${one}\n  ${other}`)
    }
  }
  assert.deepEqual(differ, [])
  for (const window of windows) await window.close()
}

const shuffled = (random: () => number, all: string[]) => all.map((one) => [random(), one] as const).sort(([a], [b]) => a - b).map(([, one]) => one)

/** Reads answers of a graph, without the three things in which any two graphs differ. */
class Reader {
  private readonly chosen = new Map<string, string>()
  private readonly given: Set<string>

  constructor(
    private readonly graph: string,
    pair: Pair,
  ) {
    this.given = new Set(pair.uuids)
  }

  read({ error, text, structured }: { error: boolean; text: string; structured: unknown }): string {
    return JSON.stringify([error, text, structured])
      // A source has a name of its own.
      .replaceAll(this.graph, 'GRAPH')
      // How long Logseq took.
      .replace(/(round_trip_ms\\*":)\d+/g, '$10')
      // Uuids that Logseq or Lectern chose are random: each becomes the number of its first appearance.
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uuid) => (this.given.has(uuid) ? uuid : this.numberOf(uuid)))
  }

  private numberOf(uuid: string): string {
    const known = this.chosen.get(uuid) ?? `uuid ${this.chosen.size + 1}`
    this.chosen.set(uuid, known)
    return known
  }
}
