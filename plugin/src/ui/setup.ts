import type { State } from '../diagnostics'

// What the status page says to help with setting up: a plugin can start and
// install nothing, but it can say how.

/** What a client of MCP is told to start, as most of them take it: by the path that Lectern tells, because many look for no commands. */
export function clientConfiguration({ connection }: Pick<State, 'connection'>): string {
  return `{
  "mcpServers": {
    "lectern": { "command": ${JSON.stringify(connection.welcome?.command || 'lectern')}, "args": ["serve"] }
  }
}`
}

const releases = 'https://github.com/lectern-mcp/lectern/releases/latest/download'

/** The command that installs Lectern on a system, as the browser names it. */
export function installCommand(platform: string): string {
  if (/win/i.test(platform) && !/darwin/i.test(platform)) return `irm ${releases}/install.ps1 | iex`
  return `curl --proto '=https' -fsSL ${releases}/install.sh | sh`
}

/** Whether nothing has answered since the plugin was started, so that Lectern may not be there at all. */
export function mayBeMissing({ connection, everConnected }: State): boolean {
  return !everConnected && (connection.phase === 'waiting' || connection.phase === 'off')
}

/** Why nothing has answered, and that it may not be there. */
export function missingNotice({ connection, settings }: State): string {
  const why = connection.phase === 'off' ? `This plugin has not tried to reach Lectern (${connection.detail}).` : `No Lectern answers on port ${settings.port} of this machine.`
  return `${why} A plugin cannot start it. If it is not installed, run this in a terminal:`
}

/** What to do if plugin and Lectern are of different versions, or undefined. */
export function versionSkew({ connection, versions }: State): string | undefined {
  const theirs = connection.welcome?.skill_version
  if (connection.phase !== 'connected' || !theirs) return undefined
  const order = compare(versions.skill, theirs)
  if (order < 0) return `This plugin (skill ${versions.skill}) is older than Lectern (skill ${theirs}), so that some tools are missing. Run: lectern plugin install, then restart Logseq`
  if (order > 0) return `This plugin (skill ${versions.skill}) is newer than Lectern (skill ${theirs}), which does not know all of it. Run: lectern self-update`
  return undefined
}

/** Compares major and minor numbers; what is behind them changes nothing for agents. */
function compare(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)]
  return Math.sign(left[0] - right[0] || left[1] - right[1])
}

function numbers(version: string): [number, number] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return [major || 0, minor || 0]
}
