import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { daemonStatus } from '../../../../../runtime/controller-manager/workloads/daemon-set/daemon-status.ts'
import {
  decidePods,
  decideUpdate,
  type ObservedDaemonSet,
} from '../../../../../runtime/controller-manager/workloads/daemon-set/decide-daemon-set.ts'
import { FailedPods } from '../../../../../runtime/controller-manager/workloads/daemon-set/failed-pods.ts'

const test = suite('runtime/controller-manager/workloads: daemon sets are decided (T-04)')

const now = Date.parse('2030-01-01T00:01:00Z')

interface PodFacts {
  readonly hash?: string
  readonly phase?: string
  readonly ready?: boolean
  readonly going?: boolean
  readonly node?: string
  readonly assigned?: boolean
}

/** A pod `name` on node `name.split('-')[0]`: ready for 30 seconds, of the revision `new`. */
function pod(name: string, facts: PodFacts = {}) {
  const { hash = 'new', phase = 'Running', ready = true, going, assigned = true } = facts
  const node = facts.node ?? name.split('-')[0]!
  const since = '2030-01-01T00:00:30Z'
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } }
  return {
    metadata: {
      ...{ name, creationTimestamp: since, labels: { 'controller-revision-hash': hash } },
      ...(going && { deletionTimestamp: since }),
    },
    spec: assigned ? { nodeName: node } : { affinity: { nodeAffinity: required } },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }],
    },
  } as never
}

interface Given {
  readonly pods?: readonly never[]
  readonly update?: object
  readonly type?: string
  readonly minReadySeconds?: number
  /** Nodes that keep new pods away, and nodes that no pod may be on. */
  readonly closed?: readonly string[]
  readonly forbidden?: readonly string[]
  readonly waitMs?: number
}

/** A set on the nodes a, b and c. */
function observed(given: Given): ObservedDaemonSet {
  const {
    pods = [],
    update,
    type = 'RollingUpdate',
    closed = [],
    forbidden = [],
    waitMs = 0,
  } = given
  const { minReadySeconds = 0 } = given
  const updateStrategy = { type, ...(update && { rollingUpdate: update }) }
  return {
    set: {
      metadata: { name: 'x', namespace: 'shop', uid: 'set', generation: 3 },
      spec: { updateStrategy, minReadySeconds },
    } as never,
    hash: 'new',
    nodes: ['a', 'b', 'c'].map((name) => ({ metadata: { name } }) as never),
    pods,
    fitOf: ({ metadata: { name } }) => ({
      starts: !closed.includes(name) && !forbidden.includes(name),
      stays: !forbidden.includes(name),
    }),
    waitMs: () => waitMs,
  }
}

function words({ create, remove }: ReturnType<typeof decidePods>): string {
  const gone = remove.map(({ metadata }) => metadata.name)
  return [...create.map((node) => `+${node}`), ...gone.map((name) => `-${name}`)].join(' ')
}

const all = [pod('a'), pod('b'), pod('c')]
const old = { hash: 'old' }
const unready = { ready: false }
const surge = { update: { maxSurge: 1, maxUnavailable: 0 } }

const kept: readonly (readonly [name: string, given: Given, want: string])[] = [
  ['every node gets a pod', {}, '+a +b +c'],
  ['and has it then', { pods: all }, ''],
  ['a closed node gets none', { closed: ['b'] }, '+a +c'],
  ['but keeps the one that it has', { pods: all, closed: ['b'] }, ''],
  ['a forbidden one does not', { pods: all, forbidden: ['b'] }, '-b'],
  ['of two pods the older one stays', { pods: [...all, pod('b-2')] }, '-b-2'],
  [
    'of two pods the assigned one stays',
    { pods: [pod('a', { assigned: false }), pod('a-2'), pod('b'), pod('c')] },
    '-a',
  ],
  ['a pod that goes is waited for', { pods: [pod('a', { going: true }), pod('b'), pod('c')] }, ''],
  [
    'one that has finished and goes is not',
    { pods: [pod('a', { going: true, phase: 'Failed' }), pod('b'), pod('c')] },
    '+a',
  ],
  ['a failed pod goes', { pods: [pod('a', { phase: 'Failed' }), pod('b'), pod('c')] }, '-a'],
  [
    'not before its time',
    { pods: [pod('a', { phase: 'Failed' }), pod('b'), pod('c')], waitMs: 500 },
    '',
  ],
  [
    'one that succeeded goes',
    { pods: [pod('a', { phase: 'Succeeded' }), pod('b'), pod('c')] },
    '-a',
  ],
  [
    'a pod for a node that is gone goes, unless it ran there',
    { pods: [...all, pod('d'), pod('e', { assigned: false })] },
    '-e',
  ],
  [
    'an old pod and a new one may be on a node',
    { ...surge, pods: [...all, pod('b-2', { ...old, ...unready })] },
    '-b-2',
  ],
  [
    'until the new one serves',
    { ...surge, pods: [pod('a'), pod('b', unready), pod('b-2', old), pod('c')] },
    '',
  ],
  ['and then not', { ...surge, pods: [pod('a'), pod('b'), pod('b-2', old), pod('c')] }, '-b-2'],
  [
    'a third one goes',
    { ...surge, pods: [...all, pod('b-2', { ...old }), pod('b-3', old)] },
    '-b-3 -b-2',
  ],
  [
    'with a surge a pod that goes is not waited for',
    { ...surge, pods: [pod('a', { going: true }), pod('b'), pod('c')] },
    '+a',
  ],
]

for (const [name, given, want] of kept) {
  test(name, () => {
    assert.is(words(decidePods(observed(given), now)), want)
  })
}

const olds = [pod('a', old), pod('b', old), pod('c', old)]

const updated: readonly (readonly [name: string, given: Given, want: string])[] = [
  ['pods of an older template go one by one', { pods: olds }, '-a'],
  ['or as many as may be away', { pods: olds, update: { maxUnavailable: 2 } }, '-a -b'],
  [
    'a percentage of nodes is rounded up',
    { pods: olds, update: { maxUnavailable: '40%' } },
    '-a -b',
  ],
  ['a node without a pod counts', { pods: olds.slice(1) }, ''],
  ['one whose new pod does not serve counts', { pods: [pod('a', unready), ...olds.slice(1)] }, ''],
  [
    'an old pod that does not serve goes at once',
    { pods: [pod('a', { ...old, ...unready }), ...olds.slice(1)] },
    '-a',
  ],
  [
    'one that serves for too short a time counts',
    { pods: [pod('a'), ...olds.slice(1)], minReadySeconds: 60 },
    '-b -c',
  ],
  ['none goes that waits to be deleted', { pods: olds, type: 'OnDelete' }, ''],
  ['with a surge new pods come first', { pods: olds, ...surge }, '+a'],
  ['as many as may be too many', { pods: olds, update: { maxSurge: 2 } }, '+a +b'],
  [
    'an old one goes when its new one serves',
    { pods: [pod('a'), pod('a-2', old), ...olds.slice(1)], ...surge },
    '+b -a-2',
  ],
  [
    'and not before',
    { pods: [pod('a', unready), pod('a-2', old), ...olds.slice(1)], ...surge },
    '',
  ],
  [
    'one on a closed node goes when all others serve',
    { pods: [pod('a'), pod('b'), pod('c', old)], ...surge, closed: ['c'] },
    '-c',
  ],
]

for (const [name, given, want] of updated) {
  test(`update: ${name}`, () => {
    assert.is(words(decideUpdate(observed(given), now)), want)
  })
}

test('the status counts nodes by what their pods are', () => {
  const pods = [pod('a'), pod('b', { ...old, ...unready }), pod('c')]
  const status = daemonStatus(observed({ pods, forbidden: ['c'], minReadySeconds: 10 }), now)
  assert.equal(status, {
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    desiredNumberScheduled: 2,
    numberReady: 1,
    observedGeneration: 3,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
  })
})

test('failed pods of a node are replaced later each time', () => {
  const { set } = observed({})
  const failed = new FailedPods()
  assert.is(failed.waitMs(set, 'a', 0), 0)
  const waits: number[] = []
  for (let at = 0, n = 0; n < 12; n++) {
    failed.replace(set, 'a', at)
    const waitMs = failed.waitMs(set, 'a', at)
    waits.push(waitMs / 1000)
    at += waitMs
  }
  assert.equal(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
  assert.is(failed.waitMs(set, 'b', 0), 0)
})

test.run()
