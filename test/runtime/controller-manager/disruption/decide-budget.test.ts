import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  decideBudget,
  failedStatus,
  needsScale,
  staleDisruptionMs,
} from '../../../../runtime/controller-manager/disruption/decide-budget.ts'

const test = suite('runtime/controller-manager: disruption budgets (T-08)')

const at = '2030-01-01T00:00:00Z'
const now = Date.parse(at)
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString()

interface Facts {
  readonly healthy: number
  /** When all pods were made; long ago without it. */
  readonly made?: string
  readonly others?: number
  readonly going?: number
  readonly scale?: number
  readonly disrupted?: Readonly<Record<string, string>>
}

function podsOf({ healthy, others = 0, going = 0, made = ago(3600) }: Facts) {
  const ready = { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at }] }
  const pod = (name: string, status: object, more: object = {}) => ({
    ...{ metadata: { name, uid: name, creationTimestamp: made, ...more }, status },
  })
  return [
    ...Array.from({ length: healthy }, (_, index) => pod(`p${index}`, ready)),
    ...Array.from({ length: others }, (_, index) => pod(`o${index}`, {})),
    ...Array.from({ length: going }, (_, index) =>
      pod(`g${index}`, ready, { deletionTimestamp: at }),
    ),
  ]
}

function decide(spec: object, facts: Facts, status?: object) {
  const { disrupted, scale = 0 } = facts
  const budget = {
    ...{ metadata: { name: 'b', generation: 2 }, spec },
    status: disrupted === undefined ? status : { ...status, disruptedPods: disrupted },
  }
  const observed = { budget, pods: podsOf(facts), scale }
  return decideBudget(observed as never, now)
}

type Counts = readonly [expected: number, desired: number, current: number, allowed: number]

const cases: readonly (readonly [name: string, spec: object, facts: Facts, want: Counts])[] = [
  ['a number that must be there', { minAvailable: 2 }, { healthy: 3 }, [3, 2, 3, 1]],
  [
    'counts pods that are not ready as none',
    { minAvailable: 2 },
    { healthy: 2, others: 2 },
    [4, 2, 2, 0],
  ],
  ['and those that go', { minAvailable: 2 }, { healthy: 3, going: 2 }, [5, 2, 3, 1]],
  [
    'a part is one of what there should be, rounded up',
    { minAvailable: '30%' },
    { healthy: 3, scale: 4 },
    [4, 2, 3, 1],
  ],
  ['a number that may be missing', { maxUnavailable: 1 }, { healthy: 4, scale: 4 }, [4, 3, 4, 1]],
  [
    'a part that may be missing is rounded up, too',
    { maxUnavailable: '30%' },
    { healthy: 4, scale: 4 },
    [4, 2, 4, 2],
  ],
  [
    'more than there is may be missing',
    { maxUnavailable: 9 },
    { healthy: 2, scale: 4 },
    [4, 0, 2, 2],
  ],
  [
    'where there are too few none may go',
    { maxUnavailable: 1 },
    { healthy: 1, scale: 4 },
    [4, 3, 1, 0],
  ],
  ['where none is expected none may go', { minAvailable: 0 }, { healthy: 0 }, [0, 0, 0, 0]],
  ['a budget that says nothing allows nothing', {}, { healthy: 3 }, [0, 0, 3, 0]],
  [
    'a pod whose eviction was allowed counts as gone',
    { minAvailable: 1 },
    { healthy: 3, disrupted: { p0: ago(60), p9: ago(60) } },
    [3, 1, 2, 1],
  ],
  [
    'for two minutes',
    { minAvailable: 1 },
    { healthy: 3, disrupted: { p0: ago(121) } },
    [3, 1, 3, 2],
  ],
]

for (const [name, spec, facts, want] of cases) {
  test(name, () => {
    const { status } = decide(spec, facts)
    const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = status!
    assert.equal([expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed], want)
  })
}

test('who is expected to go is remembered until it has gone, or did not', () => {
  const waiting = decide(
    { minAvailable: 1 },
    { healthy: 3, disrupted: { p0: ago(60), p9: ago(60) } },
  )
  assert.equal(waiting.status?.disruptedPods, { p0: ago(60) })
  assert.equal([waiting.recheckMs, waiting.overdue.length], [60_001, 0])
  const late = decide({ minAvailable: 1 }, { healthy: 3, disrupted: { p0: ago(121) } })
  assert.is(late.status?.disruptedPods, undefined)
  assert.equal(
    late.overdue.map(({ metadata }) => metadata.name),
    ['p0'],
  )
  assert.is(late.recheckMs, undefined)
})

test('a pod that a set made again is not the one of that name that was evicted', () => {
  const again = decide(
    { minAvailable: 1 },
    { healthy: 3, made: ago(30), disrupted: { p0: ago(60), p1: ago(10) } },
  )
  assert.equal(again.status?.disruptedPods, { p1: ago(10) })
  assert.is(again.status?.currentHealthy, 2)
  const late = decide(
    { minAvailable: 1 },
    { healthy: 3, made: ago(30), disrupted: { p0: ago(150) } },
  )
  assert.equal(late.overdue, [])
})

test('conditions say whether pods may go, and a status that says so already stays', () => {
  const { status } = decide({ minAvailable: 1 }, { healthy: 3 })
  assert.equal(status?.conditions, [
    {
      ...{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', message: '' },
      ...{ observedGeneration: 2, lastTransitionTime: at },
    },
  ])
  assert.is(decide({ minAvailable: 1 }, { healthy: 3 }, status).status, status)
  const few = decide({ minAvailable: 3 }, { healthy: 3 }, status).status
  assert.equal(
    [few?.conditions?.[0]?.status, few?.conditions?.[0]?.reason],
    [...['False', 'InsufficientPods']],
  )
  const budget = { metadata: {}, status } as never
  const failed = failedStatus(budget, 'no scale', now)
  const { reason, message } = failed.conditions?.[0] ?? {}
  assert.equal([failed.disruptionsAllowed, reason, message], [0, 'SyncFailed', 'no scale'])
  assert.is(failed.currentHealthy, 3)
  assert.is(failedStatus({ metadata: {}, status: failed } as never, 'no scale', now + 1), failed)
})

test('only budgets that speak of parts need to know how many there should be', () => {
  const needs = (spec: object) => needsScale({ spec } as never)
  assert.equal([{ minAvailable: 2 }, {}].map(needs), [false, false])
  assert.equal([{ minAvailable: '2%' }, { maxUnavailable: 1 }].map(needs), [true, true])
})

test('the disruption of a pod that stays is stale after two minutes', () => {
  const stale = (condition: object, more: object = {}) => {
    const told = { type: 'DisruptionTarget', status: 'True', lastTransitionTime: ago(60) }
    const status = { conditions: [{ ...told, ...condition }] }
    return staleDisruptionMs({ metadata: {}, status, ...more } as never, now)
  }
  assert.is(stale({}), 60_000)
  assert.is(stale({ lastTransitionTime: ago(500) }), 0)
  assert.is(stale({ status: 'False' }), undefined)
  assert.is(stale({ reason: 'TerminationByKubelet' }), undefined)
  assert.is(stale({}, { metadata: { deletionTimestamp: at } }), undefined)
  assert.is(staleDisruptionMs({ metadata: {} } as never, now), undefined)
})

test.run()
