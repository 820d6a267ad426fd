import { randomBytes, randomUUID } from 'node:crypto'
import { type Clock, pause } from '../../kernel/async/clock.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Log } from '../../observe/observe.ts'
import type { EncryptedSecret, KeyService } from './key-service.ts'

/** A secret that values are encrypted with, and how it is stored beside them. */
export interface WriteKey {
  readonly secret: Uint8Array
  readonly stored: EncryptedSecret
}

/** Milliseconds between two questions for the state of a service that is well, and of one that is not. */
const askAgainMs = { healthy: 60_000, failing: 10_000 }
/** Milliseconds after which nothing is encrypted any more for a service that is not well. */
const maxAgeMs = 180_000
/** Most bytes of what a service wants stored. */
const maxBytes = { keyId: 1024, ciphertext: 1024, annotations: 32 * 1024 }
const secretSize = 32
const version = 'v2'

/** What keeps a write key. */
export interface WriteKeyOptions {
  readonly service: KeyService
  /** The name of the service, for messages. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
}

/**
 * The secret that values are encrypted with: a new one for each start and for each key of the service, encrypted by the service
 * once. A service that is away does not stop writes at once, only after three minutes.
 */
export class WriteKeySource {
  readonly #options: WriteKeyOptions
  #key: WriteKey | undefined
  #seenMs = Number.NEGATIVE_INFINITY
  #failure = 'it was not asked yet'

  constructor(options: WriteKeyOptions) {
    this.#options = options
  }

  /** The latest key, however old; undefined before the service gave one. */
  get latest(): WriteKey | undefined {
    return this.#key
  }

  /** @throws Error with the reason if nothing may be encrypted now. */
  current(): WriteKey {
    const { clock, name } = this.#options
    if (this.#key !== undefined && clock.monotonic() - this.#seenMs <= maxAgeMs) return this.#key
    throw new Error(`nothing is encrypted: the key service "${name}" fails: ${this.#failure}`)
  }

  /** @throws Error with the reason if the service was not well when it was asked last. */
  check(): void {
    if (this.#failure !== '') throw new Error(`${this.#options.name}: ${this.#failure}`)
  }

  /**
   * Asks the service once; then resolves to the end of asking again and again, until `signal` aborts. `changed` is called when the
   * service has another key than before.
   */
  async start(
    signal: AbortSignal,
    changed: () => void,
  ): Promise<{ readonly ended: Promise<void> }> {
    await this.#ask()
    return { ended: this.#run(signal, changed) }
  }

  async #run(signal: AbortSignal, changed: () => void): Promise<void> {
    const { clock } = this.#options
    while (!signal.aborted) {
      await pause(clock, this.#failure === '' ? askAgainMs.healthy : askAgainMs.failing, signal)
      if (signal.aborted) return
      const before = this.#key
      await this.#ask()
      if (this.#key !== before) changed()
    }
  }

  /** What went wrong is logged when it changes, not each time. */
  async #ask(): Promise<void> {
    const { service, name, clock, log } = this.#options
    const asked = clock.monotonic()
    try {
      const { version: spoken, healthz, keyId } = await service.status()
      if (spoken !== version && spoken !== 'v2beta1')
        throw new Error(`it speaks version "${spoken}", not ${version}`)
      if (healthz !== 'ok') throw new Error(`it says that it is not well: ${healthz}`)
      checkSize('key id', Buffer.byteLength(keyId), maxBytes.keyId)
      if (this.#key?.stored.keyId !== keyId) this.#key = await this.#newKey(keyId)
      this.#seenMs = asked
      if (this.#failure !== '') log.info('key service is well', { name })
      this.#failure = ''
    } catch (error) {
      const failure = errorText(error)
      if (failure !== this.#failure) log.error('key service failed', { name, failure })
      this.#failure = failure
    }
  }

  async #newKey(keyId: string): Promise<WriteKey> {
    const secret = randomBytes(secretSize)
    const stored = await this.#options.service.encrypt(secret, randomUUID())
    if (stored.keyId !== keyId) {
      throw new Error(
        `it encrypted with the key "${stored.keyId}" and says that "${keyId}" is its key`,
      )
    }
    checkSize('ciphertext', stored.ciphertext.length, maxBytes.ciphertext)
    let annotations = 0
    for (const [key, value] of stored.annotations) annotations += key.length + value.length
    checkSize('annotations', annotations + 1, maxBytes.annotations)
    this.#options.log.info('key service has a new key', { name: this.#options.name })
    return { secret, stored }
  }
}

function checkSize(what: string, size: number, most: number): void {
  if (size === 0) throw new Error(`it gave an empty ${what}`)
  if (size > most) throw new Error(`it gave a ${what} of ${size} bytes; ${most} are allowed`)
}
