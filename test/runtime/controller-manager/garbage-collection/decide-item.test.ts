import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  decideItem,
  type ItemPlan,
  type ObservedDependent,
  type OwnerState,
} from '../../../../runtime/controller-manager/garbage-collection/decide-item.ts'
import type { ApiObject, Stored } from '../../../../runtime/kernel/meta/object.ts'

const test = suite('runtime/controller-manager/garbage-collection: decideItem (X-08 to X-13)')

interface Given {
  readonly owners?: readonly OwnerState[]
  readonly dependents?: readonly ObservedDependent[]
  readonly finalizers?: readonly string[]
  readonly isGoing?: boolean
}

const blocking: ObservedDependent = { blocks: true, waits: false }
const free: ObservedDependent = { blocks: false, waits: false }
const keep: ItemPlan = { is: 'keep' }
const inBackground: ItemPlan = { is: 'delete', propagationPolicy: 'Background' }
const inForeground: ItemPlan = { is: 'delete', propagationPolicy: 'Foreground' }

const cases: readonly (readonly [name: string, given: Given, want: ItemPlan])[] = [
  ['an object without owners stays', {}, keep],
  ['one whose owner stays does', { owners: ['solid'] }, keep],
  ['one whose owner is absent goes in the background', { owners: ['absent'] }, inBackground],
  ['one of several absent owners goes', { owners: ['absent', 'absent'] }, inBackground],
  [
    'one with an owner that stays loses the absent ones',
    { owners: ['solid', 'absent', 'waiting'] },
    { is: 'release', uids: ['u1', 'u2'] },
  ],
  [
    'a policy that is on the object is kept: orphan',
    { owners: ['absent'], finalizers: ['orphan'] },
    { is: 'delete', propagationPolicy: 'Orphan' },
  ],
  [
    'a policy that is on the object is kept: foreground',
    { owners: ['absent'], finalizers: ['foregroundDeletion'] },
    inForeground,
  ],
  [
    'one whose owner waits goes in the background without dependents',
    { owners: ['waiting'] },
    inBackground,
  ],
  ['and in the foreground with some', { owners: ['waiting'], dependents: [free] }, inForeground],
  [
    'in a circle it holds up its owners no more',
    { owners: ['waiting'], dependents: [{ blocks: true, waits: true }] },
    { is: 'delete', propagationPolicy: 'Foreground', unblock: true },
  ],
  [
    'one with an owner of a kind that is not served is looked at later',
    { owners: ['absent', 'unknown'] },
    { is: 'later' },
  ],
  ['one without a namespace whose owner has one stays', { owners: ['misplaced'] }, keep],
  [
    'one that was left by its owner loses it',
    { owners: ['orphaning', 'absent'] },
    { is: 'release', uids: ['u0'] },
  ],
  ['an object that is going already is let alone', { isGoing: true, owners: [] }, keep],
  [
    'one that goes in the foreground waits for those that block',
    { isGoing: true, finalizers: ['foregroundDeletion'], dependents: [free, blocking] },
    keep,
  ],
  [
    'and for no others',
    { isGoing: true, finalizers: ['foregroundDeletion'], dependents: [free] },
    { is: 'finish' },
  ],
  [
    'one that leaves its dependents lets them go first',
    { isGoing: true, finalizers: ['orphan'], dependents: [blocking] },
    { is: 'orphan' },
  ],
]

for (const [name, { owners = [], dependents = [], finalizers = [], isGoing }, want] of cases) {
  test(name, () => {
    const ownerReferences = owners.map((_, at) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: `o${at}`,
      uid: `u${at}`,
    }))
    const metadata = {
      ...{
        name: 'x',
        uid: 'x',
        resourceVersion: '1',
        creationTimestamp: '',
        finalizers,
        ownerReferences,
      },
      ...(isGoing && { deletionTimestamp: '2030-01-01T00:00:00Z' }),
    }
    const item = { apiVersion: 'v1', kind: 'ConfigMap', metadata } as unknown as Stored<ApiObject>
    assert.equal(decideItem({ item, owners, dependents }), want)
  })
}

test.run()
