import type { State } from '../diagnostics'
import { label } from './toolbar'

// The status page is the plugin's own window over Logseq. All text is inserted as
// text, never as markup, because names come from notes.

export interface Actions {
  reconnect(): void
  copy(): void
  settings(): void
  close(): void
}

export function renderStatus(root: HTMLElement, state: State, actions: Actions): void {
  const { connection, logseq: surroundings, access: situation, settings, versions, recentErrors: mishaps } = state
  const rows: [string, string][] = [
    ['Connection', `${label(connection)}${connection.transport ? ` (${connection.transport})` : ''}`],
    ['', connection.detail],
    ['Graph', surroundings?.graph ? `${surroundings.graph.name} (${surroundings.kind} graph)` : 'none open'],
    ['Access', settings.readOnly ? 'read-only' : 'read and write'],
    ['Hidden', `${settings.excludedPages.length} page patterns, ${settings.excludedTags.length} tags`],
    ['Versions', `plugin ${versions.plugin}, skill ${versions.skill}, SDK ${versions.sdk}, Logseq ${surroundings?.version ?? 'unknown'}`],
    ['Capabilities', situation.capabilities.join(', ') || 'none'],
    ['Missing in this Logseq', state.missing.join(', ') || 'none'],
  ]
  const table = element('dl', '')
  for (const [term, text] of rows) table.append(element('dt', term), element('dd', text))
  const errors = element('ul', '')
  for (const { at, method, code, message } of mishaps) {
    errors.append(element('li', `${at} ${method}: ${code}: ${message}`))
  }
  root.replaceChildren(
    element('h1', 'Lectern'),
    table,
    element('h2', mishaps.length > 0 ? 'Last errors' : 'No errors'),
    errors,
    button('Reconnect', actions.reconnect),
    button('Copy diagnostics', actions.copy),
    button('Settings', actions.settings),
    button('Close', actions.close),
  )
}

function element(tag: string, text: string): HTMLElement {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}

function button(text: string, run: () => void): HTMLElement {
  const made = element('button', text)
  made.addEventListener('click', run)
  return made
}
