// A Transport sends and receives frames as text, in order.

export interface Link {
  send(text: string): void
  /** Ends the link. onClosed is still called, once. */
  close(code: number, reason: string): void
}

export interface LinkHandlers {
  /** Handles a frame; the promise resolves when that is done. */
  onFrame(text: string): void | Promise<void>
  /** Called once, when either end closes the link. opened is false if it never opened. */
  onClosed(code: number, reason: string, opened: boolean): void
}

export interface Transport {
  readonly name: 'websocket' | 'poll'
  open(port: number, ends: LinkHandlers): Link
}
