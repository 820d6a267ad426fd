import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { indentJson } from '../../../../runtime/serializer/json/indent-json.ts'

const test = suite('runtime/serializer/json: indentation')

test('indenting gives what JSON.stringify gives', () => {
  const value = { a: [], b: {}, c: [1, [2], { d: 'x,{"[\\' }], e: null, f: 'a:b', 'g"': [{}, []] }
  assert.is(indentJson(JSON.stringify(value)), JSON.stringify(value, null, 2))
})

test('indenting keeps every digit of a number', () => {
  assert.is(indentJson('{"a":9223372036854775807}'), '{\n  "a": 9223372036854775807\n}')
})

test.run()
