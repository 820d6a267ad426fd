import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { escapeName, reservedWords, unescapeName } from '../../../../runtime/cel/syntax/escape.ts'

const test = suite('runtime/cel/escape')

const pairs: readonly (readonly [string, string | undefined])[] = [
  ['plain', 'plain'],
  ['a__b', 'a__underscores__b'], // A2.68
  ['a.b', 'a__dot__b'], // A2.69
  ['a-b', 'a__dash__b'], // A2.70
  ['a/b', 'a__slash__b'], // A2.71
  ['namespace', '__namespace__'], // A2.72
  ['namespaces', 'namespaces'],
  ['in-', 'in__dash__'],
  ['_', '_'],
  ['___', '__underscores___'],
  ['_-', '___dash__'],
  ['__dot__', '__underscores__dot__underscores__'],
  ['1a', undefined],
  ['', undefined],
  ['a b', undefined],
  ['ä', undefined],
  ['a$', undefined],
  ['__proto__', '__underscores__proto__underscores__'],
]

for (const [name, escaped] of pairs) {
  test(`${JSON.stringify(name)} is ${escaped ?? 'out of reach'} (A2.67)`, () => {
    assert.is(escapeName(name), escaped)
    if (escaped !== undefined) assert.is(unescapeName(escaped), name)
  })
}

test('texts that nothing escapes to mean nothing', () => {
  for (const text of ['__', 'a__b', '__dash', '__no__', 'true', 'a__dash_']) {
    assert.is(unescapeName(text), undefined, text)
  }
})

test('every accessible name comes back, and its identifier is one of the language', () => {
  const names = fc.stringMatching(/^[a-zA-Z_./-][a-zA-Z0-9_./-]{0,12}$/)
  fc.assert(
    fc.property(names, (name) => {
      const escaped = escapeName(name)
      assert.match(escaped ?? '', /^[a-zA-Z_][a-zA-Z0-9_]*$/)
      assert.is(unescapeName(escaped!), name)
    }),
  )
})

test('no two names share an identifier', () => {
  const parts = fc.constantFrom('_', '__', '-', '.', '/', 'dash', 'dot', 'underscores', 'a', 'in')
  const names = fc.array(parts, { minLength: 1, maxLength: 6 }).map((list) => list.join(''))
  fc.assert(
    fc.property(names, names, (a, b) => {
      if (a !== b) assert.is.not(escapeName(a), escapeName(b))
    }),
  )
})

test('each reserved word has its escape', () => {
  for (const word of reservedWords) {
    assert.is(escapeName(word), `__${word}__`)
    assert.is(unescapeName(`__${word}__`), word)
  }
})

test.run()
