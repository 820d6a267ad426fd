import type { Awaitable } from '../kernel/async/awaitable.ts'
import type { Clock } from '../kernel/async/clock.ts'
import { errorText } from '../kernel/errors/error-text.ts'
import type { EncryptionMetrics } from './encryption-metrics.ts'
import type { EncryptionRules, GroupResource } from './encryption-rules.ts'
import type { Provider } from './providers/provider.ts'

/** What values are encrypted with. */
export interface EncryptionOptions {
  readonly rules: EncryptionRules
  /** Which resource a key is of; undefined for what is no object: it is stored as it is. */
  readonly resourceOf: (key: string) => GroupResource | undefined
  readonly metrics: EncryptionMetrics
  readonly clock: Clock
  /** Told why the changes of the store cannot be followed for now, once until they can. */
  readonly onUnreadable?: (problem: string) => void
  /** Most bytes of a value before it is encrypted. Default 1.5 MiB; the store below needs room for more. */
  readonly maxValueBytes?: number
}

/** Values as they are stored, by key: encrypted and decrypted by the rules of the resource that the key is of. */
export class StoredValues {
  readonly #options: EncryptionOptions
  #rules: EncryptionRules
  /** While rules are being replaced: what was written by those of before may still come. */
  #former: EncryptionRules | undefined

  constructor(options: EncryptionOptions) {
    this.#options = options
    this.#rules = options.rules
  }

  get rules(): EncryptionRules {
    return this.#rules
  }

  /** Writes by `next` from now on; reads by them, and for the time being by those of before, too. */
  replaceRules(next: EncryptionRules): void {
    this.#former = this.#rules
    this.#rules = next
  }

  /** Nothing comes any more that only the rules of before can decrypt. */
  forgetFormerRules(): void {
    this.#former = undefined
  }

  /** What is stored for a value; the value itself if it is not encrypted. @throws Error if its provider cannot encrypt now. */
  seal(key: string, value: Uint8Array): Uint8Array {
    const { resourceOf, metrics } = this.#options
    const resource = resourceOf(key)
    if (resource === undefined) return value
    const { writer } = this.#rules.of(resource)
    if (writer.method === 'identity') return value
    const encrypt = () => writer.encrypt(value, key)
    return metrics.count('to_storage', resource, writer.method, encrypt)
  }

  /** The value that was stored. @throws Error that names the object, and what to do, if it cannot be decrypted. */
  open(key: string, stored: Uint8Array): Awaitable<Uint8Array> {
    const { resourceOf, metrics } = this.#options
    const resource = resourceOf(key)
    if (resource === undefined) return stored
    const reader = this.#readerOf(key, resource, stored)
    if (reader.method === 'identity') return stored
    return metrics.count('from_storage', resource, reader.method, () =>
      decrypt(reader, key, stored),
    )
  }

  /** True for stored bytes that a write of the same value would replace by others. @throws as `open`. */
  isOutdated(key: string, stored: Uint8Array, rules = this.#rules): boolean {
    const resource = this.#options.resourceOf(key)
    if (resource === undefined) return false
    const reader = this.#readerOf(key, resource, stored, rules)
    return reader !== rules.of(resource).writer || reader.isOutdated?.(stored) === true
  }

  #readerOf(
    key: string,
    resource: GroupResource,
    stored: Uint8Array,
    rules = this.#rules,
  ): Provider {
    try {
      return rules.of(resource).readerOf(stored)
    } catch (error) {
      const former = rules === this.#rules ? this.#former : undefined
      if (former === undefined) throw unreadable(key, error)
      return former.of(resource).readerOf(stored)
    }
  }
}

function decrypt(reader: Provider, key: string, stored: Uint8Array): Awaitable<Uint8Array> {
  try {
    const value = reader.decrypt(stored, key)
    return value instanceof Promise
      ? value.catch((error) => Promise.reject(unreadable(key, error)))
      : value
  } catch (error) {
    throw unreadable(key, error)
  }
}

function unreadable(key: string, cause: unknown): Error {
  return new Error(`${key} cannot be decrypted: ${errorText(cause)}`, { cause })
}
