import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  apiLibraries,
  compile,
  createEnvironment,
  expressionsIn,
} from '../../../../runtime/cel/cel.ts'

const tests = suite('runtime/cel: expressions of the stored object')

const later = 'sets.contains([1], [1])'
const definition = { validations: [{ rule: later }] }
const environment = (old: object | undefined) => ({
  ...createEnvironment({ libraries: apiLibraries }),
  stored: expressionsIn(old),
})

tests('a function of later releases is unknown in a new expression (D-17)', () => {
  assert.not(compile(later, environment(undefined)).ok)
  assert.not(compile(`${later} && true`, environment(definition)).ok)
  const known = [
    "'a-b'.split('-').join('+') == 'a+b'",
    'optional.of(1).hasValue()',
    "quantity('1k').isGreaterThan(quantity('1'))",
    '1 < 2.5 && 2u > 1',
  ]
  for (const expression of known)
    assert.ok(compile(expression, environment(undefined)).ok, expression)
})

tests('what the stored object says already goes on working', () => {
  assert.ok(compile(later, environment(definition)).ok)
})

tests('where nothing is asked of what is stored, every function is known', () => {
  assert.ok(compile(later, createEnvironment({ libraries: apiLibraries })).ok)
})

tests.run()
