import '@logseq/libs'
import { version as pluginVersion } from '../package.json'
import { diagnostics } from './diagnostics'
import { Host } from './host'
import { Plugin } from './plugin'
import { type Post, polling } from './poll'
import { readSettings, schema } from './settings'
import { skill } from './skill'
import { copyText } from './ui/clipboard'
import { renderStatus } from './ui/statuspage'
import { toolbar } from './ui/toolbar'
import { webSocket } from './websocket'
import { clock } from './connection'

// main.ts starts the plugin inside Logseq and is the only file that uses the SDK.
// Start reading at plugin.ts, which joins the parts.

const caller = logseq as unknown as {
  _execCallableAPIAsync(method: string, ...args: unknown[]): Promise<unknown>
  caller: { on(event: string, f: (event: any) => void): void }
  version: string
}

const ask = (method: string, args: unknown[]) => caller._execCallableAPIAsync(method, ...args)

function main(): void {
  const root = document.getElementById('lectern')!
  const plugin = new Plugin({
    host: new Host(ask),
    settings: () => readSettings(logseq.settings),
    transports: [webSocket(), polling(proxied())],
    versions: { plugin: pluginVersion, sdk: caller.version ?? 'unknown', skill },
    origin: location.origin,
    hidden: () => document.hidden,
    timers: clock,
    now: () => Date.now(),
    platform: navigator.platform,
    show: (state) => {
      if (shown !== state.connection.phase) logseq.App.registerUIItem('toolbar', toolbar(state.connection))
      shown = state.connection.phase
      renderStatus(root, state, {
        reconnect: () => plugin.reconnect(),
        copy: (what, text) => void copy(what, text),
        copyDiagnostics: () => void copy('Diagnostics', diagnostics(plugin.state())),
        settings: () => logseq.showSettingsUI(),
        close: () => logseq.hideMainUI(),
      })
    },
  })
  let shown = ''
  logseq.provideModel({ openLectern: () => logseq.showMainUI({ autoFocus: true }) })
  logseq.setMainUIInlineStyle({ position: 'fixed', zIndex: 11, top: '10%', left: '25%', width: '50%', height: '70%' })
  const askAgent = async (block?: string) => say(await plugin.askAgent(block))
  offerCommand(() => logseq.Editor.registerSlashCommand(askTitle, ({ uuid }) => askAgent(uuid)))
  offerCommand(() => logseq.Editor.registerBlockContextMenuItem(askTitle, ({ uuid }) => askAgent(uuid)))
  offerCommand(() => logseq.App.registerCommandPalette({ key: 'ask-agent', label: `Lectern: ${askTitle}` }, () => askAgent()))
  logseq.onSettingsChanged(() => plugin.reconnect())
  logseq.App.onCurrentGraphChanged(() => void plugin.graphChanged())
  logseq.DB.onChanged((event: unknown) => plugin.databaseChanged(event))
  logseq.beforeunload(async () => plugin.stop('Logseq is closing the plugin'))
  void plugin.start()
}

const askTitle = 'Ask an agent about this'

/** A Logseq without one of these menus loses the command there, and nothing else. */
function offerCommand(register: () => unknown): void {
  try {
    void Promise.resolve(register()).catch(console.error)
  } catch (thrown) {
    console.error(thrown)
  }
}

/** Sends requests from Logseq's own process: without an origin and browser rules. */
function proxied(): Post {
  const waiting = new Map<unknown, (payload: unknown) => void>()
  caller.caller.on('#lsp#request#callback', ({ requestId, payload } = {}) => {
    waiting.get(requestId)?.(payload)
    waiting.delete(requestId)
  })
  return async (url, body) => {
    const id = await ask('exper_request', [
      logseq.baseInfo.id,
      { url, method: 'POST', headers: { 'Content-Type': 'application/json' }, data: body, returnType: 'json', timeout: 40_000 },
    ])
    if (id === null || id === undefined) throw new Error('this Logseq cannot send requests for plugins')
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id)
        reject(new Error('no answer within 40 s'))
      }, 40_000)
      waiting.set(id, (payload) => {
        clearTimeout(timer)
        if (payload instanceof Error) reject(payload)
        else resolve(payload)
      })
    })
  }
}

/** Tells the person something in Logseq's window. */
async function say(text: string): Promise<void> {
  await Promise.resolve(logseq.UI.showMsg(text)).catch(console.error)
}

async function copy(what: string, text: string): Promise<void> {
  await say((await copyText(text)) ? `${what} copied` : text)
}

logseq.useSettingsSchema(schema as never)
logseq.ready(main).catch(console.error)
