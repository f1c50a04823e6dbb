import type { Situation } from './methods'
import type { Surroundings } from './probe'
import type { Settings } from './settings'
import type { Connection } from './wire'

/** Something that went wrong, for the status page. */
export interface Mishap {
  at: string
  method: string
  code: string
  message: string
}

/** What there is to tell about the plugin. */
export interface State {
  connection: Connection
  surroundings?: Surroundings
  situation: Situation
  settings: Settings
  versions: { plugin: string; sdk: string; skill: string }
  missing: string[]
  mishaps: Mishap[]
}

/**
 * The text behind "copy diagnostics". It is made to be pasted in public: no
 * token, and nothing of the graph, so no names and no messages either.
 */
export function diagnostics(state: State): string {
  const { connection, surroundings, situation, settings, versions } = state
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
      capabilities: situation.capabilities,
      missing_methods: state.missing,
      last_errors: state.mishaps.map(({ at, method, code }) => ({ at, method, code })),
    },
    null,
    2,
  )
}
