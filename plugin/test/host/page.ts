import { Postmate } from '../../node_modules/@logseq/libs/dist/postmate/index.js'
import { type API, api } from './api'
import { person as byHand } from './db'
import { type Outline, outline } from './outline'
import { seed } from './seed'
import type { Personality, World } from './world'

// The page that stands in for Logseq: it loads the plugin in a frame, as
// Logseq does, and answers its calls from a World. window.host is how tests
// reach in.

/** late: done, never answered. lost: neither. null: not done, answered null. */
type Fault = 'late' | 'lost' | 'null' | 'missing' | 'throw'

interface Start {
  kind: Personality
  graph: string
  plugin: string
  faults: Record<string, Fault>
  settings: Record<string, unknown>
}

const pluginID = 'logseq-lectern'
const message = (name: string) => `#lspmsg#${name}`

class PageHost {
  private worlds = new Map<string, World>()
  private current = ''
  private faults = new Map<string, { kind: Fault; left: number }>()
  private child: any
  private api: API = {}
  private requests = 0
  /** The hooks of the plugin's commands, by their titles. */
  private readonly commands = new Map<string, string>()
  private lastHook = ''
  readonly told: string[] = []
  readonly calls: Record<string, number> = {}
  /** Milliseconds that each method took since it was last asked for. */
  private readonly took: Record<string, number> = {}

  constructor(private readonly start: Start) {
    this.current = start.graph
    for (const [method, kind] of Object.entries(start.faults)) this.fault(method, kind)
  }

  world = (): World => {
    let world = this.worlds.get(this.current)
    if (!world) {
      world = seed(this.start.kind, this.current)
      world.heard = (event) => this.hook('hook:db', 'changed', event)
      this.worlds.set(this.current, world)
    }
    return world
  }

  async load(): Promise<void> {
    this.api = api(this.world)
    const { plugin, settings } = this.start
    const baseInfo = { id: pluginID, lsr: plugin, mode: 'iframe', version: '0', name: pluginID, settings: { disabled: false, ...settings } }
    this.child = await this.shakeHands(plugin, baseInfo)
    this.child.on(message(pluginID), (call: any) => void this.serve(call))
    this.child.call(message('ready#'), { pid: pluginID })
  }

  /** Postmate gives up when the last words of a plugin that was unloaded come in between. */
  private async shakeHands(url: string, baseInfo: unknown, attempts = 5): Promise<any> {
    const frame: any = new Postmate({ container: document.body, url, model: { baseInfo } } as never)
    try {
      return await frame.sendHandshake()
    } catch (thrown) {
      if (attempts === 1) throw thrown
      frame.destroy()
      return this.shakeHands(url, baseInfo, attempts - 1)
    }
  }

  /** The plugin goes and comes back, as when a person reloads it. */
  async reload(): Promise<void> {
    this.child.destroy()
    await this.load()
  }

  quit(): void {
    this.child.destroy()
  }

  fault(method: string, kind: Fault, times = 1_000_000): void {
    this.faults.set(method, { kind, left: times })
  }

  spent(method: string): number {
    const ms = this.took[method] ?? 0
    this.took[method] = 0
    return ms
  }

  heal(): void {
    this.faults.clear()
  }

  open(graph: string): void {
    this.current = graph
    this.hook('hook:app', 'current_graph_changed', {})
  }

  set(settings: Record<string, unknown>): void {
    this.child.call(message('settings#'), { type: 'change', payload: settings })
  }

  /** Does what a person at the keyboard does. */
  person(method: string, ...args: unknown[]): unknown {
    return this.api[method] ? this.api[method](...args) : byHand[method]!(this.world(), ...args)
  }

  /** A person chooses a command of the plugin's. */
  command(title: string, about: unknown = {}): void {
    const [ns, tag, type] = this.commands.get(title)!.split(':')
    this.hook(`${ns}:${tag}`, type!, about)
  }

  setClock(at: number): void {
    this.world().setClock(at)
  }

  outline(): Outline {
    return outline(this.world())
  }

  private hook(ns: string, type: string, payload: unknown): void {
    this.child?.call(message(''), { ns, type, payload })
  }

  private async serve({ type, payload }: { type: string; payload: any }): Promise<void> {
    if (type !== 'api:call') return
    const method = snake(payload.method)
    this.register(method, payload.args ?? [])
    this.calls[method] = (this.calls[method] ?? 0) + 1
    const reply = (result: unknown) => this.child.call(message('reply#'), { _sync: payload._sync, result })
    try {
      const answered = await this.answer(method, payload.args ?? [])
      if (answered !== never) reply(answered ?? null)
    } catch (thrown) {
      reply({ [message('error#')]: thrown })
    }
  }

  /** What the plugin puts into menus, and says to the person. */
  private register(method: string, args: any[]): void {
    if (/install_plugin_hook$/.test(method)) this.lastHook = args[1]
    if (method === 'register_plugin_slash_command') this.commands.set(args[1][0], this.lastHook)
    if (method === 'register_plugin_simple_command') this.commands.set(`${args[1][0].type ?? 'palette'}: ${args[1][0].label}`, this.lastHook)
    if (/show_msg$/.test(method)) this.told.push(args[0])
  }

  private async answer(method: string, args: unknown[]): Promise<unknown> {
    if (/^register_|show_msg$/.test(method)) return null
    const fault = this.takeFault(method)
    if (fault === 'missing' || !(method in this.api || method === 'exper_request')) throw new Error(`Not existed method #${method}`)
    if (fault === 'throw') throw new Error('Assert failed: the moon is in the wrong phase')
    if (fault === 'null') return null
    if (fault === 'lost') return never
    const begun = performance.now()
    const result = method === 'exper_request' ? this.request(args[1]) : this.api[method]!(...args)
    this.took[method] = (this.took[method] ?? 0) + performance.now() - begun
    return fault === 'late' ? never : result
  }

  private takeFault(method: string): Fault | undefined {
    const fault = this.faults.get(method)
    if (!fault || fault.left <= 0) return undefined
    fault.left--
    return fault.kind
  }

  /** Logseq's main process sends it; here it is the server of this page. */
  private request(options: any): number {
    const id = ++this.requests
    void fetch('/proxy', { method: 'POST', body: JSON.stringify(options) })
      .then((answer) => answer.json())
      .then((body) => this.child.call(message(''), { type: '#lsp#request#callback', payload: { requestId: id, payload: body } }))
      .catch(() => undefined)
    return id
  }
}

const never = Symbol('never')

const snake = (name: string) => name.replace(/-/g, '_').replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2').replace(/([a-z])([A-Z])/g, '$1_$2').replace(/^_/, '').toLowerCase()

declare global {
  interface Window {
    begin(start: Start): Promise<void>
    host: PageHost
  }
}

window.begin = async (start) => {
  try {
    window.host = new PageHost(start)
    await window.host.load()
  } catch (thrown) {
    // DataScript's own errors have a message, and a name that says nothing.
    throw new Error((thrown as Error).message ?? String(thrown), { cause: thrown })
  }
}
