import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { type Cipher, notOfThisKey } from './cipher.ts'

const blockSize = 16
const codeSize = 32

/**
 * AES with cipher block chaining: a random first block, a code of authentication, the encrypted value. The mode itself would not notice
 * changed bytes; the code (HMAC-SHA-256 with a secret derived from the key) does, before anything is decrypted.
 */
export function aesCbc(secret: Uint8Array): Cipher {
  const algorithm = `aes-${secret.length * 8}-cbc`
  const codeSecret = Buffer.from(hkdfSync('sha256', secret, '', 'authentication', codeSize))
  const codeOf = (first: Uint8Array, encrypted: Uint8Array, place: string): Buffer =>
    createHmac('sha256', codeSecret)
      .update(`${Buffer.byteLength(place)}:${place}`)
      .update(first)
      .update(encrypted)
      .digest()
  return {
    encrypt(value, place) {
      const first = randomBytes(blockSize)
      const cipher = createCipheriv(algorithm, secret, first)
      const encrypted = Buffer.concat([cipher.update(value), cipher.final()])
      return Buffer.concat([first, codeOf(first, encrypted, place), encrypted])
    },
    decrypt(bytes, place) {
      const start = blockSize + codeSize
      if (bytes.length < start) throw notOfThisKey()
      const [first, encrypted] = [bytes.subarray(0, blockSize), bytes.subarray(start)]
      const code = codeOf(first, encrypted, place)
      if (!timingSafeEqual(code, bytes.subarray(blockSize, start))) throw notOfThisKey()
      const decipher = createDecipheriv(algorithm, secret, first)
      return Buffer.concat([decipher.update(encrypted), decipher.final()])
    },
  }
}
