import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  configKeyProblems,
  generateObjectName,
  isLabelKey,
  isLabelValue,
  nameProblems,
} from '../../../../runtime/kernel/meta/names.ts'

const names = suite('runtime/kernel/names')

names('each rule takes the names of its kinds and no others (W-13)', () => {
  const cases = [
    ['dns-label', ['a', 'a-1', '1a', 'a'.repeat(63)], ['', 'A', 'a.b', '-a', 'a-', 'a'.repeat(64)]],
    ['dns-1035-label', ['a', 'a-1'], ['1a', 'a.b', '']],
    [
      'dns-subdomain',
      ['a', 'a.b-c.1', 'a'.repeat(253)],
      ['a..b', '.a', 'a_b', 'a/b', 'a'.repeat(254)],
    ],
    ['path-segment', ['system:node', 'A b'], ['.', '..', 'a/b', 'a%b', 'a\0']],
  ] as const
  for (const [rule, good, bad] of cases) {
    for (const name of good) assert.equal(nameProblems(rule, name), [], `${rule} ${name}`)
    for (const name of bad) assert.ok(nameProblems(rule, name).length > 0, `${rule} ${name}`)
  }
})

names('a name that is too long is judged by its characters, too', () => {
  const long = 'a-1.'.repeat(200)
  for (const name of [`${long}a`, `${long}1-a`]) {
    assert.is(nameProblems('dns-subdomain', name).length, 1, name)
  }
  for (const end of ['', 'a-', '.a', '-a', 'a-.a', 'A', 'a_a']) {
    assert.is(nameProblems('dns-subdomain', `${long}${end}`).length, 2, end)
  }
  assert.is(nameProblems('dns-subdomain', `-${long}a`).length, 2)
})

names('a prefix may end in a hyphen', () => {
  assert.equal(nameProblems('dns-subdomain', 'web-', true), [])
  assert.is(nameProblems('dns-subdomain', 'web-').length, 1)
})

names('label keys and values follow their own rules (W-09)', () => {
  for (const key of ['a', 'A.b_c', 'example.com/a', '1']) assert.ok(isLabelKey(key), key)
  for (const key of ['', '/a', 'a/', 'a/b/c', 'Example.com/a', 'a'.repeat(64)]) {
    assert.not.ok(isLabelKey(key), key)
  }
  for (const value of ['', 'a', 'A.b_c-1']) assert.ok(isLabelValue(value), value)
  for (const value of ['-a', 'a b', 'a'.repeat(64)]) assert.not.ok(isLabelValue(value), value)
})

names('config keys are file names', () => {
  for (const key of ['a.conf', '.hidden', 'A_b']) assert.equal(configKeyProblems(key), [], key)
  for (const key of ['', '.', '..', '..a', 'a/b']) assert.ok(configKeyProblems(key).length > 0, key)
})

names('a rule answers in linear time', () => {
  assert.ok(nameProblems('dns-subdomain', `${'a-'.repeat(1_000_000)}!`).length > 0)
})

names('a generated name is the cut prefix and five letters (W-02)', () => {
  assert.is(
    generateObjectName('web-', () => 0),
    'web-bbbbb',
  )
  assert.is(
    generateObjectName('a'.repeat(80), () => 0.999),
    `${'a'.repeat(58)}99999`,
  )
})

names.run()
