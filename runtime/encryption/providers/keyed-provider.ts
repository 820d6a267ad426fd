import type { CipherMaker } from '../ciphers/cipher.ts'
import { makerName, type Provider, storedPrefix } from './provider.ts'

/** A key of a configuration file. */
export interface NamedKey {
  readonly name: string
  /** In base64. */
  readonly secret: string
}

/** A provider that has its key in the configuration. */
export function keyedProvider(method: string, key: NamedKey, make: CipherMaker): Provider {
  const { encrypt, decrypt } = make(Buffer.from(key.secret, 'base64'))
  const prefix = storedPrefix(method, key.name)
  return {
    name: makerName(method, key.name),
    prefix,
    method,
    encrypt: (value, place) => Buffer.concat([prefix, encrypt(value, place)]),
    decrypt: (stored, place) => decrypt(stored.subarray(prefix.length), place),
  }
}
