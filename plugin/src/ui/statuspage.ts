import type { State } from '../diagnostics'
import { clientConfiguration, installCommand, mayBeMissing, missingNotice, versionSkew } from './setup'
import { label } from './toolbar'

// The status page is the plugin's own window over Logseq. All text is inserted as
// text, never as markup, because names come from notes.

export interface Actions {
  reconnect(): void
  /** Copies a text, and says what was copied. */
  copy(what: string, text: string): void
  copyDiagnostics(): void
  settings(): void
  close(): void
}

export function renderStatus(root: HTMLElement, state: State, actions: Actions): void {
  const skew = versionSkew(state)
  root.replaceChildren(
    element('h1', 'Lectern'),
    ...(mayBeMissing(state) ? installation(state, actions) : []),
    ...(skew ? [element('p', skew, 'warning')] : []),
    facts(state),
    ...clients(state, actions),
    ...log(state),
    button('Reconnect', actions.reconnect),
    button('Copy diagnostics', actions.copyDiagnostics),
    button('Settings', actions.settings),
    button('Close', actions.close),
  )
}

function facts(state: State): HTMLElement {
  const { connection, logseq: surroundings, access: situation, settings, versions } = state
  const rows: [string, string][] = [
    ['Connection', `${label(connection)}${connection.transport ? ` (${connection.transport})` : ''}`],
    ['', connection.detail],
    ['Graph', surroundings?.graph ? `${surroundings.graph.name} (${surroundings.kind} graph)` : 'none open'],
    ['Access', settings.readOnly ? 'read-only' : 'read and write'],
    ['Hidden', `${settings.excludedPages.length} page patterns, ${settings.excludedTags.length} tags`],
    ['Requests', `${state.waiting} waiting for an agent`],
    ['Versions', `plugin ${versions.plugin}, skill ${versions.skill}, SDK ${versions.sdk}, Logseq ${surroundings?.version ?? 'unknown'}`],
    ['Capabilities', situation.capabilities.join(', ') || 'none'],
    ['Missing in this Logseq', state.missing.join(', ') || 'none'],
  ]
  const table = element('dl', '')
  for (const [term, text] of rows) table.append(element('dt', term), element('dd', text))
  return table
}

/** For people who have the plugin, and no Lectern yet. */
function installation(state: State, actions: Actions): HTMLElement[] {
  const install = installCommand(state.platform)
  return [
    element('p', missingNotice(state), 'warning'),
    element('pre', install),
    button('Copy the command', () => actions.copy('The command', install)),
    element('p', 'Then run: lectern plugin install. It gives this plugin its token. Restart Logseq once.'),
  ]
}

function clients(state: State, actions: Actions): HTMLElement[] {
  const configuration = clientConfiguration(state)
  return [
    element('h2', 'Connect an AI client'),
    element('p', 'The command lectern client install does it for the clients that it knows. Others take this:'),
    element('pre', configuration),
    button('Copy MCP configuration', () => actions.copy('The MCP configuration', configuration)),
  ]
}

function log({ log: lines }: State): HTMLElement[] {
  const list = element('ul', '')
  for (const { at, text } of lines) list.append(element('li', `${at} ${text}`))
  return [element('h2', 'Log'), list]
}

function element(tag: string, text: string, className = ''): HTMLElement {
  const made = document.createElement(tag)
  made.textContent = text
  if (className) made.className = className
  return made
}

function button(text: string, run: () => void): HTMLElement {
  const made = element('button', text)
  made.addEventListener('click', run)
  return made
}
