// A Transport carries frames as text, in order, to a server on this machine.

export interface Link {
  send(text: string): void
  /** Ends the link; closed is still called, once. */
  close(code: number, reason: string): void
}

export interface Ends {
  /** Takes a frame. It has been dealt with when the promise resolves; nobody needs to wait. */
  frame(text: string): void | Promise<void>
  /** Called once, whoever ended the link. opened is false when it never came up. */
  closed(code: number, reason: string, opened: boolean): void
}

export interface Transport {
  readonly name: 'websocket' | 'poll'
  open(port: number, ends: Ends): Link
}
