// A frame is one message between plugin and server: a JSON object.

/** The largest frame either end may send, in bytes of UTF-8. */
export const maxFrame = 8 << 20

export interface Frame {
  id?: string
  method?: string
  params?: Record<string, unknown>
  result?: unknown
  error?: { code: string; message: string; data?: unknown }
}

/** WebSocket close codes that say why a connection ends. */
export const closing = {
  goingAway: 4000,
  replaced: 4001,
  protocol: 4002,
  unauthorized: 4003,
  noPong: 4004,
} as const

/** Parses a frame, or throws an Error that says what is wrong with it. */
export function decode(text: string): Frame {
  if (text.length > maxFrame) throw new Error(`frame: at most ${maxFrame} bytes`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('frame: not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('frame: not an object')
  }
  const frame = value as Record<string, unknown>
  if ('id' in frame && typeof frame.id !== 'string') throw new Error('frame: id is not a string')
  if ('method' in frame && typeof frame.method !== 'string') {
    throw new Error('frame: method is not a string')
  }
  if (!('method' in frame) && !('id' in frame)) throw new Error('frame: neither id nor method')
  if ('method' in frame && ('result' in frame || 'error' in frame)) {
    throw new Error('frame: both a request and an answer')
  }
  const { params } = frame
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params))) {
    throw new Error('frame: params is not an object')
  }
  return frame as Frame
}

export function encode(frame: Frame): string {
  return JSON.stringify({ jsonrpc: '2.0', ...frame })
}

const utf8 = new TextEncoder()

/** Whether text fits in a frame. Short texts need not be encoded to know. */
export function fits(text: string): boolean {
  return text.length * 3 <= maxFrame || utf8.encode(text).length <= maxFrame
}
