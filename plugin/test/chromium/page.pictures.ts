import { mkdir } from 'node:fs/promises'
import { Logseq, type Window } from '../host/launch'
import { known } from '../host/seed'
import { TestServer } from '../host/server'

// Draws the pictures of readme.md: the plugin's page as a browser shows it,
// where it is connected and where no Lectern answers.

const folder = process.argv[2] ?? 'pictures'
await mkdir(folder, { recursive: true })
const server = new TestServer()
server.version = '0.1.0'
await server.listen()
const logseq = await Logseq.start()

const arrival = server.arrival()
const window = await logseq.open({ kind: 'db', graph: 'Work', settings: { port: server.port, token: server.token } })
await arrival
await window.command('Ask an agent about this', { uuid: known.first })
while (!/1 waiting for an agent/.test(await window.status())) await new Promise((resolve) => setTimeout(resolve, 50))
await picture(window, 'connected')

const alone = await logseq.open({ kind: 'db', graph: 'Work', settings: { port: 12740, token: server.token } })
while (!/install\.sh/.test(await alone.status())) await new Promise((resolve) => setTimeout(resolve, 50))
await picture(alone, 'install')

await logseq.stop()
server.stop()

async function picture({ page }: Window, name: string): Promise<void> {
  await page.setViewport({ width: 760, height: 940 })
  await page.evaluate(`document.querySelector('iframe').style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0'`)
  await page.screenshot({ path: `${folder}/${name}.png` })
  console.log(`${folder}/${name}.png`)
}
