/** A key service of version 2 of the interface, over a real socket. Messages are read and written without the project's tables. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js'
import { rawFields } from './protobuf.ts'
import { tempDirectory } from './temp.ts'

/** What a test says of a service while it runs. */
export interface TestKeyService {
  readonly endpoint: string
  /** The key that it encrypts with. */
  keyId: string
  healthz: string
  /** Set: every call fails with this. */
  failure: string | undefined
  /** How often each method was called. */
  readonly calls: Record<'Status' | 'Encrypt' | 'Decrypt', number>
  stop(): void
}

/** Keys by id; a service that starts anew has them still. */
const keys = new Map<string, Buffer>()

/** Starts a service at a socket of its own, or at one that was used before. */
export async function startKeyService(
  endpoint = `unix://${join(tempDirectory(), 'kms.sock')}`,
): Promise<TestKeyService> {
  const server = new Server()
  const service: TestKeyService = {
    endpoint,
    keyId: 'first',
    healthz: 'ok',
    failure: undefined,
    calls: { Status: 0, Encrypt: 0, Decrypt: 0 },
    stop: () => server.forceShutdown(),
  }
  const answers = {
    Status: () => message([1, 'v2'], [2, service.healthz], [3, service.keyId]),
    Encrypt: (question: Buffer) => {
      const [first, sealed] = seal(service.keyId, field(question, 1))
      const annotation = message([1, 'first.example.com'], [2, first])
      return message([1, sealed], [2, service.keyId], [3, annotation])
    },
    Decrypt: (question: Buffer) => {
      const first = field(field(question, 4), 2)
      return message([1, unseal(field(question, 3).toString(), first, field(question, 1))])
    },
  }
  server.addService(
    definition,
    Object.fromEntries(
      (['Status', 'Encrypt', 'Decrypt'] as const).map((method) => {
        const handle: handleUnaryCall<Buffer, Buffer> = ({ request }, answer) => {
          service.calls[method] += 1
          if (service.failure !== undefined) {
            answer({ code: status.FAILED_PRECONDITION, details: service.failure })
          } else answer(null, answers[method](request))
        }
        return [method, handle]
      }),
    ),
  )
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(endpoint, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    )
  })
  return service
}

const plain = (bytes: Buffer): Buffer => bytes

const definition: ServiceDefinition = Object.fromEntries(
  ['Status', 'Encrypt', 'Decrypt'].map((method) => [
    method,
    {
      path: `/v2.KeyManagementService/${method}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: plain,
      requestDeserialize: plain,
      responseSerialize: plain,
      responseDeserialize: plain,
    },
  ]),
)

function keyOf(id: string): Buffer {
  const key = keys.get(id) ?? randomBytes(32)
  keys.set(id, key)
  return key
}

function seal(id: string, value: Buffer): readonly [Buffer, Buffer] {
  const first = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', keyOf(id), first)
  return [first, Buffer.concat([cipher.update(value), cipher.final()])]
}

function unseal(id: string, first: Buffer, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', keyOf(id), first)
  return Buffer.concat([decipher.update(sealed), decipher.final()])
}

/** Fields of a length below 16,384 bytes each. */
function message(...fields: readonly (readonly [number, string | Buffer])[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      const bytes = Buffer.from(value as string)
      const { length } = bytes
      const size = length < 128 ? [length] : [(length & 127) | 128, length >> 7]
      return Buffer.concat([Buffer.from([number * 8 + 2, ...size]), bytes])
    }),
  )
}

function field(bytes: Buffer, wanted: number): Buffer {
  const found = rawFields(bytes).find(({ number }) => number === wanted)?.value
  return Buffer.isBuffer(found) ? found : Buffer.alloc(0)
}
