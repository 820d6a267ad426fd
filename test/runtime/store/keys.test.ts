import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isKey } from '../../../runtime/store/keys.ts'
import { compareKeys, prefixEnd } from '../../../runtime/store/store.ts'

const keys = suite('runtime/store: keys')
const text = fc.string({ unit: 'binary', maxLength: 6 })
const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

keys('keys are in the order of their UTF-8 bytes', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.is(Math.sign(compareKeys(a, b)), compareBytes(a, b))
    }),
    { numRuns: 2000 },
  )
  assert.is(compareKeys('\u{1f600}', '\uffee'), 1)
})

keys('a prefix ends right after everything that begins with it', () => {
  fc.assert(
    fc.property(text, text, (prefix, rest) => {
      const end = prefixEnd(prefix)
      if (end === undefined) return
      assert.ok(compareBytes(prefix + rest, end) < 0)
      assert.ok(compareBytes(prefix, end) < 0)
      assert.not(end.startsWith(prefix))
    }),
  )
  assert.equal(['', '/a/', 'a\u{10ffff}', '\u{10ffff}', '\ud7ff'].map(prefixEnd), [
    undefined,
    '/a0',
    'b',
    undefined,
    '\ue000',
  ])
})

keys('text that a database would not give back as it was is no key', () => {
  assert.equal(['/a', '/\u{1f600}', '/\ud800', '/\udc00a', '/a\0b'].map(isKey), [
    true,
    true,
    false,
    false,
    false,
  ])
})

keys.run()
