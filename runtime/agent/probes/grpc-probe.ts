/** Probes by the health service of gRPC. One connection for each, which goes with it whatever the other side does: a client that keeps connections would keep those that are never answered. */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { errorText } from '../../kernel/errors/error-text.ts'

/** What the health service says of a service. */
type Health = 'UNKNOWN' | 'SERVING' | 'NOT_SERVING' | 'SERVICE_UNKNOWN'

const path = '/grpc.health.v1.Health/Check'
const words: readonly Health[] = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']
const mostAnswer = 10 * 1024
/** Bytes before a message: whether it is compressed, and how long it is. */
const prefixBytes = 5
const [ok, notFound, unimplemented] = [0, 5, 12]

/** What is asked, and who asks. */
export interface HealthQuestion {
  readonly host: string
  readonly port: number
  readonly service: string
  readonly timeoutSeconds: number
  readonly agent: string
}

/** Why the service is not healthy; empty if it is. */
export async function healthProblem(asked: HealthQuestion): Promise<string> {
  const { host, port, timeoutSeconds } = asked
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  // A session does not let go of a socket that is not connected yet.
  const socket = connectSocket({ host, port })
  const session = connect(`http://${place}`, {
    ...{ createConnection: () => socket, settings: { enablePush: false } },
  })
  const late = AbortSignal.timeout(timeoutSeconds * 1000)
  try {
    return await new Promise((resolve) => {
      session.on('error', (error) =>
        resolve(`error: failed to connect service at "${place}": ${errorText(error)}`),
      )
      late.addEventListener('abort', () =>
        resolve(`timeout: health rpc did not complete within ${timeoutSeconds}s`),
      )
      ask(session, asked).then(resolve, (error) =>
        resolve(`error: health rpc probe failed: ${errorText(error)}`),
      )
    })
  } finally {
    session.destroy()
    socket.destroy()
  }
}

/** Resolves to what the answer says is wrong; empty for nothing. */
async function ask(
  session: ClientHttp2Session,
  { service, agent }: HealthQuestion,
): Promise<string> {
  const stream = session.request({
    ...{ ':method': 'POST', ':path': path, te: 'trailers' },
    ...{ 'content-type': 'application/grpc', 'user-agent': agent },
  })
  let headers: IncomingHttpHeaders = {}
  stream.on('response', (begin) => {
    headers = begin
  })
  // An answer without a body has all in its first headers.
  stream.on('trailers', (end) => {
    headers = { ...headers, ...end }
  })
  const message = question(service)
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32BE(message.length, 1)
  stream.end(Buffer.concat([prefix, message]))
  const body = await bodyOf(stream)
  const code = Number(headers['grpc-status'] ?? Number.NaN)
  if (code !== ok) return problemOf(code, headers)
  const health = answer(body.subarray(prefixBytes))
  return health === 'SERVING' ? '' : `service unhealthy (responded with "${health}")`
}

async function bodyOf(stream: ClientHttp2Stream): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of stream) {
    length += part.length
    if (length > mostAnswer) throw new Error(`the answer is longer than ${mostAnswer} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function problemOf(code: number, headers: IncomingHttpHeaders): string {
  const details = textOf(String(headers['grpc-message'] ?? ''))
  switch (code) {
    case notFound:
      return `error: health rpc failed: service is not known: ${details}`
    case unimplemented:
      return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${details}`
    default:
      return Number.isNaN(code)
        ? `error: health rpc probe failed: the answer has HTTP status ${headers[':status']} and none of gRPC`
        : `error: health rpc probe failed: ${details || `status ${code}`}`
  }
}

/** Texts in headers are written with percent signs. */
function textOf(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}

/** A message with the name of the service in its first field. */
function question(service: string): Buffer {
  const name = Buffer.from(service)
  return name.length === 0
    ? name
    : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name])
}

function varint(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}

/** The number in the first field of the message; other fields are none of ours. */
function answer(bytes: Buffer): Health {
  return (bytes[0] === 0x08 && words[bytes[1] ?? 0]) || 'UNKNOWN'
}
