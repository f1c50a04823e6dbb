import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offeredCapabilities } from '../../src/capabilities'
import { matrix } from '../host/matrix'

// docs/logseq-compatibility.md is rendered from the server's table. The
// plugin's own must offer the same, on a Logseq that lacks nothing.

for (const [kind, name] of [['file', 'og'], ['db', 'db']] as const) {
  test(`the plugin offers on a ${kind} graph what the page says`, () => {
    const page = matrix().filter(({ has }) => has[name]).map(({ key }) => key)
    const own: string[] = offeredCapabilities({ kind, missing: new Set(), readOnly: false, hiding: false })
    assert.deepEqual(own.sort(), page.sort())
  })
}
