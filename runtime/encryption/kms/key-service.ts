import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js'
import { systemClock } from '../../kernel/async/clock.ts'
import type { WireFormat } from '../../serializer/serializer.ts'
import { decodeMessage, encodeMessage, type Message, messages } from './messages.ts'

/** Most bytes of an answer: secrets and what goes with them are short. */
const maxAnswerBytes = 256 * 1024

/** A secret as a key service gives it back to be stored. */
export type EncryptedSecret = Message<typeof messages.encryptResponse>

/** A service that keeps keys: it encrypts short secrets and decrypts them again. */
export interface KeyService {
  /** @throws Error with the reason if it did not answer. */
  status(): Promise<Message<typeof messages.statusResponse>>
  encrypt(plaintext: Uint8Array, uid: string): Promise<EncryptedSecret>
  decrypt(secret: EncryptedSecret, uid: string): Promise<Uint8Array>
  close(): void
}

/** Where a service is, and how long it may take. */
export interface KeyServiceOptions {
  /** `unix:///path`, or `unix:///@name` for a name that is no file. */
  readonly endpoint: string
  readonly timeoutMs: number
  readonly wire: WireFormat
}

/** Connects with the first call. Calls that fail are not repeated. */
export function connectKeyService({ endpoint, timeoutMs, wire }: KeyServiceOptions): KeyService {
  const client = new Client(address(endpoint), credentials.createInsecure(), {
    'grpc.max_receive_message_length': maxAnswerBytes,
    'grpc.enable_http_proxy': 0,
  })
  const call = <Q extends keyof typeof messages, A extends keyof typeof messages>(
    method: string,
    question: Q,
    answer: A,
    message: Message<(typeof messages)[Q]>,
  ): Promise<Message<(typeof messages)[A]>> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        `/v2.KeyManagementService/${method}`,
        (value: Message<(typeof messages)[Q]>) => encodeMessage(wire, messages[question], value),
        (bytes) => decodeMessage(wire, messages[answer], bytes),
        message,
        { deadline: systemClock.now() + timeoutMs },
        (error, value) => (error === null ? resolve(value!) : reject(explained(error, endpoint))),
      )
    })
  return {
    status: () => call('Status', 'statusRequest', 'statusResponse', {}),
    encrypt: (plaintext, uid) =>
      call('Encrypt', 'encryptRequest', 'encryptResponse', { plaintext, uid }),
    decrypt: async ({ ciphertext, keyId, annotations }, uid) => {
      const question = { ciphertext, uid, keyId, annotations }
      return (await call('Decrypt', 'decryptRequest', 'decryptResponse', question)).plaintext
    },
    close: () => client.close(),
  }
}

function address(endpoint: string): string {
  const abstract = 'unix:///@'
  return endpoint.startsWith(abstract)
    ? `unix-abstract:${endpoint.slice(abstract.length)}`
    : endpoint
}

function explained({ code, details }: ServiceError, endpoint: string): Error {
  const word = status[code] ?? String(code)
  if (code === status.UNAVAILABLE) {
    return new Error(`nobody answers at ${endpoint} (${details}): start the key service`)
  }
  if (code === status.DEADLINE_EXCEEDED) return new Error('it did not answer in time')
  if (code === status.UNIMPLEMENTED) {
    return new Error(`${endpoint} does not know version 2 of the interface of key services`)
  }
  return new Error(`${word}: ${details}`)
}
