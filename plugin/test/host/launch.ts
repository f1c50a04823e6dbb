import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'

// Starts a headless Chromium and opens windows in it that stand in for Logseq,
// with the built plugin in them.

// The bundles of the tests lie two folders below the plugin's.
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const patience = 120_000 // for machines that do much else

const chromium = process.env.LECTERN_CHROMIUM ?? '/usr/bin/chromium'

/** Why there can be no browser here, or false. LECTERN_CHROMIUM names another one. */
export const noBrowser = existsSync(chromium) ? false : `there is no Chromium at ${chromium}`

export interface Settings {
  port: number
  token: string
  [key: string]: unknown
}

export interface Opening {
  kind: 'og' | 'db'
  graph?: string
  settings: Settings
  /** Methods that fail from the start, by the name of their fault. */
  faults?: Record<string, string>
  /** The time zone of the person, as Europe/Berlin. */
  zone?: string
}

/** One Logseq: a graph and the plugin. */
export class Window {
  constructor(readonly page: Page) {}

  fault = (method: string, kind: string, times?: number) => this.host('fault', method, kind, times)
  heal = () => this.host('heal')
  /** Chooses a command of the plugin's from a menu of Logseq's. */
  command = (title: string, about?: unknown) => this.host('command', title, about)
  /** What the plugin has told the person. */
  told = () => this.page.evaluate('window.host.told') as Promise<string[]>
  openGraph = (name: string) => this.host('open', name)
  set = (settings: Record<string, unknown>) => this.host('set', settings)
  reload = () => this.host('reload')
  quit = () => this.host('quit')
  /** Calls Logseq's own method, as a person's typing would. */
  person = (method: string, ...args: unknown[]) => this.host('person', method, ...args)
  /** How often the plugin has called each method. */
  calls = () => this.page.evaluate('window.host.calls') as Promise<Record<string, number>>
  close = () => this.page.close()

  /** Presses a button of the plugin's page, as a person does, and gives what the system's clipboard holds then. */
  async press(button: string): Promise<string> {
    await this.page.browserContext().overridePermissions(new URL(this.page.url()).origin, ['clipboard-read'])
    await this.page.bringToFront()
    await this.page.evaluate(`document.querySelector('iframe').style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0'`)
    await this.plugin()!.locator(`::-p-xpath(//button[text()="${button}"])`).setTimeout(patience).click()
    return (await this.page.evaluate('window.focus(), navigator.clipboard.readText()')) as string
  }

  /** The text of the plugin's status page. */
  status = async () => (await this.plugin()?.evaluate('document.body.innerText')) as string
  /** The time zone that the plugin finds itself in. */
  pluginZone = async () => (await this.plugin()?.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone')) as string

  private plugin() {
    return this.page.frames().find((one) => one.url().includes('/index.html'))
  }

  host(method: string, ...args: unknown[]): Promise<unknown> {
    const text = args.filter((arg) => arg !== undefined).map((arg) => JSON.stringify(arg)).join()
    return this.page.evaluate(`window.host.${method}(${text})`)
  }
}

export class Logseq {
  private constructor(
    private readonly browser: Browser,
    private readonly servers: Server[],
    private readonly profile: string,
    private readonly hostURL: string,
    /** The origin the plugin connects from. */
    readonly origin: string,
  ) {}

  static async start(): Promise<Logseq> {
    const profile = await mkdtemp(path.join(tmpdir(), 'lectern-plugin-'))
    const plugin = await serve((request, response) => file('dist', request, response))
    const host = await serve(hostPage)
    const browser = await puppeteer.launch({
      executablePath: chromium,
      userDataDir: profile,
      timeout: patience,
      protocolTimeout: patience,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--no-first-run'],
    })
    return new Logseq(browser, [plugin, host], profile, url(host), url(plugin))
  }

  async open({ kind, graph = 'demo', settings, faults = {}, zone }: Opening): Promise<Window> {
    const page = await this.browser.newPage()
    if (zone) await page.emulateTimezone(zone)
    page.on('pageerror', (thrown) => console.error('page:', thrown))
    if (process.env.LECTERN_DEBUG) page.on('console', (said) => console.error('console:', said.text()))
    await page.goto(`${this.hostURL}/`, { timeout: patience })
    const start = { kind, graph, settings, faults, plugin: `${this.origin}/index.html` }
    await page.evaluate(`window.begin(${JSON.stringify(start)})`)
    return new Window(page)
  }

  async stop(): Promise<void> {
    await this.browser.close()
    for (const server of this.servers) server.close()
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

function serve(answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, response).catch((thrown) => response.writeHead(500).end(String(thrown)))
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

const url = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }

async function file(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = path.basename(new URL(request.url ?? '/', 'http://host').pathname)
  const type = types[path.extname(name)]
  if (!type) return void response.writeHead(404).end()
  response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(await readFile(path.join(root, folder, name)))
}

async function hostPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/proxy') return proxy(request, response)
  if (request.url?.endsWith('.js')) return file('build/host', request, response)
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>host</title><body><script src="/page.js"></script>')
}

/** What Logseq's main process does for a plugin: a request without a browser around it. */
async function proxy(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = ''
  for await (const part of request) text += part
  const { url, method, headers, data } = JSON.parse(text)
  const answer = await fetch(url, { method, headers, body: JSON.stringify(data) })
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(await answer.text())
}
