import { createInterface } from 'node:readline'
import { Logseq, type Opening, type Window } from './launch'

// The same Logseq for tests in other languages: commands come in as lines of
// JSON, {"do":"open","window":"a",...Opening} or {"do":"fault","window":"a",
// "args":[...]}, and each is answered with a line {"ok":true,"result":...} or
// {"ok":false,"error":"..."}. The first line out is {"origin":"http://..."}.
// It ends when its standard input does.

const logseq = await Logseq.start()
const windows = new Map<string, Window>()
const say = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`)

type Command = { do: string; window?: string; args?: unknown[] } & Partial<Opening>

async function obey({ do: what, window = '', args = [], ...opening }: Command): Promise<unknown> {
  if (what === 'open') {
    windows.set(window, await logseq.open(opening as Opening))
    return null
  }
  const found = windows.get(window)
  if (!found) throw new Error(`no window "${window}"`)
  const run = (found as unknown as Record<string, unknown>)[what]
  if (typeof run !== 'function') throw new Error(`no command "${what}"`)
  return run.apply(found, args) as unknown
}

say({ origin: logseq.origin })
for await (const line of createInterface({ input: process.stdin })) {
  try {
    say({ ok: true, result: (await obey(JSON.parse(line) as Command)) ?? null })
  } catch (thrown) {
    say({ ok: false, error: String(thrown) })
  }
}
await logseq.stop()
