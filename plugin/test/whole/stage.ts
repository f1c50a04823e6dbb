import assert from 'node:assert/strict'
import { openDoor } from '../host/door'
import { Logseq, type Opening, type Window, noBrowser } from '../host/launch'
import { type Agent, type Answer, Lectern } from './lectern'

// What the tests in this folder stand on: a Lectern, a browser full of
// Logseqs, and an agent. LECTERN_BIN is the binary.

export const patience = { timeout: 240_000 } // for machines that do much else
const binary = process.env.LECTERN_BIN
export const skip = binary ? noBrowser : 'LECTERN_BIN names no binary'

type Kind = Opening['kind']

/** A graph of a name has a source of that name. */
export interface Graph {
  kind: Kind
  graph: string
}

export class Stage {
  private constructor(
    readonly logseq: Logseq,
    readonly lectern: Lectern,
    readonly door: { port: number; close(): void },
    readonly agent: Agent,
  ) {}

  /** more are further lines of each source, or of the source of a graph. */
  static async start(graphs: string[], more: string | ((graph: string) => string) = ''): Promise<Stage> {
    const logseq = await Logseq.start()
    const sources = graphs.map((graph) => `[[source]]\nname = "${graph}"\nkind = "logseq"\ngraph = "${graph}"\neffects = ["read", "write", "delete", "run"]\ntools = ["all"]\n${typeof more === 'string' ? more : more(graph)}`)
    const lectern = await Lectern.prepare(binary!, sources.join('\n'))
    return new Stage(logseq, lectern, await openDoor(lectern.port), await lectern.agent())
  }

  async stop(): Promise<void> {
    await this.lectern.stop()
    this.door.close()
    await this.logseq.stop()
  }

  /** Opens a graph and waits until its plugin is connected. */
  async open(kind: Kind, graph: string, more: { settings?: object; faults?: Record<string, string>; zone?: string } = {}): Promise<Window> {
    const settings = { port: this.door.port, token: await this.lectern.token(), transport: 'websocket', ...more.settings }
    const { faults, zone } = more
    const window = await this.logseq.open({ kind, graph, settings, ...(faults ? { faults } : {}), ...(zone ? { zone } : {}) })
    await connected(window)
    return window
  }

  /** Calls a tool on the source of a graph. */
  call(graph: string, tool: string, args: Record<string, unknown> = {}): Promise<Answer> {
    return this.agent.call(tool, { source: graph, ...args })
  }

  /** Calls a tool that must answer. */
  async ask(graph: string, tool: string, args: Record<string, unknown> = {}): Promise<any> {
    const answer = await this.call(graph, tool, args)
    assert.equal(answer.error, false, `${tool}: ${answer.text}`)
    return answer.structured
  }

  /** Calls a tool that must refuse with a code of the specification. */
  async refused(code: string, graph: string, tool: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const answer = await this.call(graph, tool, args)
    assert.equal(answer.error, true, `${tool} was not refused: ${answer.text}`)
    assert.equal(answer.structured.code, code, `${tool}: ${answer.text}`)
    return answer
  }
}

export const connected = (window: Window) => until(async () => /\nconnected/.test(await window.status()))

export async function until(done: () => Promise<boolean>, seconds = 60): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  while (!(await done())) {
    assert.ok(Date.now() < deadline, `it did not come about within ${seconds} s`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
