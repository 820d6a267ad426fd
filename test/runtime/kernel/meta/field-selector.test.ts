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

fields('a term that cannot be read is named (L-12)', () => {
  for (const text of ['a', 'x=1,a', 'a=b=c', 'a=\\x']) {
    const part = text.split(',').at(-1)
    assert.throws(
      () => parseFieldSelector(text),
      (error: Error) => error.message === `invalid selector: '${text}'; can't understand '${part}'`,
    )
  }
})

fields('a printed selector parses to the same requirements', () => {
  const requirements = parseFieldSelector('a=x\\,y,b!=\\=')
  assert.equal(parseFieldSelector(printFieldSelector(requirements)), requirements)
})

fields.run()
