import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as text from '../../../../runtime/cel/library/text.ts'

const test = suite('runtime/cel/library/text')
const any = fc.string({ unit: 'grapheme', maxLength: 12 })
const rare = fc.string({ unit: fc.constantFrom('a', 'b', '\u{1f600}', 'ä'), maxLength: 12 })

test('positions count characters, whatever they take in UTF-16', () => {
  fc.assert(
    fc.property(rare, rare, (one, part) => {
      const [runes, wanted] = [[...one], [...part]]
      const at = runes.findIndex((_, start) => wanted.every((rune, i) => runes[start + i] === rune))
      const found = text.indexOf(one, part)
      if (part !== '' && one === '') assert.equal(found, { error: 'index out of range: 0' })
      else assert.is(found, part === '' ? 0n : BigInt(at))
    }),
  )
})

test('a substring is the characters between its ends', () => {
  fc.assert(
    fc.property(rare, fc.nat(12), fc.nat(12), (one, a, b) => {
      const length = text.lengthOf(one)
      const [start, end] = [Math.min(a, b, length), Math.min(Math.max(a, b), length)]
      const wanted = [...one].slice(start, end).join('')
      assert.is(text.substring(one, BigInt(start), BigInt(end)), wanted)
    }),
  )
})

test('what was split is joined again', () => {
  fc.assert(
    fc.property(any, any, fc.integer({ min: 1, max: 5 }), (one, separator, limit) => {
      assert.is(text.split(one, separator).join(separator), one)
      const pieces = text.split(one, separator, BigInt(limit))
      assert.ok(pieces.length <= limit)
      assert.is(pieces.join(separator), one)
    }),
  )
})

test('replacing everything is splitting and joining', () => {
  fc.assert(
    fc.property(any, any, any, (one, part, by) => {
      if (part !== '') assert.is(text.replace(one, part, by), one.split(part).join(by))
    }),
  )
})

test('an empty part stands before, between and after characters', () => {
  assert.is(text.replace('a\u{1f600}', '', '-'), '-a-\u{1f600}-')
  assert.is(text.replace('ab', '', '-', 2n), '-a-b')
  assert.is(text.replace('ab', '', '-', 0n), 'ab')
})

test('an index outside is an error that names it', () => {
  assert.equal(text.charAt('abc', 4n), { error: 'index out of range: 4' })
  assert.equal(text.charAt('abc', -1n), { error: 'index out of range: -1' })
  assert.is(text.charAt('abc', 3n), '')
  assert.equal(text.indexOf('abc', 'a', 3n), { error: 'index out of range: 3' })
  assert.equal(text.indexOf('', 'a'), { error: 'index out of range: 0' })
  assert.is(text.lastIndexOf('', 'a'), -1n, 'as the vectors of the language have it')
  assert.equal(text.substring('abc', 2n, 1n), {
    error: 'invalid substring range. start: 2, end: 1',
  })
})

test('white space is what Unicode calls so, and nothing else', () => {
  assert.is(text.trim('\u0085\u00a0\u1680\t a \u3000\n'), 'a')
  assert.is(text.trim('\u180ea\u200b\ufeff'), '\u180ea\u200b\ufeff')
})

test('a lone surrogate is quoted as a replacement character', () => {
  assert.is(text.quote('a\ud800"\n'), '"a\ufffd\\"\\n"')
})

test.run()
