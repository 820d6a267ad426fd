import type { ServiceError } from '@grpc/grpc-js'
import type { Clock } from '../../kernel/async/clock.ts'
import { RuntimeError, type RuntimeErrorCode } from '../contract/runtime-error.ts'
import { decodeMessage, encodeMessage, type Message } from './message-fields.ts'
import { calls, imageCalls } from './messages.ts'

type Calls = typeof calls

/** A connection to a runtime behind a socket. */
export interface CriConnection {
  /** A call ends after so many milliseconds, those of the connection where nothing is said: a runtime that does not answer is `Unavailable`. @throws a RuntimeError. */
  call<N extends keyof Calls>(
    name: N,
    question: Partial<Message<Calls[N][0]>>,
    timeoutMs?: number,
  ): Promise<Message<Calls[N][1]>>
  close(): void
}

const mostAnswer = 16 * 1024 * 1024

const lateCode = 4
/** Codes of gRPC that runtimes answer with. */
const codes: Readonly<Record<number, RuntimeErrorCode>> = {
  3: 'InvalidArgument',
  4: 'DeadlineExceeded',
  5: 'NotFound',
  9: 'FailedPrecondition',
  12: 'Unimplemented',
  14: 'Unavailable',
}

/** Connects with the first call, and again after the runtime went away. */
export async function connectCri(
  endpoint: string,
  clock: Clock,
  requestMs: number,
): Promise<CriConnection> {
  const { Client, credentials } = await import('@grpc/grpc-js')
  const client = new Client(endpoint, credentials.createInsecure(), {
    'grpc.max_receive_message_length': mostAnswer,
    'grpc.enable_http_proxy': 0,
    'grpc.max_reconnect_backoff_ms': 3000,
  })
  return {
    call: (name, question, timeoutMs = requestMs) =>
      new Promise((resolve, reject) => {
        const [asked, answered] = calls[name]
        const service = imageCalls.has(name) ? 'ImageService' : 'RuntimeService'
        const end = clock.now() + timeoutMs
        client.makeUnaryRequest(
          `/runtime.v1.${service}/${name}`,
          (value: Partial<Message<typeof asked>>) => encodeMessage(asked, value),
          (bytes) => decodeMessage(answered, bytes) as Message<Calls[typeof name][1]>,
          question as Partial<Message<typeof asked>>,
          { deadline: end },
          (error, value) => {
            if (error?.code === lateCode && clock.now() >= end) reject(unanswered(name, timeoutMs))
            else if (error !== null) reject(told(error))
            else if (value !== undefined) resolve(value)
          },
        )
      }),
    close: () => client.close(),
  }
}

/** The time of the call itself was over, and not one that the runtime counts. */
function unanswered(name: string, timeoutMs: number): RuntimeError {
  const why = `the container runtime did not answer ${name} within ${timeoutMs / 1000}s`
  return new RuntimeError('Unavailable', why)
}

function told(error: ServiceError): RuntimeError {
  const why = error.details.replace(
    /^No connection established\. Last error: (?:Error: )?(.*?)\.? Resolution note: .*$/s,
    'the container runtime cannot be reached: $1',
  )
  return new RuntimeError(codes[error.code] ?? 'Unknown', why, { cause: error })
}
