import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Job, JobStatus } from '../../../../generated/apis/batch/v1/job.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import { assessJob } from '../../../../runtime/controller-manager/batch/job/assess-job.ts'
import { decidePods } from '../../../../runtime/controller-manager/batch/job/decide-pods.ts'
import { decideStatus } from '../../../../runtime/controller-manager/batch/job/decide-status.ts'
import { jobRules } from '../../../../runtime/controller-manager/batch/job/job-rules.ts'
import { noFailures } from '../../../../runtime/controller-manager/batch/job/retry-delay.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'

const test = suite('runtime/controller-manager: what becomes of a job (T-05)')

const gates = new Set([
  'JobPodFailurePolicy',
  'JobPodReplacementPolicy',
  'JobBackoffLimitPerIndex',
  'PodIndexLabel',
])
const rules = jobRules({ domain: 'orch.io' }, gates)
const at = '2030-01-01T00:00:00Z'
const now = Date.parse(at) + 60_000

interface GivenPod {
  readonly phase?: string
  readonly index?: number
  readonly failures?: number
  readonly code?: number
  readonly restarts?: number
  readonly going?: boolean
  readonly released?: boolean
  readonly ago?: number
}

function pod(name: string, given: GivenPod = {}): Stored<Pod> {
  const { phase = 'Running', index, failures, code, restarts, going, released, ago = 3600 } = given
  const state = code === undefined ? {} : { terminated: { exitCode: code, finishedAt: at } }
  return {
    metadata: {
      ...{ name, uid: name, namespace: 'ns' },
      creationTimestamp: new Date(now - ago * 1000).toISOString(),
      annotations: {
        ...(index !== undefined && { [rules.index]: `${index}` }),
        ...(failures !== undefined && { [rules.failures]: `${failures}` }),
      },
      ...(!released && { finalizers: [rules.finalizer] }),
      ...(going && { deletionTimestamp: at }),
    },
    spec: {},
    status: { phase, containerStatuses: [{ name: 'c', restartCount: restarts ?? 0, state }] },
  } as unknown as Stored<Pod>
}

interface Given {
  readonly spec?: object
  readonly status?: JobStatus
  readonly metadata?: object
  readonly pods?: readonly Stored<Pod>[]
}

function decide({ spec, status = {}, metadata, pods = [] }: Given) {
  const template = { spec: { restartPolicy: 'Never', containers: [] } }
  const job = {
    metadata: { name: 'j', uid: 'j', namespace: 'ns', generation: 1, ...metadata },
    spec: { parallelism: 1, completions: 1, backoffLimit: 6, template, ...spec },
    status,
  } as unknown as Stored<Job>
  const assessed = assessJob({ job, pods, failures: noFailures }, rules, now)
  const plan = decidePods(assessed, now)
  const gone = plan.is === 'stop' || plan.is === 'delete' ? plan.pods.length : 0
  const made = plan.is === 'create' ? plan.count : 0
  const active = assessed.active.length - gone + made
  return { plan, told: decideStatus(assessed, { active, stopped: true }, now) }
}

function planOf(given: Given): string {
  const { plan } = decide(given)
  if (plan.is === 'stop' || plan.is === 'delete')
    return `${plan.is} ${plan.pods.map(({ metadata }) => metadata.name).join(' ')}`.trim()
  if (plan.is === 'create') return `create ${plan.indexes?.join(' ') ?? plan.count}`
  return plan.is === 'wait' ? `wait ${plan.ms / 1000}` : plan.is
}

const indexed = { completionMode: 'Indexed', completions: 3, parallelism: 3 }
const perIndex = { ...indexed, backoffLimitPerIndex: 1, backoffLimit: 100 }
const policy = (action: string) => ({
  podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [42] } }] },
})

const plans: readonly (readonly [name: string, given: Given, want: string])[] = [
  ['as many pods run as may', { spec: { completions: 5, parallelism: 2 } }, 'create 2'],
  [
    'no more than are still to complete',
    { spec: { completions: 3, parallelism: 3 }, status: { succeeded: 2 } },
    'create 1',
  ],
  [
    'pods beyond that go, the youngest first',
    {
      spec: { completions: 2, parallelism: 1 },
      pods: [pod('a', { ago: 10 }), pod('b', { ago: 5 })],
    },
    'delete b',
  ],
  [
    'a work queue makes no more once one pod succeeded',
    {
      spec: { completions: undefined, parallelism: 2 },
      pods: [pod('a', { phase: 'Succeeded' }), pod('b')],
    },
    'keep',
  ],
  ['a suspended job has no pods', { spec: { suspend: true }, pods: [pod('a')] }, 'delete a'],
  ['one that goes makes none', { metadata: { deletionTimestamp: at } }, 'keep'],
  ['each index has one pod', { spec: indexed, pods: [pod('a', { index: 1 })] }, 'create 0 2'],
  [
    'of two of one index the younger goes, with those of no index, or one that there is not',
    {
      spec: indexed,
      pods: [
        pod('a', { index: 0, ago: 20 }),
        pod('b', { index: 0, ago: 10 }),
        pod('c', { index: 7 }),
        pod('d'),
      ],
    },
    'delete c d b',
  ],
  [
    'no pod is made for an index that is complete, or whose pod succeeded just now',
    {
      spec: indexed,
      status: { completedIndexes: '0' },
      pods: [pod('a', { phase: 'Succeeded', index: 1 })],
    },
    'create 2',
  ],
  ['after a failure ten seconds pass', { pods: [pod('a', { phase: 'Failed', ago: 4 })] }, 'wait 6'],
  [
    'after three, forty',
    {
      pods: ['a', 'b', 'c'].map((name) => pod(name, { phase: 'Failed', ago: 4 })),
    },
    'wait 36',
  ],
  [
    'a limit for each index makes each wait for itself',
    {
      spec: perIndex,
      pods: [pod('a', { phase: 'Failed', index: 0, ago: 4 }), pod('b', { index: 1 })],
    },
    'create 2',
  ],
  [
    'an index that failed too often has no further pod',
    {
      spec: perIndex,
      pods: [
        pod('a', { phase: 'Failed', index: 0, failures: 1 }),
        pod('b', { index: 1 }),
        pod('c', { index: 2 }),
      ],
    },
    'keep',
  ],
  [
    'a pod that goes is replaced at once',
    { pods: [pod('a', { going: true, ago: 30 })] },
    'create 1',
  ],
  [
    'or once it has ended, if the job says so',
    { spec: { podReplacementPolicy: 'Failed' }, pods: [pod('a', { going: true })] },
    'keep',
  ],
  [
    'a job over its limit stops its pods',
    { spec: { backoffLimit: 0 }, pods: [pod('a', { phase: 'Failed' }), pod('b')] },
    'stop b',
  ],
]

for (const [name, given, want] of plans) test(name, () => assert.is(planOf(given), want))

const ends: readonly (readonly [name: string, given: Given, want: string | undefined])[] = [
  ['a job without pods that ended is not over', { pods: [pod('a')] }, undefined],
  [
    'one whose pods succeeded is complete',
    { pods: [pod('a', { phase: 'Succeeded' })] },
    'Complete ',
  ],
  [
    'one with too many failures failed',
    { spec: { backoffLimit: 0 }, pods: [pod('a', { phase: 'Failed' })] },
    'Failed BackoffLimitExceeded',
  ],
  [
    'failures that its policy ignores do not count',
    {
      spec: { backoffLimit: 0, ...policy('Ignore') },
      pods: [pod('a', { phase: 'Failed', code: 42 })],
    },
    undefined,
  ],
  [
    'restarts of containers count as failures where pods restart them',
    {
      spec: {
        backoffLimit: 2,
        template: { spec: { restartPolicy: 'OnFailure', containers: [] } },
      },
      pods: [pod('a', { restarts: 2 })],
    },
    'Failed BackoffLimitExceeded',
  ],
  [
    'one that is active for too long failed',
    { spec: { activeDeadlineSeconds: 60 }, status: { startTime: at } },
    'Failed DeadlineExceeded',
  ],
  [
    'a suspended one is not active',
    { spec: { activeDeadlineSeconds: 60, suspend: true }, status: { startTime: at } },
    undefined,
  ],
  [
    'one with too many failed indexes failed',
    {
      spec: { ...perIndex, maxFailedIndexes: 0 },
      pods: [pod('a', { phase: 'Failed', index: 0, failures: 1 })],
    },
    'Failed MaxFailedIndexesExceeded',
  ],
  [
    'one whose other indexes are complete failed if one of them did',
    {
      spec: perIndex,
      status: { completedIndexes: '1,2' },
      pods: [pod('a', { phase: 'Failed', index: 0, failures: 1 })],
    },
    'Failed FailedIndexes',
  ],
  [
    'a pod may fail its index at once',
    {
      spec: { ...perIndex, ...policy('FailIndex') },
      status: { completedIndexes: '1,2' },
      pods: [pod('a', { phase: 'Failed', index: 0, code: 42 })],
    },
    'Failed FailedIndexes',
  ],
]

for (const [name, given, want] of ends) {
  test(name, () => {
    const { end } = decide(given).told
    assert.is(end && `${end.type} ${end.reason}`, want)
  })
}

test('a pod that fails its job is told of before it is released', () => {
  const failed = pod('a', { phase: 'Failed', code: 42 })
  const { told } = decide({ spec: policy('FailJob'), pods: [failed] })
  const [target] = told.status.conditions ?? []
  assert.is(target?.type, 'FailureTarget')
  assert.is(
    target?.message,
    'Container c for pod ns/a failed with exit code 42 matching FailJob rule at index 0',
  )
  assert.is(told.end?.type, 'Failed')
  assert.equal(told.release, [failed])
})

test('a pod that ended is named in the status before it is released, and counted afterwards', () => {
  const ended = pod('a', { phase: 'Failed' })
  const first = decide({ pods: [ended] }).told
  assert.equal(first.status.uncountedTerminatedPods, { failed: ['a'] })
  assert.is(first.status.failed, undefined)
  const again = decide({ status: first.status, pods: [ended] }).told
  assert.equal(again.status.uncountedTerminatedPods, { failed: ['a'] })
  const released = pod('a', { phase: 'Failed', released: true })
  const counted = decide({ status: first.status, pods: [released] }).told
  assert.equal(counted.status.uncountedTerminatedPods, {})
  assert.is(counted.status.failed, 1)
  assert.is(decide({ status: counted.status, pods: [released] }).told.status.failed, 1)
})

test('a failed pod is held until another one has its index and the count of its failures', () => {
  const ended = pod('a', { phase: 'Failed', index: 0 })
  const others = [pod('b', { index: 1 }), pod('c', { index: 2 })]
  const waiting = decide({ spec: perIndex, pods: [ended, ...others] }).told
  assert.equal(waiting.release, [])
  const next = pod('d', { index: 0, failures: 1 })
  assert.equal(decide({ spec: perIndex, pods: [ended, next, ...others] }).told.release, [ended])
})

test('a job is told to be suspended, and to be resumed with a new start', () => {
  const suspended = decide({ spec: { suspend: true } }).told
  assert.equal(suspended.events, [
    { type: 'Normal', reason: 'Suspended', message: 'Job suspended' },
  ])
  const [first] = suspended.status.conditions ?? []
  assert.is(`${first?.type} ${first?.status} ${first?.reason}`, 'Suspended True JobSuspended')
  const resumed = decide({ status: { ...suspended.status, startTime: at } }).told
  const [condition] = resumed.status.conditions ?? []
  assert.is(
    `${condition?.type} ${condition?.status} ${condition?.reason}`,
    'Suspended False JobResumed',
  )
  assert.is(Date.parse(resumed.status.startTime ?? ''), now)
})

test('a status counts pods by what became of them, and names indexes', () => {
  const ready = { type: 'Ready', status: 'True' }
  const runs = pod('b', { index: 3 })
  const { status } = decide({
    spec: { ...perIndex, completions: 5, parallelism: 2, podReplacementPolicy: 'Failed' },
    status: { completedIndexes: '1,2', succeeded: 2 },
    pods: [
      pod('a', { phase: 'Failed', index: 0, failures: 1 }),
      { ...runs, status: { ...runs.status, conditions: [ready] } } as Stored<Pod>,
      pod('c', { index: 4, going: true }),
    ],
  }).told
  assert.equal([status.active, status.ready, status.terminating, status.succeeded], [1, 1, 1, 2])
  assert.equal([status.completedIndexes, status.failedIndexes], ['1,2', '0'])
  assert.is(status.startTime, new Date(now).toISOString().replace('.000', ''))
})

test('a status that says so already is not written', () => {
  const pods = [pod('a')]
  const { status, changed } = decide({ pods }).told
  assert.is(changed, true)
  assert.is(decide({ pods, status }).told.changed, false)
})

test.run()
