import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  matchesFields,
  parseFieldSelector,
  printFieldSelector,
} from '../../../../runtime/kernel/meta/field-selector.ts'

const fields = suite('runtime/kernel/fields')

function matches(selector: string, values: Readonly<Record<string, unknown>>): boolean {
  return matchesFields(parseFieldSelector(selector), (field) => values[field])
}

fields('a selector compares the texts of values (L-12, L-13)', () => {
  assert.ok(matches('', {}))
  assert.ok(matches('a=b,c!=d', { a: 'b', c: 'e' }))
  assert.not.ok(matches('a==b', { a: 'c' }))
  assert.ok(matches('on=true', { on: true }))
  assert.ok(matches('a=x\\,y\\=z\\\\', { a: 'x,y=z\\' }))
})

fields('an absent value is the zero of its type (L-13)', () => {
  assert.ok(matches('spec.nodeName=,spec.hostNetwork=false', {}))
  assert.not.ok(matches('spec.nodeName!=', {}))
  assert.not.ok(matches('spec.hostNetwork=true', {}))
})

const refused: Readonly<Record<string, string>> = {
  a: "invalid selector: 'a'; can't understand 'a'",
  'x,a': "invalid selector: 'x,a'; can't understand 'a'",
  'a=b=c': 'invalid field selector: unescaped character in value: 61',
  'a=\\x': 'invalid field selector: invalid escape sequence: \\x',
  'a=\\': 'invalid field selector: invalid escape sequence: \\',
}

for (const [text, want] of Object.entries(refused)) {
  fields(`${text} is no selector (L-12)`, () => {
    assert.throws(
      () => parseFieldSelector(text),
      (error: Error) => error.message === want,
    )
  })
}

fields('a printed selector parses to the same requirements', () => {
  const requirements = parseFieldSelector('a=x\\,y,b!=\\=')
  assert.equal(parseFieldSelector(printFieldSelector(requirements)), requirements)
})

fields.run()
