import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Conversion, convert } from '../../../../runtime/kernel/descriptors/conversion.ts'

const test = suite('runtime/kernel: conversion')

type PlainObject = Readonly<Record<string, unknown>>

/** Both directions: `older` becomes `newer`, and that becomes `older` again. */
function converts(name: string, steps: Conversion, older: PlainObject, newer: PlainObject): void {
  test(`${name}: up`, () => assert.equal(convert(steps, older, 'newer'), newer))
  test(`${name}: down`, () => assert.equal(convert(steps, newer, 'older'), older))
}

// The notable changes of A9: each a case in the words of the steps.
converts(
  'a field is renamed',
  [
    {
      is: 'move',
      at: [],
      older: ['spec', 'limited', 'assuredConcurrencyShares'],
      newer: ['spec', 'limited', 'nominalConcurrencyShares'],
    },
  ],
  { spec: { limited: { assuredConcurrencyShares: 5 } } },
  { spec: { limited: { nominalConcurrencyShares: 5 } } },
)

const paths = ['spec', 'rules', '*', 'http', 'paths', '*']

converts(
  'a field moves into a struct of its own, in every item of a list',
  [
    {
      is: 'move',
      at: paths,
      older: ['backend', 'serviceName'],
      newer: ['backend', 'service', 'name'],
    },
  ],
  { spec: { rules: [{ http: { paths: [{ backend: { serviceName: 'web' } }] } }, {}] } },
  { spec: { rules: [{ http: { paths: [{ backend: { service: { name: 'web' } } }] } }, {}] } },
)

const split: Conversion = [
  {
    is: 'split',
    at: [],
    older: ['backend', 'servicePort'],
    newer: {
      number: ['backend', 'service', 'port', 'number'],
      string: ['backend', 'service', 'port', 'name'],
    },
  },
]

converts(
  'a value is split by its type: a number',
  split,
  { backend: { servicePort: 80 } },
  { backend: { service: { port: { number: 80 } } } },
)
converts(
  'a value is split by its type: a name',
  split,
  { backend: { servicePort: 'http' } },
  { backend: { service: { port: { name: 'http' } } } },
)
converts('nothing is split where nothing is', split, { backend: {} }, { backend: {} })

const shares: Conversion = [
  { is: 'default', at: [], path: ['spec', 'shares'], value: 30, zero: 'example.com/zero' },
]
const marked = {
  metadata: { name: 'a', annotations: { 'example.com/zero': '' } },
  spec: { shares: 0 },
}

converts('a zero that is meant is marked', shares, marked, {
  metadata: { name: 'a' },
  spec: { shares: 0 },
})
converts('other values are as they are', shares, { spec: { shares: 5 } }, { spec: { shares: 5 } })

test('a zero that is not marked is the default', () => {
  assert.equal(convert(shares, { spec: { shares: 0 } }, 'newer'), { spec: { shares: 30 } })
})

test('a default never brings the struct around it into being', () => {
  const steps: Conversion = [{ is: 'default', at: [], path: ['spec', 'shares'], value: 30 }]
  assert.equal(convert(steps, {}, 'newer'), {})
  assert.equal(convert(steps, { spec: {} }, 'newer'), { spec: { shares: 30 } })
})

test('a default goes into every item of a list', () => {
  const steps: Conversion = [{ is: 'default', at: ['hooks', '*'], path: ['policy'], value: 'Fail' }]
  const older = { hooks: [{}, { policy: 'Ignore' }] }
  assert.equal(convert(steps, older, 'newer'), {
    hooks: [{ policy: 'Fail' }, { policy: 'Ignore' }],
  })
})

const metrics: Conversion = [
  { is: 'drop', side: 'newer', path: ['spec', 'metrics'], annotation: 'example.com/metrics' },
]

converts(
  'what only one version has is kept in an annotation of the other',
  metrics,
  { metadata: { name: 'a', annotations: { 'example.com/metrics': '[{"type":"Pods"}]' } } },
  { metadata: { name: 'a' }, spec: { metrics: [{ type: 'Pods' }] } },
)

test('an annotation that is no JSON stays as it is', () => {
  const older = { metadata: { annotations: { 'example.com/metrics': '{' } }, spec: {} }
  assert.equal(convert(metrics, older, 'newer'), older)
})

test('a conversion by hand is called by its name', () => {
  const named = () => ({ newer: () => ({ up: true }), older: () => ({ down: true }) })
  const steps: Conversion = [{ is: 'call', name: 'turn' }]
  assert.equal(convert(steps, {}, 'newer', named), { up: true })
  assert.equal(convert(steps, {}, 'older', named), { down: true })
  assert.throws(() => convert(steps, {}, 'newer'), /there is no conversion called turn/)
})

test('names like __proto__ are names like any other', () => {
  const steps: Conversion = [{ is: 'move', at: [], older: ['a'], newer: ['b'] }]
  const given = JSON.parse('{"__proto__":{"x":1},"a":2}') as PlainObject
  assert.is(JSON.stringify(convert(steps, given, 'newer')), '{"__proto__":{"x":1},"b":2}')
})

test.run()
