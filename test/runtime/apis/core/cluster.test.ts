import * as assert from 'uvu/assert'
import { kindAt, namespaces } from '../../../support/registry.ts'
import type { Given, Stored } from '../outcome.ts'
import { creations, refusals, stored, updates, writing } from '../tables.ts'

const test = writing('runtime/apis: namespaces, nodes, events, leases')
const nodes = kindAt('api/v1/nodes')
const events = kindAt('api/v1/events')
const leases = kindAt('apis/coordination.orch.io/v1/leases')

const label = 'orch.io/metadata.name'
const avoided = 'scheduler.alpha.orch.io/preferAvoidPods'
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelOf = ({ metadata }: Stored) => {
  const labels = metadata.labels as Record<string, string> | undefined
  return labels?.[label] === metadata.name
}

// I-11
creations(test, namespaces, [
  ['a namespace carries its name as a label', {}, labelOf, true],
  ['a made name too', { metadata: { name: '', generateName: 'a-' } }, labelOf, true],
  ['a false label is put right', { metadata: { labels: { [label]: 'other' } } }, labelOf, true],
  ['a namespace waits for its contents', {}, (o) => o.spec, { finalizers: ['orch'] }],
  [
    'finalizers of others stay',
    { spec: { finalizers: ['example.com/a'] } },
    (o) => o.spec,
    { finalizers: ['example.com/a', 'orch'] },
  ],
  [
    'a namespace begins active',
    { status: { phase: 'Terminating' } },
    (o) => o.status,
    { phase: 'Active' },
  ],
])

test('an update can neither take the label away nor the finalizers', async ({ writer }) => {
  const object = stored(
    await writer.update(namespaces, {}, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, labels: undefined },
      spec: { finalizers: [] },
    })),
  )
  assert.ok(labelOf(object))
  assert.equal(object.spec, { finalizers: ['orch'] })
})

// I-01, I-12
const ranges = { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] }
creations(test, nodes, [
  ['a range is the first of the list', { spec: { podCIDR: '10.1.0.0/24' } }, (o) => o.spec, ranges],
  ['the list is enough', { spec: { podCIDRs: ranges.podCIDRs } }, (o) => o.spec, ranges],
  [
    'of two that differ the single one wins',
    { spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.2.0.0/24'] } },
    (o) => o.spec,
    ranges,
  ],
])

test('all capacity of a node is allocatable unless it says otherwise', async ({ writer }) => {
  const capacity = { cpu: '4', memory: '8Gi' }
  const report = async (status: object) => {
    const outcome = await writer.update(nodes, {}, (object) => ({ ...object, status }), 'status')
    return (stored(outcome).status as { allocatable?: object }).allocatable
  }
  assert.equal(await report({ capacity }), capacity)
  assert.equal(await report({ capacity, allocatable: { cpu: '3' } }), { cpu: '3' })
})

const taint = { key: 'a', effect: 'NoSchedule' }
refusals(test, nodes, [
  [
    'a taint stands once for each effect',
    { spec: { taints: [taint, { ...taint, effect: 'NoExecute' }, { ...taint, value: 'b' }] } },
    [
      'metadata.taints[2]: Duplicate value: {"key":"a","value":"b","effect":"NoSchedule"}: taints must be unique by key and effect pair',
    ],
  ],
  ...[
    [
      'x',
      'AvoidPods: Invalid value: "<key>": invalid character \'x\' looking for beginning of value',
    ],
    [
      '[]',
      'AvoidPods: Invalid value: "<key>": json: cannot unmarshal array into Go value of type v1.AvoidPods',
    ],
    ['{"preferAvoidPods":[{}]}', '<key>[0].PodSignature: Required value'],
    [
      '{"preferAvoidPods":[{"podSignature":{"podController":{"controller":false}}}]}',
      '<key>[0].PodSignature.PodController.Controller: Invalid value: false: must point to a controller',
    ],
  ].map(([text = '', error = '']): [string, Given, string[]] => [
    `pods that a node avoids are those of a controller: ${text}`,
    { metadata: { annotations: { [avoided]: text } } },
    [`metadata.annotations.${error.replace('<key>', avoided)}`],
  ]),
])

const withSpec = (change: object) => (object: Stored) => ({
  ...object,
  spec: { ...(object.spec as object), ...change },
})
updates(test, nodes, { spec: { ...ranges, providerID: 'cloud://1' } }, [
  ['a node may be cordoned and tainted', withSpec({ unschedulable: true, taints: [taint] }), []],
  [
    'a range is set once',
    withSpec({ podCIDR: '10.2.0.0/24', podCIDRs: ['10.2.0.0/24'] }),
    ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
  ],
  [
    'a provider is set once',
    withSpec({ providerID: 'cloud://2' }),
    ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
  ],
])
updates(test, nodes, {}, [
  ['what was empty may be set', withSpec({ ...ranges, providerID: 'cloud://1' }), []],
])

// U-07
const about = (namespace?: string): Given => ({
  involvedObject: { kind: 'Pod', name: 'web', ...(namespace && { namespace }) },
})
refusals(test, events, [
  ['an event lives beside its object', about('default'), []],
  ['events of cluster objects live in default', about(), []],
  [
    'an event elsewhere is refused',
    about('orch-system'),
    ['involvedObject.namespace: Invalid value: "orch-system": does not match event.namespace'],
  ],
  [
    'one that says when may be about another namespace',
    {
      ...about('shop'),
      eventTime: '2024-01-01T00:00:00.000000Z',
      reportingComponent: 'example.com/a',
      reportingInstance: 'a',
      action: 'Start',
      reason: 'Started',
    },
    [],
  ],
  [
    'an event that says when says who, what and why',
    { ...about('default'), eventTime: '2024-01-01T00:00:00.000000Z' },
    [
      'reportingComponent: Required value',
      'reportingComponent: Invalid value: "": name part must be non-empty',
      `reportingComponent: Invalid value: "": ${namePart}`,
      'reportingInstance: Required value',
      'action: Required value',
      'reason: Required value',
    ],
  ],
  [
    'texts of an event are short',
    {
      ...about('default'),
      eventTime: '2024-01-01T00:00:00.000000Z',
      reportingComponent: 'example.com/a',
      reportingInstance: 'x'.repeat(129),
      action: 'Start',
      reason: 'Started',
      message: 'x'.repeat(1025),
    },
    [
      'reportingInstance: Invalid value: "": can have at most 128 characters',
      'message: Invalid value: "": can have at most 1024 characters',
    ],
  ],
])

// I-24
refusals(test, leases, [
  ['a lease may be empty', {}, []],
  [
    'a lease lasts, and passes on a natural number of times',
    { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
    [
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
      'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
    ],
  ],
])

test.run()
