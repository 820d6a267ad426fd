import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { AuthenticationPeer, PeerCertificate } from '../auth/auth.ts'

/** The other end of a connection with TLS. */
class TlsPeer implements AuthenticationPeer {
  readonly #socket: TLSSocket
  #certificate: PeerCertificate | undefined | null = null

  constructor(socket: TLSSocket) {
    this.#socket = socket
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }

  /** Read once: a connection keeps its certificate. */
  readonly certificate = (): PeerCertificate | undefined => {
    if (this.#certificate === null) this.#certificate = readCertificate(this.#socket)
    return this.#certificate
  }
}

function readCertificate(socket: TLSSocket): PeerCertificate | undefined {
  const own = socket.getPeerX509Certificate()
  if (own === undefined) return undefined
  const chain: Buffer[] = []
  for (let next = own.issuerCertificate; next !== undefined; next = next.issuerCertificate) {
    chain.push(next.raw)
  }
  return { raw: own.raw, chain }
}

const peers = new WeakMap<Socket, TlsPeer>()

/** The other end of a connection: one object for all requests that it brings. */
export function peerOf(socket: Socket): AuthenticationPeer {
  if ((socket as Partial<TLSSocket>).encrypted !== true) return socket
  let peer = peers.get(socket)
  if (peer === undefined) {
    peer = new TlsPeer(socket as TLSSocket)
    peers.set(socket, peer)
  }
  return peer
}
