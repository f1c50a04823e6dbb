import type { LinkHandlers, Link, Transport } from './transport'

/** One WebSocket, one frame per message. */
export function webSocket(Socket: typeof WebSocket = WebSocket): Transport {
  return { name: 'websocket', open: (port, ends) => openSocket(Socket, port, ends) }
}

function openSocket(Socket: typeof WebSocket, port: number, ends: LinkHandlers): Link {
  let opened = false
  let done = false
  const finish = (code: number, reason: string) => {
    if (done) return
    done = true
    ends.onClosed(code, reason, opened)
  }
  const socket = new Socket(`ws://127.0.0.1:${port}/plugin`)
  socket.onopen = () => {
    opened = true
  }
  socket.onmessage = (event) => {
    if (done) return
    if (typeof event.data === 'string') void ends.onFrame(event.data)
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
      // A browser would wait for the other end's close.
      socket.close(code, reason.slice(0, 120))
      finish(code, reason)
    },
  }
}
