import { createHash } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { RawResponse } from './response.ts'

/** The status of a request that cannot become a websocket; undefined for one that can. */
export function rejectionStatus({ headers }: IncomingMessage): number | undefined {
  if (headers['sec-websocket-version'] !== '13') return 426
  return /^[A-Za-z0-9+/]{22}==$/.test(headers['sec-websocket-key'] ?? '') ? undefined : 400
}

/** The head of a response in HTTP that refuses an upgrade and ends the connection. */
export function rejectionHead(
  { status, headers }: Pick<RawResponse, 'status' | 'headers'>,
  bytes: number,
): string {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...headerLines(headers),
    ...(status === 426 ? ['Sec-WebSocket-Version: 13'] : []),
    `Content-Length: ${bytes}`,
    'Connection: close',
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** The head of a response that turns the connection into a websocket. It carries the audit id and the warnings of the watch. */
export function acceptanceHead({ headers }: IncomingMessage, own: RawResponse['headers']): string {
  const key = headers['sec-websocket-key'] ?? ''
  const protocol = protocolOf(headers['sec-websocket-protocol'])
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${createHash('sha1').update(`${key}${handshakeId}`).digest('base64')}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    ...headerLines(own).filter((line) => /^(audit-id|warning):/i.test(line)),
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** What every server appends to the key of a client (RFC 6455, section 4.2.2). */
const handshakeId = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Headers as lines; one with several values is several lines. */
export function headerLines(headers: RawResponse['headers']): readonly string[] {
  const lines: string[] = []
  for (let at = 0; at + 1 < headers.length; at += 2) {
    for (const value of [headers[at + 1] ?? ''].flat()) lines.push(`${headers[at]}: ${value}`)
  }
  return lines
}

/** The first protocol that a client offers, but for those that are a bearer token in disguise: browsers cannot set headers. */
function protocolOf(offered: string | undefined): string | undefined {
  const names = (offered ?? '').split(',').map((name) => name.trim())
  return names.find((name) => /^[\w.!#$%&'*+^`|~-]+$/.test(name) && !name.includes('bearer'))
}
