/** How many pods a metric asks for (T-07). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decideMetrics } from '../../../../runtime/controller-manager/autoscaling/decide-metrics.ts'
import { groupPods } from '../../../../runtime/controller-manager/autoscaling/group-pods.ts'
import { milliOf, printMilli } from '../../../../runtime/controller-manager/autoscaling/milli.ts'
import {
  type Proposal,
  proposeByAverage,
  proposeByShare,
  proposeByTotal,
  proposeByUtilization,
} from '../../../../runtime/controller-manager/autoscaling/propose-replicas.ts'

const test = suite('runtime/controller-manager/autoscaling: proposals (T-07)')

const now = Date.parse('2030-01-01T01:00:00Z')
const rules = {
  ...{ tolerance: 0.1, now, resource: 'cpu' },
  ...{ initializationMs: 300_000, readinessDelayMs: 30_000 },
}
const minute = 60_000
const time = (ms: number) => new Date(ms).toISOString()

interface PodFacts {
  /** In thousandths; none was measured. */
  readonly used?: number
  readonly requests?: string
  readonly phase?: string
  readonly ready?: boolean
  readonly changed?: number
  readonly started?: number
  readonly deleted?: boolean
}

function podOf(facts: PodFacts, index: number) {
  const { requests = '100m', phase = 'Running', ready = true } = facts
  const { started = now - 60 * minute, changed = now - 59 * minute, deleted = false } = facts
  const condition = { type: 'Ready', status: ready ? 'True' : 'False' }
  return {
    metadata: { name: `p${index}`, ...(deleted && { deletionTimestamp: time(now) }) },
    spec: {
      containers: [{ name: 'main', resources: { requests: { cpu: requests } } }],
      initContainers: [{ name: 'first', resources: { requests: { cpu: '9' } } }],
    },
    status: {
      ...{ phase, startTime: time(started) },
      conditions: [{ ...condition, lastTransitionTime: time(changed) }],
    },
  } as never
}

function measuredOf(facts: readonly PodFacts[], current = facts.length) {
  const samples = facts.flatMap(({ used }, index) =>
    used === undefined
      ? []
      : [[`p${index}`, { value: used, at: now - 10_000, windowMs: 30_000 }] as const],
  )
  return { pods: facts.map(podOf), current, metrics: new Map(samples) }
}

const all = (count: number, facts: PodFacts) => Array.from({ length: count }, () => facts)
const half = { percent: 50, resource: 'cpu' }

const utilizations: readonly [title: string, pods: readonly PodFacts[], result: Proposal][] = [
  [
    'twice the target doubles',
    all(2, { used: 100 }),
    { replicas: 4, usage: 100, utilization: 100 },
  ],
  [
    'a tenth more is near enough',
    all(2, { used: 54 }),
    { replicas: 2, usage: 54, utilization: 54 },
  ],
  ['a little more is not', all(4, { used: 56 }), { replicas: 5, usage: 56, utilization: 56 }],
  ['half the target halves', all(4, { used: 25 }), { replicas: 2, usage: 25, utilization: 25 }],
  ['per cents are whole', all(3, { used: 29 }), { replicas: 2, usage: 29, utilization: 29 }],
  [
    'pods without a sample count as idle where more are wanted',
    [...all(2, { used: 150 }), {}],
    { replicas: 6, usage: 150, utilization: 150 },
  ],
  [
    'and as busy where fewer are wanted',
    [...all(3, { used: 10 }), {}],
    { replicas: 3, usage: 10, utilization: 10 },
  ],
  [
    'a change of direction by what is not known is none',
    [{ used: 60 }, {}],
    { replicas: 2, usage: 60, utilization: 60 },
  ],
  [
    'pods that begin count as idle where more are wanted',
    [{ used: 150 }, { phase: 'Pending' }],
    { replicas: 3, usage: 150, utilization: 150 },
  ],
  [
    'and not at all where fewer are',
    [...all(2, { used: 10 }), { phase: 'Pending', used: 90 }],
    { replicas: 1, usage: 10, utilization: 10 },
  ],
  [
    'pods that go or have failed do not count',
    [{ used: 100 }, { used: 900, deleted: true }, { used: 900, phase: 'Failed' }],
    { replicas: 2, usage: 100, utilization: 100 },
  ],
]
for (const [title, pods, result] of utilizations) {
  test(`utilization: ${title}`, () => {
    assert.equal(proposeByUtilization(measuredOf(pods), half, rules), result)
  })
}

test('one container of each pod may be looked at, and what it requests must be known', () => {
  const measured = measuredOf(all(2, { used: 100 }))
  const main = { ...half, container: 'main' }
  assert.is(proposeByUtilization(measured, main, rules).replicas, 4)
  assert.throws(
    () => proposeByUtilization(measured, { ...half, resource: 'memory' }, rules),
    'missing request for memory in container main of Pod p0',
  )
  const other = { ...half, container: 'other' }
  const noRequests = 'no metrics returned matched known pods'
  assert.throws(() => proposeByUtilization(measured, other, rules), noRequests)
})

test('without pods or samples nothing is proposed', () => {
  const propose = (facts: readonly PodFacts[]) => () =>
    proposeByUtilization(measuredOf(facts), half, rules)
  assert.throws(propose([]), 'no pods returned by selector while calculating replica count')
  const unready = 'did not receive metrics for targeted pods (pods might be unready)'
  assert.throws(propose([{}]), unready)
  assert.throws(propose([{ phase: 'Pending', used: 10 }]), unready)
})

test('averages: what a pod has is compared with what it is to have', () => {
  const propose = (facts: readonly PodFacts[]) => {
    const { replicas, usage } = proposeByAverage(measuredOf(facts), 100, {
      ...rules,
      resource: undefined as never,
    })
    return [replicas, usage]
  }
  assert.equal(propose(all(2, { used: 150 })), [3, 150])
  assert.equal(propose([...all(3, { used: 10 }), {}]), [2, 10])
  assert.equal(propose([{ used: 150 }, {}]), [2, 150])
  assert.equal(propose([{ used: 10, ready: false, changed: now - 60 * minute }]), [1, 10])
})

const totals: readonly (readonly [usage: number, current: number, ready: number, is: number])[] = [
  [300, 2, 2, 6],
  [105, 2, 2, 2],
  [50, 4, 3, 2],
  [300, 0, 0, 3],
  [0, 1, 1, 0],
]
for (const [usage, current, ready, replicas] of totals) {
  test(`totals: ${usage} of 100 with ${current} replicas, ${ready} of them ready`, () => {
    const pods = measuredOf([...all(ready, {}), ...all(1, { ready: false })]).pods
    const proposal = proposeByTotal({ pods, current }, { usage, target: 100 }, rules)
    assert.equal(proposal, { replicas, usage })
  })
}

test('shares: the whole is divided among the pods that there are', () => {
  const propose = (present: number, usage: number) =>
    proposeByShare(present, { usage, target: 100 }, rules)
  assert.equal(propose(2, 450), { replicas: 5, usage: 225 })
  assert.equal(propose(3, 310), { replicas: 3, usage: 104 })
  assert.equal(propose(0, 310), { replicas: 4, usage: 0 })
  assert.equal(propose(0, 0), { replicas: 0, usage: 0 })
})

const beginning: readonly [title: string, facts: PodFacts, isReady: boolean][] = [
  ['one that serves counts', {}, true],
  ['one that does not, but did, counts', { ready: false, changed: now - minute }, true],
  ['one that never did does not', { ready: false, changed: now - 60 * minute + 20_000 }, false],
  ['a young one that does not serve does not', { ready: false, started: now - minute }, false],
  [
    'a young one counts when a whole window was measured since',
    { started: now - 2 * minute, changed: now - minute },
    true,
  ],
  ['and not before', { started: now - 2 * minute, changed: now - 20_000 }, false],
]
for (const [title, facts, isReady] of beginning) {
  test(`CPU of pods that begin: ${title}`, () => {
    const { pods, metrics } = measuredOf([{ used: 1, ...facts }])
    const groups = groupPods(pods, metrics, rules, now)
    assert.equal([groups.ready, groups.unready], isReady ? [1, []] : [0, ['p0']])
    const memory = groupPods(pods, metrics, { ...rules, resource: 'memory' }, now)
    assert.is(memory.ready, 1, 'other resources count at once')
  })
}

test('amounts are thousandths, rounded up', () => {
  const amounts: readonly (readonly [string, number, string])[] = [
    ['100m', 100, '100m'],
    ['1', 1000, '1'],
    ['1500u', 2, '2m'],
    ['256Mi', 268_435_456_000, '268435456'],
    ['0', 0, '0'],
    ['-5m', -5, '-5m'],
    ['nonsense', 0, '0'],
  ]
  for (const [text, milli, printed] of amounts) {
    assert.is(milliOf(text), milli, text)
    assert.is(printMilli(milli), printed, text)
  }
})

test('the metric that asks for most decides, and one that is not known keeps pods', () => {
  const of = (replicas: number, name: string) =>
    ({ is: 'proposal', replicas, name, status: { type: name } }) as never
  const failed = {
    ...{ is: 'failed', reason: 'FailedGetPodsMetric' },
    ...{ message: 'why', summary: 'what: ' },
  } as never
  const { condition, ...most } = decideMetrics([of(2, 'a'), of(4, 'b'), of(3, 'c')], 3)
  assert.equal([most.is === 'proposal' && [most.replicas, most.name]], [[4, 'b']])
  assert.equal(condition, [
    'True',
    'ValidMetricFound',
    'the HPA was able to successfully calculate a replica count from b',
  ])
  assert.is(decideMetrics([failed, of(4, 'b')], 3).is, 'proposal')
  const fewer = decideMetrics([failed, of(2, 'b')], 3)
  assert.equal(fewer, {
    is: 'failed',
    message: 'invalid metrics (1 invalid out of 2), first error is: what: why',
    metrics: [{ type: '' }, { type: 'b' }],
    condition: [
      'False',
      'FailedGetPodsMetric',
      'the HPA was unable to compute the replica count: why',
    ],
  } as never)
})

test.run()
