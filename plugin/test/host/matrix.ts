import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'

export type Kind = 'og' | 'db'

/** A row of docs/logseq-compatibility.md. */
export interface Capability {
  key: string
  tools: string[]
  has: Record<Kind, boolean>
}

/** The matrix as people read it. */
export function matrix(): Capability[] {
  const page = readFileSync(path.resolve(process.cwd(), '../docs/logseq-compatibility.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)`<br>[^|]*\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm)]
  assert.ok(rows.length > 20, 'the page has lost its table')
  return rows.map(([, key, tools, file, db]) => ({
    key: key!,
    tools: [...tools!.matchAll(/`([^`]+)`/g)].map((m) => m[1]!),
    has: { og: !file!.trim().startsWith('not there'), db: !db!.trim().startsWith('not there') },
  }))
}
