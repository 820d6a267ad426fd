import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** A request for another protocol, as node:http hands it over. */
export interface UpgradeRequest {
  readonly request: IncomingMessage
  readonly socket: Duplex
  /** What came behind the request already. */
  readonly head: Buffer
  /** What names of protocols may end with, such as `channel.orch.io`: the suffixes of the platform. */
  readonly suffixes: readonly string[]
}

/** Why a connection cannot become one of another protocol. */
export class UpgradeRefused extends Error {
  override readonly name = 'UpgradeRefused'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The protocol of the streams, as the client asks for it. */
export function upgradeOf({ upgrade = '' }: IncomingHttpHeaders): 'spdy' | 'websocket' | undefined {
  const name = upgrade.toLowerCase()
  if (name === 'websocket') return 'websocket'
  return name === 'spdy/3.1' ? 'spdy' : undefined
}

/** Words of a header that may stand in it several times or hold a list. */
export function listed(value: string | readonly string[] | undefined): readonly string[] {
  const all = value === undefined ? [] : [value].flat().join(',').split(',')
  return all.map((one) => one.trim()).filter((one) => one !== '')
}

/** The first of `known` that the client offers, under any of the suffixes. */
export function chosenProtocol(
  offered: readonly string[],
  known: readonly string[],
  suffixes: readonly string[],
): string | undefined {
  return known
    .flatMap((name) => suffixes.map((suffix) => (name === '' ? '' : `${name}.${suffix}`)))
    .find((name) => offered.includes(name))
}

const protocolHeader = 'x-stream-protocol-version'

/** Answers that the connection is one of SPDY from now on. @throws UpgradeRefused if the client speaks none of the protocols. */
export function acceptSpdy(
  { request, socket, head, suffixes }: UpgradeRequest,
  known: readonly string[],
): Duplex {
  const offered = listed(request.headers[protocolHeader])
  const protocol = chosenProtocol(offered, known, suffixes)
  if (protocol === undefined) {
    const accepted = known.map((name) => `${name}.${suffixes[0]}`)
    throw new UpgradeRefused(
      403,
      `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${accepted.join(' ')}]`,
    )
  }
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Connection: Upgrade',
      'Upgrade: SPDY/3.1',
      `X-Stream-Protocol-Version: ${protocol}`,
      '\r\n',
    ].join('\r\n'),
  )
  if (head.length > 0) socket.unshift(head)
  return socket
}
