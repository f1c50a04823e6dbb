// Packages without types of their own; tests use little of them.
declare module 'datascript'
declare module 'ws' {
  export interface WebSocket {
    send(text: string): void
    close(code: number, reason: string): void
    on(event: 'message', take: (text: unknown) => void): void
  }
  export class WebSocketServer {
    constructor(options: { server: import('node:http').Server; path: string })
    on(event: 'connection', greet: (socket: WebSocket) => void): void
  }
}
