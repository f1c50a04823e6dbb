import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { State } from '../../src/diagnostics'
import { clientConfiguration, installCommand, mayBeMissing, missingNotice, versionSkew } from '../../src/ui/setup'

const state = (skill: string, theirs: string | undefined, phase: 'connected' | 'waiting' = 'connected', everConnected = true) =>
  ({ connection: { phase, detail: '', ...(theirs ? { welcome: { skill_version: theirs } } : {}) }, versions: { plugin: '1', sdk: '1', skill }, everConnected }) as unknown as State

test('an older plugin is installed again, and for a newer one Lectern is updated', () => {
  assert.match(versionSkew(state('4.2.0', '4.10.0'))!, /older.*lectern plugin install/)
  assert.match(versionSkew(state('5.0.0', '4.10.0'))!, /newer.*lectern self-update$/)
  for (const same of [state('4.2.0', '4.2.9'), state('4.2.0', undefined), state('4.2.0', '5.0.0', 'waiting')]) assert.equal(versionSkew(same), undefined)
})

test('where nothing has answered yet the page says how to install Lectern', () => {
  assert.equal(mayBeMissing(state('1', undefined, 'waiting', false)), true)
  assert.equal(mayBeMissing(state('1', undefined, 'waiting', true)), false, 'it was there a moment ago')
  assert.equal(mayBeMissing(state('1', '1', 'connected', false)), false)
  const notice = (phase: 'waiting' | 'off') => missingNotice({ connection: { phase, detail: 'no token' }, settings: { port: 12740 } } as unknown as State)
  assert.match(notice('waiting'), /No Lectern answers on port 12740/)
  assert.match(notice('off'), /has not tried.*no token/, 'nothing was asked')
  assert.match(installCommand('Linux x86_64'), /^curl .*install\.sh \| sh$/)
  assert.match(installCommand('MacIntel'), /install\.sh/)
  assert.match(installCommand('Win32'), /^irm .*install\.ps1/)
})

test('the configuration is what clients of MCP read', () => {
  const of = (welcome?: object) => JSON.parse(clientConfiguration({ connection: { welcome } } as unknown as State))
  assert.deepEqual(of(), { mcpServers: { lectern: { command: 'lectern', args: ['serve'] } } })
  const command = 'C:\\Users\\A "B"\\lectern.exe'
  assert.deepEqual(of({ command }), { mcpServers: { lectern: { command, args: ['serve'] } } }, 'the path that Lectern tells')
})
