import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toJson } from '../../../runtime/loopback/to-json.ts'

const test = suite('runtime/loopback: to JSON')

test('what JSON would carry is given as it is, not copied', () => {
  const value = { a: [1, { b: null }], c: 'text' }
  assert.is(toJson(value), value)
})

test('undefined properties are left out wherever they stand, and nothing is changed in place', () => {
  const value = { a: undefined, b: [{ c: undefined, d: 1 }], e: { f: undefined } }
  assert.is(JSON.stringify(toJson(value)), '{"b":[{"d":1}],"e":{}}')
  assert.ok('a' in value)
})

test('a key called __proto__ stays a key', () => {
  const value = JSON.parse('{"__proto__":{"a":1}}')
  const json = toJson({ ...value, b: undefined }) as object
  assert.ok(Object.hasOwn(json, '__proto__'))
})

test.run()
