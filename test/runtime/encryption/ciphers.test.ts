import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aesCbc } from '../../../runtime/encryption/ciphers/aes-cbc.ts'
import { aesGcm } from '../../../runtime/encryption/ciphers/aes-gcm.ts'
import type { CipherMaker } from '../../../runtime/encryption/ciphers/cipher.ts'
import { secretbox } from '../../../runtime/encryption/ciphers/secretbox.ts'

const test = suite('runtime/encryption: ciphers')

const ciphers: readonly (readonly [string, CipherMaker, readonly number[]])[] = [
  ['aescbc', aesCbc, [16, 24, 32]],
  ['aesgcm', aesGcm, [16, 24, 32]],
  ['secretbox', secretbox, [32]],
]

const refused = /^it was encrypted with another key of this name, or it is damaged$/

for (const [name, make, sizes] of ciphers) {
  test(`${name}: what is encrypted is decrypted, whatever it is`, () => {
    const bytes = fc.uint8Array({ maxLength: 2000 })
    fc.assert(
      fc.property(bytes, fc.string(), fc.constantFrom(...sizes), (value, place, size) => {
        const cipher = make(randomBytes(size))
        const stored = cipher.encrypt(value, place)
        assert.is(Buffer.compare(cipher.decrypt(stored, place), value), 0)
      }),
    )
  })

  test(`${name}: bytes that were changed, cut or moved to another place are refused`, () => {
    const cipher = make(randomBytes(32))
    const value = Buffer.from('{"kind":"Secret"}')
    const stored = Buffer.from(cipher.encrypt(value, '/core/secrets/shop/db'))
    for (let at = 0; at < stored.length; at++) {
      const changed = Buffer.from(stored)
      changed[at] = changed.readUInt8(at) ^ 1
      assert.throws(() => cipher.decrypt(changed, '/core/secrets/shop/db'), refused)
      assert.throws(() => cipher.decrypt(stored.subarray(0, at), '/core/secrets/shop/db'), refused)
    }
    assert.throws(() => cipher.decrypt(stored, '/core/secrets/shop/other'), refused)
    assert.throws(() => make(randomBytes(32)).decrypt(stored, '/core/secrets/shop/db'), refused)
  })

  test(`${name}: the same value never gives the same bytes`, () => {
    const cipher = make(randomBytes(32))
    const value = Buffer.from('value')
    const texts = Array.from({ length: 100 }, () =>
      Buffer.from(cipher.encrypt(value, 'a')).toString('hex'),
    )
    assert.is(new Set(texts).size, 100)
  })
}

test.run()
