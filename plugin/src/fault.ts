// A Fault is an error as it is sent to the server, which relies on its code.

/** The codes, a closed list. */
export type Code =
  | 'CAPABILITY_MISSING' // this Logseq or the plugin's settings do not offer it
  | 'NOT_FOUND' // no such page or block, or one the settings hide
  | 'INVALID_INPUT' // the request is invalid; the message names the field
  | 'CONFLICT' // a name is that of several pages; data.candidates lists them
  | 'TIMEOUT' // Logseq did not answer in time; data.applied says whether it may still act
  | 'INTERNAL' // Logseq's own error message is in data.logseq
  | 'UNAUTHORIZED' // only in the handshake

export class Fault extends Error {
  constructor(
    readonly code: Code,
    message: string,
    readonly data?: Record<string, unknown>,
  ) {
    super(message)
  }
}

export const notFound = (what: string, name: string) =>
  new Fault('NOT_FOUND', `no ${what} "${name}" in this graph`)

export const invalid = (field: string, why: string) =>
  new Fault('INVALID_INPUT', `${field}: ${why}`, { field })

/** Converts anything thrown to a Fault; keeps Logseq's own message. */
export function asFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  const message = messageOf(thrown)
  return new Fault('INTERNAL', `Logseq answered: ${message}`, { logseq: message })
}

/** The message of anything thrown; errors from another frame are plain objects. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  const message = (thrown as { message?: unknown } | null)?.message
  return typeof message === 'string' ? message : JSON.stringify(thrown) ?? String(thrown)
}
