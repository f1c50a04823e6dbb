import type { LogLine } from './eventlog'
import type { AccessState } from './methods'
import type { LogseqInfo } from './probe'
import type { Settings } from './settings'
import type { ConnectionState } from './connection'

/** An error, for the status page. */
export interface ErrorRecord {
  at: string
  method: string
  code: string
  message: string
}

/** The state of the plugin, for the status page and diagnostics. */
export interface State {
  connection: ConnectionState
  logseq?: LogseqInfo
  access: AccessState
  settings: Settings
  versions: { plugin: string; sdk: string; skill: string }
  missing: string[]
  recentErrors: ErrorRecord[]
  /** The last lines, oldest first. */
  log: LogLine[]
  /** How many requests of the person wait for an agent, in this graph. */
  waiting: number
  /** Whether some Lectern was connected since the plugin was started. */
  everConnected: boolean
  /** The system, as the browser names it. */
  platform: string
}

/**
 * The text of "Copy diagnostics". It may be pasted in public, so it contains no
 * token, no names from the graph and no messages.
 */
export function diagnostics(state: State): string {
  const { connection, logseq: surroundings, access: situation, settings, versions } = state
  return JSON.stringify(
    {
      connection: connection.phase,
      transport: connection.transport,
      port: settings.port,
      token: settings.token ? 'set' : 'not set',
      lectern: connection.welcome?.server_version,
      skill: { plugin: versions.skill, lectern: connection.welcome?.skill_version },
      plugin: versions.plugin,
      sdk: versions.sdk,
      logseq: surroundings?.version,
      graph: surroundings?.graph ? surroundings.kind : 'none',
      read_only: settings.readOnly,
      hidden: { pages: settings.excludedPages.length, tags: settings.excludedTags.length },
      requests: state.waiting,
      capabilities: situation.capabilities,
      missing_methods: state.missing,
      last_errors: state.recentErrors.map(({ at, method, code }) => ({ at, method, code })),
    },
    null,
    2,
  )
}
