import { describeError } from '../webhook/webhook.ts'

/** Where a request went, as errors name it. */
export interface Reached {
  /** Host and port. */
  readonly host: string
  /** The name that the certificate has to have. */
  readonly serverName: string
}

/** What is wrong with the first line of an answer, of which not more than its beginning is told. */
function malformed(packet: Buffer | undefined): string {
  const [line = ''] = (packet?.toString('latin1', 0, 200) ?? '').split(/\r?\n/)
  const [, code] = line.split(' ')
  if (code === undefined) return `malformed HTTP response ${JSON.stringify(line)}`
  return `malformed HTTP status code ${JSON.stringify(code)}`
}

/** An error of node:net; it has several where a name has several addresses. */
interface FailedConnection {
  readonly code?: string
  readonly address?: string
  readonly port?: number
  readonly errors?: readonly unknown[]
}

/** Host and port in one text. */
export function addressText(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Why a server could not be asked, in the words that clients of the public server know. */
export function connectionError(error: unknown, { host, serverName }: Reached): string {
  const { code = '', errors = [error] } = error as FailedConnection
  if (code === 'ECONNREFUSED') {
    const { address, port } = errors[0] as FailedConnection
    const where = address === undefined ? host : addressText(address, port ?? 443)
    return `dial tcp ${where}: connect: connection refused`
  }
  if (code === 'EPROTO' && String(error).includes('wrong version number')) {
    return 'tls: first record does not look like a TLS handshake'
  }
  if (code === 'ERR_INVALID_CHAR') return 'net/http: invalid header field value'
  if (code.startsWith('HPE_')) {
    const { rawPacket } = error as { readonly rawPacket?: Buffer }
    return `net/http: HTTP/1.x transport connection broken: ${malformed(rawPacket)}`
  }
  return describeError(error, { url: new URL(`https://${host}/`), serverName })
}
