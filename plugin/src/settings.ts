// The settings page of the plugin, and how its values are read.

export interface Settings {
  /** Loopback port of the hub. */
  port: number
  token: string
  readOnly: boolean
  /** Lower-cased names; "work/*" hides a whole namespace. */
  excludedPages: string[]
  /** Lower-cased names without "#". */
  excludedTags: string[]
  transport: 'auto' | 'websocket' | 'poll'
}

export const schema = [
  {
    key: 'port',
    type: 'number',
    default: 12740,
    title: 'Port',
    description: 'The port Lectern listens on, on this machine only.',
  },
  {
    key: 'token',
    type: 'string',
    default: '',
    title: 'Token',
    description: 'Written here by `lectern plugin install`. It never leaves this machine.',
  },
  {
    key: 'readOnly',
    type: 'boolean',
    default: false,
    title: 'Read-only',
    description: 'Agents can read this graph, but change nothing.',
  },
  {
    key: 'excludedPages',
    type: 'string',
    default: '',
    title: 'Hidden pages',
    description: 'Page names, separated by commas; `work/*` hides a namespace. For agents these pages do not exist.',
  },
  {
    key: 'excludedTags',
    type: 'string',
    default: '',
    title: 'Hidden tags',
    description: 'Tags, separated by commas. Pages and blocks with one of them are hidden, with everything below them.',
  },
  {
    key: 'transport',
    type: 'enum',
    enumChoices: ['auto', 'websocket', 'poll'],
    enumPicker: 'select',
    default: 'auto',
    title: 'Transport',
    description: 'How to connect to Lectern. Keep auto unless the documentation of Lectern says otherwise.',
  },
]

/** Reads the stored settings, which may contain anything that a person typed. */
export function readSettings(stored: Record<string, unknown> | undefined): Settings {
  const { port, token, readOnly, excludedPages, excludedTags, transport } = stored ?? {}
  const number = Number(port)
  return {
    port: Number.isInteger(number) && number > 0 && number < 65536 ? number : 12740,
    token: typeof token === 'string' ? token.trim() : '',
    readOnly: readOnly === true,
    excludedPages: parseNames(excludedPages),
    excludedTags: parseNames(excludedTags).map((tag) => tag.replace(/^#/, '')),
    transport: transport === 'websocket' || transport === 'poll' ? transport : 'auto',
  }
}

function parseNames(list: unknown): string[] {
  const parts = Array.isArray(list) ? list : String(list ?? '').split(',')
  return parts.map((part) => String(part).trim().toLowerCase()).filter(Boolean)
}
