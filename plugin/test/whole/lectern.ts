import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

// A Lectern of one's own: the real binary, its hub and a home that is thrown
// away. Agents are real MCP clients over stdio.

const run = promisify(execFile)

export interface Answer {
  error: boolean
  text: string
  structured: any
}

/** An agent connected by `lectern serve`. */
export class Agent {
  /** The resources that it was told of. */
  readonly updated: string[] = []

  constructor(private readonly client: Client) {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void this.updated.push(params.uri))
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const result: any = await this.client.callTool({ name, arguments: args }, undefined, { timeout: 60_000 })
    const text = (result.content ?? []).map((part: any) => part.text ?? '').join('\n')
    return { error: result.isError === true, text, structured: result.structuredContent }
  }

  tools = async (): Promise<string[]> => (await this.client.listTools()).tools.map((tool) => tool.name)
  read = async (uri: string) => (await this.client.readResource({ uri })).contents[0] as { text: string }
  subscribe = (uri: string) => this.client.subscribeResource({ uri })
  ping = () => this.client.ping()
  close = () => this.client.close()
}

export class Lectern {
  private readonly agents: Agent[] = []

  private constructor(
    private readonly binary: string,
    private readonly home: string,
    readonly port: number,
  ) {}

  /** Makes the home. The hub starts with the first agent. */
  static async prepare(binary: string, sources: string): Promise<Lectern> {
    const home = await mkdtemp(path.join(tmpdir(), 'lectern-whole-'))
    const lectern = new Lectern(binary, home, await freePort())
    // A test deletes more in a minute than an agent should without being asked about.
    const limits = '[limits]\nbreaker_deletes = 0\nbreaker_bytes = 0\n'
    const config = `[hub]\nport = ${lectern.port}\n\n${limits}\n${sources}`
    const said = await lectern.command(['config', '--help'])
    const file = path.join(home, path.relative(home, /^\s+(\/\S*\.toml)$/m.exec(said)![1]!))
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, config)
    return lectern
  }

  async command(args: string[]): Promise<string> {
    return (await run(this.binary, args, { env: this.env })).stdout
  }

  async agent(): Promise<Agent> {
    const client = new Client({ name: 'whole', version: '1' })
    await client.connect(new StdioClientTransport({ command: this.binary, args: ['serve'], env: this.env, stderr: 'inherit' }))
    const agent = new Agent(client)
    this.agents.push(agent)
    return agent
  }

  /** The token that the hub has made for plugins. */
  async token(): Promise<string> {
    for (const name of await readdir(this.home, { recursive: true })) {
      if (path.basename(name) === 'plugin.token') return (await readFile(path.join(this.home, name), 'utf8')).trim()
    }
    throw new Error(`no plugin.token below ${this.home}`)
  }

  async stop(): Promise<void> {
    for (const agent of this.agents) await agent.close().catch(() => undefined)
    await this.command(['hub', 'stop']).catch(() => undefined)
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 })
  }

  private get env(): Record<string, string> {
    return { PATH: process.env.PATH ?? '', HOME: this.home, LECTERN_HOME: this.home }
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
