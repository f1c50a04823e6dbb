// A Fault is a refusal in the words of the wire: what the far end may rely on.

/** The closed list of codes a caller can act on. */
export type Code =
  | 'CAPABILITY_MISSING' // this Logseq, or the plugin's settings, do not offer it
  | 'NOT_FOUND' // no such page or block, or one the settings hide
  | 'INVALID_INPUT' // the request itself is wrong; the message names the field
  | 'TIMEOUT' // Logseq did not answer in time; data.applied says what is known
  | 'INTERNAL' // Logseq's own complaint, word for word, in data.logseq
  | 'UNAUTHORIZED' // the handshake's only

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

/** Makes a Fault of anything thrown, keeping Logseq's own message. */
export function asFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  const said = messageOf(thrown)
  return new Fault('INTERNAL', `Logseq answered: ${said}`, { logseq: said })
}

/** The message of whatever was thrown; errors that crossed a frame are plain objects. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  const message = (thrown as { message?: unknown } | null)?.message
  return typeof message === 'string' ? message : JSON.stringify(thrown) ?? String(thrown)
}
