import { createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { pause } from '../../kernel/async/clock.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { loadWireFormat, type WireFormat } from '../../serializer/serializer.ts'
import { aesGcm } from '../ciphers/aes-gcm.ts'
import { makerName, type Provider, storedPrefix } from '../providers/provider.ts'
import { connectKeyService, type EncryptedSecret, type KeyService } from './key-service.ts'
import { decodeMessage, encodeMessage, storedMessage } from './messages.ts'
import { type WriteKeyOptions, WriteKeySource } from './write-key.ts'

const method = 'kms:v2'
/** Bytes of what makes the secret of one value out of that of many. */
const saltSize = 32
/** Milliseconds that a service may be away when values are read at the start, and between two attempts. */
const patience = { mostMs: 60_000, pauseMs: 1000 }

/** Where a key service is. */
export interface KmsOptions extends Omit<WriteKeyOptions, 'service'> {
  readonly endpoint: string
  readonly timeoutMs: number
}

/** A provider whose keys are with a service: what is stored says which secret, encrypted by the service, decrypts it. */
export async function kmsProvider(options: KmsOptions): Promise<Provider> {
  const wire = await loadWireFormat()
  return new KmsProvider(connectKeyService({ ...options, wire }), wire, options)
}

class KmsProvider implements Provider {
  readonly name: string
  readonly prefix: Uint8Array
  readonly method = method
  readonly #service: KeyService
  readonly #wire: WireFormat
  readonly #options: KmsOptions
  readonly #writeKey: WriteKeySource
  /** Secrets that the service has decrypted, by what is stored of them. */
  readonly #secrets = new Map<string, Promise<Uint8Array> | Uint8Array>()

  constructor(service: KeyService, wire: WireFormat, options: KmsOptions) {
    this.name = makerName(method, options.name)
    this.prefix = storedPrefix(method, options.name)
    this.#service = service
    this.#wire = wire
    this.#options = options
    this.#writeKey = new WriteKeySource({ ...options, service })
  }

  encrypt(value: Uint8Array, place: string): Uint8Array {
    const { secret, stored } = this.#writeKey.current()
    const salt = randomBytes(saltSize)
    const encrypted = aesGcm(derived(secret, salt)).encrypt(value, place)
    const message = { ...stored, value: Buffer.concat([salt, encrypted]) }
    const { prefix } = this
    return Buffer.concat([prefix, encodeMessage(this.#wire, storedMessage, message)])
  }

  decrypt(stored: Uint8Array, place: string): Promise<Uint8Array> | Uint8Array {
    const { value, ...secret } = this.#read(stored)
    const opened = (key: Uint8Array): Uint8Array =>
      aesGcm(derived(key, value.subarray(0, saltSize))).decrypt(value.subarray(saltSize), place)
    const key = this.#secretOf(secret)
    return key instanceof Promise ? key.then(opened) : opened(key)
  }

  isOutdated(stored: Uint8Array): boolean {
    const { latest } = this.#writeKey
    return latest !== undefined && this.#read(stored).keyId !== latest.stored.keyId
  }

  check(): void {
    this.#writeKey.check()
  }

  async start(
    signal: AbortSignal,
    changed: () => void,
  ): Promise<{ readonly ended: Promise<void> }> {
    const { ended } = await this.#writeKey.start(signal, changed)
    return { ended: ended.finally(() => this.#service.close()) }
  }

  #read(stored: Uint8Array) {
    return decodeMessage(this.#wire, storedMessage, stored.subarray(this.prefix.length))
  }

  #secretOf(secret: EncryptedSecret): Promise<Uint8Array> | Uint8Array {
    const { latest } = this.#writeKey
    if (latest !== undefined && isSame(secret, latest.stored)) return latest.secret
    const hash = hashOf(secret)
    const known = this.#secrets.get(hash)
    if (known !== undefined) return known
    const asked = this.#ask(secret).then(
      (plaintext) => {
        this.#secrets.set(hash, plaintext)
        return plaintext
      },
      (error: unknown) => {
        this.#secrets.delete(hash)
        throw error
      },
    )
    this.#secrets.set(hash, asked)
    return asked
  }

  /** A service that starts at the same time is waited for. @throws Error with the last reason. */
  async #ask(secret: EncryptedSecret): Promise<Uint8Array> {
    const { clock, log, name } = this.#options
    const start = clock.monotonic()
    for (;;) {
      try {
        return await this.#service.decrypt(secret, randomUUID())
      } catch (error) {
        const failure = errorText(error)
        if (clock.monotonic() - start > patience.mostMs) throw new Error(`${this.name}: ${failure}`)
        log.warn('key service does not decrypt yet', { name, failure })
        await pause(clock, patience.pauseMs)
      }
    }
  }
}

/** The secret of one value. */
function derived(secret: Uint8Array, salt: Uint8Array): Uint8Array {
  return Buffer.from(hkdfSync('sha256', secret, '', salt, 32))
}

/** True for what the service gave for one secret: it gives other bytes for any other. */
function isSame(one: EncryptedSecret, other: EncryptedSecret): boolean {
  return one.keyId === other.keyId && Buffer.compare(one.ciphertext, other.ciphertext) === 0
}

function hashOf({ ciphertext, keyId, annotations }: EncryptedSecret): string {
  const hash = createHash('sha256').update(JSON.stringify(keyId)).update(ciphertext)
  for (const [key, value] of annotations) {
    hash.update(JSON.stringify(key)).update(`${value.length}:`).update(value)
  }
  return hash.digest('base64')
}
