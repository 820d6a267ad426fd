import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decided, pod, set } from './set-fixture.ts'

const test = suite('runtime/controller-manager/workloads: decideSet (T-03)')

const parallel = { podManagementPolicy: 'Parallel' }
const unready = { ready: false }
const old = { revision: 'old' }
const onDelete = { updateStrategy: { type: 'OnDelete' } }
const all = [pod(0), pod(1), pod(2)]
const rolling = (rollingUpdate: object) => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate },
})

type Case = readonly [name: string, got: string, want: string]

const cases: readonly Case[] = [
  ['a set whose pods are all there is let alone', decided(set(), all), ''],
  ['pods are made one after the other', decided(set(), []), 'create 0 update'],
  [
    'the next one is made when the one before is ready',
    decided(set(), [pod(0)]),
    'create 1 update',
  ],
  ['and not before', decided(set(), [pod(0, unready)]), ''],
  ['nor while it goes', decided(set(), [pod(0, { going: true })]), ''],
  [
    'nor before it has been ready for long enough',
    decided(set({ minReadySeconds: 61 }), [pod(0)]),
    '',
  ],
  [
    'pods that may come in any order are made at once',
    decided(set(parallel), [pod(1, unready)]),
    'create 0 update, create 2 update',
  ],
  [
    'numbers begin where the set says',
    decided(set({ ordinals: { start: 5 }, replicas: 2 }), [pod(5)]),
    'create 6 update',
  ],
  [
    'pods of numbers before the first one go',
    decided(set({ ordinals: { start: 1 }, replicas: 2 }), all),
    'delete web-0',
  ],
  [
    'a pod below the partition is made of the old revision',
    decided(set(rolling({ partition: 1 })), []),
    'create 0 current',
  ],
  [
    'a pod from the partition on is made of the new one',
    decided(set(rolling({ partition: 1 })), [pod(0, old)]),
    'create 1 update',
  ],
  ['a pod that failed goes', decided(set(), [pod(0, { phase: 'Failed' }), pod(1)]), 'delete web-0'],
  ['one that succeeded does', decided(set(), [pod(0, { phase: 'Succeeded' })]), 'delete web-0'],
  [
    'one that failed and goes is waited for',
    decided(set(), [pod(0, { phase: 'Failed', going: true })]),
    '',
  ],
  ['of too many the highest number goes', decided(set({ replicas: 1 }), all), 'delete web-2'],
  [
    'the next one goes when the one before is gone',
    decided(set({ replicas: 1 }), [pod(0), pod(1), pod(2, { going: true })]),
    '',
  ],
  [
    'none goes while one of the others is not ready',
    decided(set({ replicas: 1 }), [pod(0, unready), pod(1)]),
    '',
  ],
  [
    'one that is not ready goes if it is the lowest of those',
    decided(set({ replicas: 1 }), [pod(0), pod(1), pod(2, unready)]),
    'delete web-2',
  ],
  [
    'and waits for a lower one otherwise',
    decided(set({ replicas: 1 }), [pod(0), pod(1, unready), pod(2, unready)]),
    '',
  ],
  [
    'too many go at once where order does not matter',
    decided(set({ ...parallel, replicas: 1 }), [pod(0, unready), pod(1), pod(2)]),
    'delete web-2, delete web-1',
  ],
  [
    'pods of an old revision go, the highest number first',
    decided(set(), [pod(0, old), pod(1, old), pod(2, old)]),
    'delete web-2',
  ],
  [
    'the next one when the new one is ready',
    decided(set(), [pod(0, old), pod(1, old), pod(2)]),
    'delete web-1',
  ],
  ['and not before', decided(set(parallel), [pod(0, old), pod(1, old), pod(2, unready)]), ''],
  [
    'an old one that is not ready goes first of all: a broken update is mended where order does not matter',
    decided(set(parallel), [pod(0), pod(1), pod(2, { ...old, ...unready })]),
    'delete web-2',
  ],
  [
    'those below the partition stay',
    decided(set(rolling({ partition: 2 })), [pod(0, old), pod(1, old), pod(2)]),
    '',
  ],
  [
    'the partition counts from the first number',
    decided(set({ ...rolling({ partition: 1 }), replicas: 2, ordinals: { start: 1 } }), [
      pod(1, old),
      pod(2, old),
    ]),
    'delete web-2',
  ],
  [
    'all stay that go only when somebody deletes them',
    decided(set(onDelete), [pod(0, old), pod(1, old), pod(2, old)]),
    '',
  ],
  [
    'several go at a time where that is allowed',
    decided(
      set(rolling({ partition: 0, maxUnavailable: 2 })),
      [pod(0, old), pod(1, old), pod(2, old)],
      { maxUnavailable: true },
    ),
    'delete web-2, delete web-1',
  ],
  [
    'a percentage of them is rounded down, to no less than one',
    decided(
      set(rolling({ partition: 0, maxUnavailable: '50%' })),
      [pod(0, old), pod(1, old), pod(2, old)],
      { maxUnavailable: true },
    ),
    'delete web-2',
  ],
  [
    'those that are not ready count',
    decided(
      set({ ...parallel, ...rolling({ partition: 0, maxUnavailable: 2 }) }),
      [pod(0, old), pod(1, unready), pod(2, unready)],
      { maxUnavailable: true },
    ),
    '',
  ],
  ['a set that goes does nothing', decided(set({}, { deletionTimestamp: 'x' }), []), ''],
  [
    'a pod without its label is put right',
    decided(set(), [pod(0, { label: 'other' }), pod(1), pod(2)]),
    'update web-0',
  ],
]

for (const [name, got, want] of cases) {
  test(name, () => {
    assert.is(got, want)
  })
}

const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: {} }]
const uses = (ordinal: number) => ({
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-web-${ordinal}` } }],
})
const claimOf = (ordinal: number, ownerReferences: readonly object[] = []) =>
  ({ metadata: { name: `data-web-${ordinal}`, ownerReferences } }) as never
const pending = { phase: 'Pending', ready: false }
const ownedBySet = {
  ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'set', controller: true },
}
const ownedByPod = (ordinal: number, uid = `uid-${ordinal}`) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', name: `web-${ordinal}`, uid, controller: true },
})
const retention = (whenScaled: string, whenDeleted = 'Retain') => ({
  ...{ volumeClaimTemplates, replicas: 1 },
  persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
})
const used = (ordinal: number) => pod(ordinal, uses(ordinal))

const claims: readonly Case[] = [
  [
    'a pod without the storage of the set is put right',
    decided(set({ volumeClaimTemplates, replicas: 1 }), [pod(0)], { claims: [claimOf(0)] }),
    'update web-0',
  ],
  [
    'a claim that a pending pod lacks is made',
    decided(set({ volumeClaimTemplates }), [pod(0, { ...pending, ...uses(0) })]),
    'claims web-0',
  ],
  [
    'claims are to go with the set',
    decided(set(retention('Retain', 'Delete')), [used(0)], { claims: [claimOf(0)] }),
    'update web-0',
  ],
  [
    'and do then',
    decided(set(retention('Retain', 'Delete')), [used(0)], { claims: [claimOf(0, [ownedBySet])] }),
    '',
  ],
  [
    'claims that are to stay lose their owner',
    decided(set(retention('Retain')), [used(0)], { claims: [claimOf(0, [ownedBySet])] }),
    'update web-0',
  ],
  [
    'the claim of a pod that goes for good goes with it',
    decided(set(retention('Delete')), [used(0), used(1)], { claims: [claimOf(0), claimOf(1)] }),
    'owners web-1 | delete web-1',
  ],
  [
    'a pod is not made while the claim of the one before goes',
    decided(set(retention('Delete')), [], { claims: [claimOf(0, [ownedByPod(0, 'before')])] }),
    '',
  ],
  [
    'unless claims are to stay',
    decided(set(retention('Retain')), [], { claims: [claimOf(0, [ownedByPod(0, 'before')])] }),
    'create 0 update',
  ],
  [
    'what another controller owns is let alone',
    decided(set(retention('Delete', 'Delete')), [used(0)], {
      claims: [claimOf(0, [{ kind: 'Other', uid: 'x', controller: true }])],
    }),
    '',
  ],
  [
    'without the gate no owner is written',
    decided(set(retention('Delete', 'Delete')), [used(0)], {
      claims: [claimOf(0)],
      deletesClaims: false,
    }),
    '',
  ],
]

for (const [name, got, want] of claims) {
  test(`claims: ${name}`, () => {
    assert.is(got, want)
  })
}

test.run()
