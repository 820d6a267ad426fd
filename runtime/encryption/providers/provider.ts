import type { Awaitable } from '../../kernel/async/awaitable.ts'

/** What the bytes of every provider begin with; no object as it is written begins so. */
export const storedMark = Buffer.from('orch:enc:')

/** One way to encrypt values, with one key. */
export interface Provider {
  /** For messages: `aescbc with the key "k1"`. */
  readonly name: string
  /** What the bytes that it makes begin with; no two providers share it. Empty for one that stores values as they are. */
  readonly prefix: Uint8Array
  /** The method and its version, as metrics name it. */
  readonly method: string
  /** @throws Error if nothing can be encrypted now, with the reason. */
  encrypt(value: Uint8Array, place: string): Uint8Array
  /** Takes bytes that begin with its prefix. @throws Error if they cannot be decrypted, with the reason. */
  decrypt(stored: Uint8Array, place: string): Awaitable<Uint8Array>
  /** True for bytes that it would make otherwise now, as with a new key of its key service. */
  isOutdated?(stored: Uint8Array): boolean
  /** @throws Error if it is not able to encrypt, with the reason. */
  check?(): void
  /**
   * Does what it has to do besides, until `signal` aborts; resolves when it can encrypt, or cannot for now. Calls `changed` when it
   * encrypts otherwise from then on, so that what it made before is outdated.
   */
  start?(signal: AbortSignal, changed: () => void): Promise<{ readonly ended: Promise<void> }>
}

/** True for bytes that a provider has made. */
export function isEncrypted(bytes: Uint8Array): boolean {
  return startsWith(bytes, storedMark)
}

/** True for bytes that begin with all of `prefix`. */
export function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (bytes.length < prefix.length) return false
  for (let at = 0; at < prefix.length; at++) if (bytes[at] !== prefix[at]) return false
  return true
}

/** The prefix of a method and a key: names are written so that none is the beginning of another. */
export function storedPrefix(method: string, key: string): Buffer {
  return Buffer.from(`${storedMark}${method}:${encodeURIComponent(key)}:`)
}

/** Which method and key made these bytes, for messages; what a prefix should be is not trusted to be one. */
export function makerOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(storedMark.length, 1024)).toString('latin1')
  const [, method = '', key = ''] = /^([a-z]+:v\d+):([\w.%!~*'()-]*):/.exec(text) ?? []
  return method === '' ? 'an unknown method' : makerName(method, decoded(key))
}

/** How messages name a method and a key. */
export function makerName(method: string, key: string): string {
  const [word = ''] = method.split(':')
  return word === 'kms' ? `the key service "${key}"` : `${word} with the key "${key}"`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
