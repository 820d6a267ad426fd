import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  deletionOrder,
  youngestFirst,
} from '../../../../runtime/controller-manager/pods/deletion-order.ts'

const test = suite('runtime/controller-manager: deletion order (T-02)')

const now = Date.parse('2030-01-02T00:00:00Z')
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString()

interface Facts {
  readonly node?: string
  readonly phase?: string
  readonly ready?: number | null
  readonly cost?: string
  readonly restarts?: number
  readonly age?: number
}

function pod(uid: string, facts: Facts = {}) {
  const { node = 'n', phase = 'Running', ready = 3600, cost, restarts = 0, age = 7200 } = facts
  const condition = { type: 'Ready', status: 'True', lastTransitionTime: ago(ready ?? 0) }
  return {
    metadata: {
      ...{ uid, name: uid, creationTimestamp: ago(age) },
      ...(cost !== undefined && { annotations: { 'controller.orch.io/pod-deletion-cost': cost } }),
    },
    spec: { ...(node !== '' && { nodeName: node }) },
    status: {
      phase,
      conditions: ready === null ? [] : [condition],
      containerStatuses: [{ restartCount: restarts }],
    },
  }
}

const cases: readonly (readonly [name: string, first: Facts, second: Facts])[] = [
  ['an unassigned one goes before one with a node', { node: '' }, { phase: 'Pending' }],
  ['a pending one before one that is unknown', { phase: 'Pending' }, { phase: 'Unknown' }],
  ['an unknown one before one that runs', { phase: 'Unknown' }, { ready: null }],
  ['one that is not ready before one that is', { ready: null, cost: '9' }, { cost: '1' }],
  ['a cheap one before a dear one', { cost: '-1' }, { ready: 1 }],
  ['a cost that is no number is none', { cost: '-5' }, { cost: '+9' }],
  ['one on a crowded node before others', { node: 'full', ready: 9000 }, { ready: 1 }],
  ['one that is ready for a short time before others', { ready: 10 }, { restarts: 5 }],
  ['one that restarted often before others', { restarts: 5 }, { age: 3600 }],
  ['a new one before an old one', { age: 4000 }, { age: 80_000 }],
]

const crowd = ['x', 'y', 'z'].map((uid) => pod(uid, { node: 'full' }))
const options = { platform: { domain: 'orch.io' }, related: crowd as never, now }

for (const [name, first, second] of cases) {
  test(name, () => {
    for (const uids of ['ab', 'ba']) {
      const [one, other] = [pod(uids[0]!, first), pod(uids[1]!, second)]
      assert.equal(deletionOrder([other, one] as never, options), [one, other])
      assert.equal(deletionOrder([one, other] as never, options), [one, other])
    }
  })
}

test('of two that are as old as each other by magnitude, chance decides', () => {
  const [old, older] = [pod('b', { age: 5000, ready: 9 }), pod('a', { age: 5001, ready: 9 })]
  assert.equal(deletionOrder([old, older] as never, options), [older, old])
  assert.equal(youngestFirst([older, old] as never), [old, older])
})

test.run()
