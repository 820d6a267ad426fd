/** Probes by the health service of gRPC. */
import type { ServiceError } from '@grpc/grpc-js'

/** What the health service says of a service. */
type Health = 'UNKNOWN' | 'SERVING' | 'NOT_SERVING' | 'SERVICE_UNKNOWN'

const path = '/grpc.health.v1.Health/Check'
const words: readonly Health[] = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']
const mostAnswer = 10 * 1024
const [unavailable, notFound, unimplemented] = [14, 5, 12]

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
  const { Client, credentials } = await import('@grpc/grpc-js')
  const { host, port, service, timeoutSeconds } = asked
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const client = new Client(place, credentials.createInsecure(), {
    'grpc.primary_user_agent': asked.agent,
    'grpc.enable_http_proxy': 0,
    'grpc.max_receive_message_length': mostAnswer,
    'grpc.use_local_subchannel_pool': 1,
  })
  const late = AbortSignal.timeout(timeoutSeconds * 1000)
  try {
    return await new Promise((resolve) => {
      const call = client.makeUnaryRequest(
        ...([path, question, answer, service] as const),
        (error: ServiceError | null, health?: Health) => {
          if (late.aborted)
            resolve(`timeout: health rpc did not complete within ${timeoutSeconds}s`)
          else if (error !== null) resolve(problemOf(error, place))
          else resolve(health === 'SERVING' ? '' : `service unhealthy (responded with "${health}")`)
        },
      )
      late.addEventListener('abort', () => call.cancel(), { once: true })
    })
  } finally {
    client.close()
  }
}

function problemOf({ code, details }: ServiceError, place: string): string {
  switch (code) {
    case unavailable:
      return `error: failed to connect service at "${place}": ${details}`
    case notFound:
      return `error: health rpc failed: service is not known: ${details}`
    case unimplemented:
      return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${details}`
    default:
      return `error: health rpc probe failed: ${details}`
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
