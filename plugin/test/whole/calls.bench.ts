import { openDoor } from '../host/door'
import { Logseq } from '../host/launch'
import { known } from '../host/seed'
import { TestServer } from '../host/server'
import { type Agent, Lectern } from './lectern'

// Prints what a call costs from an MCP client through the hub to the plugin
// and back, beside the same question put straight to a plugin, which is the
// host's own time, and beside an MCP ping, which goes no further than the hub.
// The three take turns, so that what else the machine does is the same to all.

const calls = 320
const agents = 16
const binary = process.env.LECTERN_BIN
if (!binary) throw new Error('LECTERN_BIN names no binary')

const logseq = await Logseq.start()
const server = new TestServer()
await server.listen()
const lectern = await Lectern.prepare(binary, '[[source]]\nname = "graph"\nkind = "logseq"\neffects = ["read", "write", "delete", "run"]\n')
const door = await openDoor(lectern.port)
const first = await lectern.agent()

const { peer, beside } = await straight()
const window = await logseq.open({ kind: 'db', settings: { port: door.port, token: await lectern.token() } })
while ((await first.call('ping')).structured.connected !== true) await new Promise((resolve) => setTimeout(resolve, 50))
for (const [what, own, whole] of [
  ['ping, which the plugin answers by itself', () => peer.call('ping'), () => ping(first)],
  ['get_block, which asks the graph', () => peer.call('blocks.get', { uuid: known.first }), () => read(first)],
] as const) {
  const [host, line, all] = await times(own, () => first.ping(), whole)
  console.log(what)
  report('  straight to the plugin', host!)
  report('  from the client to the hub, an MCP ping', line!)
  report('  from the client to the plugin', all!)
  const added = middle(all!) - middle(host!)
  console.log(`  client, shim, hub and bridge add  ${added.toFixed(2)} ms at the median; all but client and shim  ${(added - middle(line!)).toFixed(2)} ms`)
}
await beside.close()

const many = await Promise.all(Array.from({ length: agents }, () => lectern.agent()))
for (const [what, run] of [['ping', ping], ['get_block, which asks the graph', read]] as const) {
  const begun = performance.now()
  await Promise.all(many.map((agent) => repeat(calls / agents, () => run(agent))))
  console.log(`${agents} agents, ${what}  ${Math.round(calls / ((performance.now() - begun) / 1000))} calls a second`)
}

await window.close()
await lectern.stop()
door.close()
await logseq.stop()
server.stop()

async function straight() {
  const arrival = server.arrival()
  const beside = await logseq.open({ kind: 'db', settings: { port: server.port, token: server.token } })
  return { peer: await arrival, beside }
}

async function read(agent: Agent): Promise<void> {
  const answer = await agent.call('get_block', { block_uuid: known.first })
  if (answer.error) throw new Error(answer.text)
}

async function ping(agent: Agent): Promise<void> {
  if ((await agent.call('ping')).structured.connected !== true) throw new Error('the plugin is gone')
}

async function repeat(count: number, run: () => Promise<unknown>): Promise<void> {
  for (let at = 0; at < count; at++) await run()
}

/** How long each of these takes, sorted, without the warming up. */
async function times(...runs: (() => Promise<unknown>)[]): Promise<number[][]> {
  const found = runs.map((): number[] => [])
  for (let at = 0; at < calls; at++) {
    for (const [which, run] of runs.entries()) {
      const begun = performance.now()
      await run()
      found[which]!.push(performance.now() - begun)
    }
  }
  return found.map((took) => took.slice(calls / 10).sort((a, b) => a - b))
}

function middle(sorted: number[]): number {
  return sorted[Math.floor(sorted.length / 2)]!
}

function report(what: string, sorted: number[]): void {
  const slow = sorted[Math.floor(sorted.length * 0.95)]!
  console.log(`${what}  ${middle(sorted).toFixed(2)} ms at the median, ${slow.toFixed(2)} ms at the 95th of 100`)
}
