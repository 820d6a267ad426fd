import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type Cipher, notOfThisKey } from './cipher.ts'

const nonceSize = 12
const tagSize = 16

/**
 * AES in Galois counter mode: a random nonce, the tag, the encrypted value. Random nonces of 96 bits are safe for some billion
 * writes with one secret of 16, 24 or 32 bytes.
 */
export function aesGcm(secret: Uint8Array): Cipher {
  const algorithm = `aes-${secret.length * 8}-gcm` as 'aes-256-gcm'
  return {
    encrypt(value, place) {
      const nonce = randomBytes(nonceSize)
      const cipher = createCipheriv(algorithm, secret, nonce).setAAD(Buffer.from(place))
      const encrypted = [cipher.update(value), cipher.final()]
      return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted])
    },
    decrypt(bytes, place) {
      const start = nonceSize + tagSize
      if (bytes.length < start) throw notOfThisKey()
      const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, nonceSize))
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(nonceSize, start))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()])
      } catch {
        throw notOfThisKey()
      }
    },
  }
}
