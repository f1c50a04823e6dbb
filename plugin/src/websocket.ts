import type { Ends, Link, Transport } from './transport'

/** The ordinary way: one WebSocket, a frame a message. */
export function webSocket(Socket: typeof WebSocket = WebSocket): Transport {
  return { name: 'websocket', open: (port, ends) => openSocket(Socket, port, ends) }
}

function openSocket(Socket: typeof WebSocket, port: number, ends: Ends): Link {
  let opened = false
  let done = false
  const finish = (code: number, reason: string) => {
    if (done) return
    done = true
    ends.closed(code, reason, opened)
  }
  const socket = new Socket(`ws://127.0.0.1:${port}/plugin`)
  socket.onopen = () => {
    opened = true
  }
  socket.onmessage = (event) => {
    if (done) return
    if (typeof event.data === 'string') void ends.frame(event.data)
    else {
      socket.close(4002, 'binary frame')
      finish(4002, 'binary frame')
    }
  }
  socket.onclose = (event) => finish(event.code, event.reason)
  return {
    send: (text) => {
      if (!done) socket.send(text)
    },
    close: (code, reason) => {
      // A browser waits for the other end's close; nobody here should have to.
      socket.close(code, reason.slice(0, 120))
      finish(code, reason)
    },
  }
}
