import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { daemonSpec } from '../../../../../runtime/controller-manager/workloads/daemon-set/daemon-pod.ts'
import { fitOf } from '../../../../../runtime/controller-manager/workloads/daemon-set/node-fit.ts'

const test = suite('runtime/controller-manager/workloads: fitOf (T-04)')

interface NodeFacts {
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly object[]
}

const taint = (effect: string, key = 'bad', value = 'yes') => ({ key, value, effect })
const terms = (...nodeSelectorTerms: readonly object[]) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  },
})
const expression = (key: string, operator: string, ...values: readonly string[]) => ({
  matchExpressions: [{ key, operator, values }],
})
const field = (operator: string, ...values: readonly string[]) => ({
  matchFields: [{ key: 'metadata.name', operator, values }],
})
const tolerating = (...tolerations: readonly object[]) => ({ tolerations })

const cases: readonly (readonly [name: string, spec: object, node: NodeFacts, want: string])[] = [
  ['any node will do', {}, {}, 'starts'],
  ['the named node does', { nodeName: 'a' }, {}, 'starts'],
  ['another one does not', { nodeName: 'b' }, {}, 'goes'],
  ['a label is as selected', { nodeSelector: { zone: 'x' } }, { labels: { zone: 'x' } }, 'starts'],
  ['or is not', { nodeSelector: { zone: 'x' } }, { labels: { zone: 'y' } }, 'goes'],
  ['a taint keeps new pods away', {}, { taints: [taint('NoSchedule')] }, 'stays'],
  ['or all of them', {}, { taints: [taint('NoExecute')] }, 'goes'],
  ['or would rather', {}, { taints: [taint('PreferNoSchedule')] }, 'starts'],
  [
    'a value is tolerated',
    tolerating({ key: 'bad', value: 'yes' }),
    { taints: [taint('NoExecute')] },
    'starts',
  ],
  [
    'another value is not',
    tolerating({ key: 'bad', operator: 'Equal', value: 'no' }),
    { taints: [taint('NoExecute')] },
    'goes',
  ],
  [
    'whatever value is tolerated',
    tolerating({ key: 'bad', operator: 'Exists' }),
    { taints: [taint('NoExecute'), taint('NoSchedule')] },
    'starts',
  ],
  [
    'one effect is tolerated',
    tolerating({ key: 'bad', operator: 'Exists', effect: 'NoExecute' }),
    { taints: [taint('NoExecute'), taint('NoSchedule')] },
    'stays',
  ],
  ['everything is', tolerating({ operator: 'Exists' }), { taints: [taint('NoExecute')] }, 'starts'],
  ['one of several terms holds', terms(field('In', 'b'), field('In', 'a')), {}, 'starts'],
  ['none does', terms(field('NotIn', 'a')), {}, 'goes'],
  ['an empty term holds for no node', terms({}), {}, 'goes'],
  ['no terms neither', terms(), {}, 'goes'],
  ['labels may be compared', terms(expression('n', 'Gt', '3')), { labels: { n: '4' } }, 'starts'],
  ['as less', terms(expression('n', 'Lt', '3')), { labels: { n: '4' } }, 'goes'],
  ['or absent', terms(expression('n', 'DoesNotExist')), {}, 'starts'],
  ['an operator that is not known never holds', terms(expression('n', 'Like', 'x')), {}, 'goes'],
]

for (const [name, spec, { labels, taints }, want] of cases) {
  test(name, () => {
    const node = { metadata: { name: 'a', ...(labels && { labels }) }, spec: { taints } }
    const { starts, stays } = fitOf({ containers: [], ...spec } as never, node as never)
    assert.is(starts ? 'starts' : stays ? 'stays' : 'goes', want)
  })
}

test('pods of a daemon set tolerate what is wrong with nodes', () => {
  const keys = (spec: object) =>
    daemonSpec({ containers: [], ...spec } as never, 'orch.io').tolerations?.map(
      ({ key, effect }) => `${key} ${effect}`,
    )
  const own = [
    'node.orch.io/not-ready NoExecute',
    'node.orch.io/unreachable NoExecute',
    'node.orch.io/disk-pressure NoSchedule',
    'node.orch.io/memory-pressure NoSchedule',
    'node.orch.io/pid-pressure NoSchedule',
    'node.orch.io/unschedulable NoSchedule',
  ]
  assert.equal(keys({}), own)
  const network = 'node.orch.io/network-unavailable NoSchedule'
  assert.equal(keys({ hostNetwork: true }), [...own, network])
})

test('one that lasts for a time only lasts for ever, in its place', () => {
  const given = { key: 'node.orch.io/not-ready', operator: 'Exists', effect: 'NoExecute' }
  const tolerations = [{ ...given, tolerationSeconds: 5 }]
  const spec = daemonSpec({ containers: [], tolerations } as never, 'orch.io')
  assert.equal(spec.tolerations?.[0], given)
  assert.is(spec.tolerations?.length, 6)
})

test.run()
