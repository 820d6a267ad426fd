import type { WebSocket } from 'ws'
import { listed, UpgradeRefused, type UpgradeRequest } from './negotiation.ts'

/** Most bytes of one message. */
const mostBytes = 4 * 1024 * 1024

/**
 * A websocket of the first protocol that the client offers and `known` has, with the suffix taken away; `''` among `known` stands for a client
 * that offers none. @throws UpgradeRefused for another client.
 */
export async function acceptWebsocket(
  { request, socket, head, suffixes }: UpgradeRequest,
  known: readonly string[],
): Promise<{ readonly websocket: WebSocket; readonly protocol: string }> {
  const offered = listed(request.headers['sec-websocket-protocol']).filter(
    (name) => !name.includes('bearer'),
  )
  const named = known.filter((name) => name !== '')
  const names = new Map<string, string>(
    named.flatMap((name) => suffixes.map((suffix) => [`${name}.${suffix}`, name] as const)),
  )
  const chosen = offered.find((name) => names.has(name))
  const isBare = offered.length === 0 && known.includes('')
  if (chosen === undefined && !isBare) {
    throw new UpgradeRefused(
      403,
      `unable to upgrade: the client offers [${offered.join(' ')}], the server accepts [${[...names.keys()].join(' ')}]`,
    )
  }
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: mostBytes },
    handleProtocols: () => chosen ?? false,
  })
  const websocket = await new Promise<WebSocket>((resolve, reject) => {
    socket.once('close', () => reject(new UpgradeRefused(400, 'the client is gone')))
    server.once('wsClientError', reject)
    server.handleUpgrade(request, socket, head, resolve)
  })
  websocket.on('error', () => websocket.terminate())
  return { websocket, protocol: chosen === undefined ? '' : (names.get(chosen) ?? '') }
}
