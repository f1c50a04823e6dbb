import { type AddressInfo, type Server, connect, createServer } from 'node:net'

/**
 * Listens on a port of its own and passes connections on to Lectern's. Inside
 * Logseq a plugin comes from lsp://logseq.io, which no other browser can be,
 * so the door writes that origin over the test page's.
 */
export async function openDoor(port: number): Promise<{ port: number; close(): void }> {
  const server: Server = createServer((inside) => {
    const outside = connect(port, '127.0.0.1')
    inside.once('data', (first) => {
      const head = first.toString('latin1')
      const passed = head.replace(/^Origin: .*$/m, 'Origin: lsp://logseq.io\r').replace(/^Host: .*$/m, `Host: 127.0.0.1:${port}\r`)
      outside.write(passed.replace(/\r\r/g, '\r'), 'latin1')
      inside.pipe(outside)
    })
    outside.pipe(inside)
    for (const [end, other] of [[inside, outside], [outside, inside]] as const) {
      end.on('error', () => other.destroy())
      end.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}
