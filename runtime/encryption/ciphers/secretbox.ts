import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa'
import { type Cipher, notOfThisKey } from './cipher.ts'

const nonceSize = 24

/**
 * XSalsa20 with Poly1305: a random nonce, the encrypted value with its tag. The construction knows no place, so each place has a secret of
 * its own, derived from the key.
 */
export function secretbox(secret: Uint8Array): Cipher {
  const derivation = Buffer.from(hkdfSync('sha256', secret, '', 'places', 32))
  const secretOf = (place: string): Buffer =>
    createHmac('sha256', derivation).update(place).digest()
  return {
    encrypt(value, place) {
      const nonce = randomBytes(nonceSize)
      return Buffer.concat([nonce, xsalsa20poly1305(secretOf(place), nonce).encrypt(value)])
    },
    decrypt(bytes, place) {
      if (bytes.length < nonceSize) throw notOfThisKey()
      const box = xsalsa20poly1305(secretOf(place), bytes.subarray(0, nonceSize))
      try {
        return box.decrypt(bytes.subarray(nonceSize))
      } catch {
        throw notOfThisKey()
      }
    },
  }
}
