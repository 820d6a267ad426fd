// What there is to do about the balancer of a service, as a table.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Node } from '../../../../../generated/apis/core/v1/node.ts'
import type { Service } from '../../../../../generated/apis/core/v1/service.ts'
import {
  concernsBalancer,
  decideBalancer,
  type KnownService,
} from '../../../../../runtime/controller-manager/cloud/service-balancers/decide-balancer.ts'
import {
  changeOf,
  wantsBalancer,
} from '../../../../../runtime/controller-manager/cloud/service-balancers/service-changes.ts'
import {
  changesTargets,
  isTarget,
  targetsOf,
} from '../../../../../runtime/controller-manager/cloud/service-balancers/target-nodes.ts'
import type { Stored } from '../../../../../runtime/kernel/meta/object.ts'

const test = suite('runtime/controller-manager/cloud: what balancers are to be (T-12)')

const finalizer = 'service.example/load-balancer-cleanup'
const held = { finalizers: [finalizer] }
const going = { deletionTimestamp: '2030-01-01T00:00:00Z' }
const balanced = { type: 'LoadBalancer' } as const

function service(spec: Service['spec'] = balanced, metadata: object = {}): Stored<Service> {
  return { metadata: { name: 'web', namespace: 'default', uid: 'a', ...metadata }, spec } as never
}

function node(name: string, labels = {}, spec: Node['spec'] = {}, ready = 'True'): Stored<Node> {
  const status = { conditions: [{ type: 'Ready', status: ready }] }
  return { metadata: { name, labels }, spec, status } as never
}

const [a, b] = [node('a'), node('b')]

interface Given {
  readonly now: Stored<Service>
  readonly before?: Stored<Service>
  readonly isMade?: boolean
  readonly targets?: readonly Stored<Node>[]
}

function decide({ now, before, isMade = false, targets }: Given) {
  const known: KnownService | undefined = before && {
    ...{ service: before, isMade },
    targets: targets && targetsOf(targets),
  }
  return decideBalancer(now, known, [a], finalizer).plan
}

const [nothing, ensure, update] = [{ is: 'nothing' }, { is: 'ensure' }, { is: 'update' }]
const remove = (ifThere = false) => ({ is: 'remove', ifThere })
const other = service({ type: 'ClusterIP' })
const classed = service({ ...balanced, loadBalancerClass: 'example.com/x' })

for (const [title, given, plan] of [
  ['a service that asks for a balancer gets one', { now: service() }, ensure],
  ['one that never asked is left alone', { now: other }, nothing],
  ['one of a class is left alone', { now: classed }, nothing],
  [
    'one that has what it asks for is left alone',
    { now: service(), before: service(), isMade: true, targets: [a] },
    nothing,
  ],
  [
    'one whose last try failed is tried again',
    { now: service(), before: service(), isMade: true },
    ensure,
  ],
  [
    'other nodes are put behind what there is',
    { now: service(), before: service(), isMade: true, targets: [a, b] },
    update,
  ],
  [
    'another port asks for all of it, whatever the nodes are',
    {
      ...{ now: service({ ...balanced, ports: [{ port: 80 }] }), before: service() },
      ...{ isMade: true, targets: [b] },
    },
    ensure,
  ],
  ['one that is deleted loses it', { now: service(balanced, { ...held, ...going }) }, remove()],
  [
    'one that is deleted and not held any more is left alone',
    { now: service(balanced, going), before: service(balanced, held) },
    nothing,
  ],
  [
    'one that somebody let go loses it all the same',
    { now: service(balanced, going), before: service(), isMade: true },
    remove(),
  ],
  ['one that asks no more loses it', { now: service({ type: 'NodePort' }, held) }, remove()],
  [
    'one that asks no more, and was never held, loses what was made',
    { now: other, before: service(), isMade: true },
    remove(),
  ],
  [
    'one of a class that is held loses what the cloud knows of, and nothing else',
    { now: service(classed.spec, held) },
    remove(true),
  ],
  [
    'so does one that is deleted',
    { now: service(classed.spec, { ...held, ...going }) },
    remove(true),
  ],
] as const satisfies readonly (readonly [string, Given, object])[]) {
  test(title, () => assert.equal(decide(given), plan))
}

const told = (before: Service['spec'], now: Service['spec'], metadata: object = {}) => {
  const change = changeOf(service(before), service(now, metadata))
  return change && (change.told ? `${change.told.reason}: ${change.told.message}` : 'silent')
}

test('of what a balancer follows the first change is told, in the words of release 1.29', () => {
  const is = (more: object) => ({ ...balanced, ...more })
  const cases: readonly (readonly [object, object, string | undefined])[] = [
    [{ type: 'ClusterIP' }, { type: 'NodePort' }, undefined],
    [{ type: 'ClusterIP' }, is({}), 'Type: ClusterIP -> LoadBalancer'],
    [is({}), { type: 'NodePort' }, 'Type: LoadBalancer -> NodePort'],
    [is({}), { ...classed.spec }, 'Type: LoadBalancer -> LoadBalancer'],
    [is({}), is({ selector: { app: 'web' } }), undefined],
    [is({}), is({ publishNotReadyAddresses: true }), undefined],
    [
      is({ loadBalancerSourceRanges: ['10.0.0.0/8'] }),
      is({ loadBalancerSourceRanges: ['10.0.0.0/8', '192.0.2.0/24'] }),
      'LoadBalancerSourceRanges: [10.0.0.0/8] -> [10.0.0.0/8 192.0.2.0/24]',
    ],
    [is({ ports: [{ port: 80 }] }), is({ ports: [{ port: 81 }] }), 'silent'],
    [is({}), is({ sessionAffinity: 'ClientIP' }), 'silent'],
    [is({}), is({ loadBalancerIP: '192.0.2.1' }), 'LoadbalancerIP:  -> 192.0.2.1'],
    [is({}), is({ externalIPs: ['192.0.2.1'] }), 'ExternalIP: Count: 0 -> 1'],
    [
      is({ externalIPs: ['192.0.2.1'] }),
      is({ externalIPs: ['192.0.2.2'] }),
      'ExternalIP: Added: 192.0.2.2',
    ],
    [
      is({ externalTrafficPolicy: 'Cluster' }),
      is({ externalTrafficPolicy: 'Local', healthCheckNodePort: 30_001 }),
      'ExternalTrafficPolicy: Cluster -> Local',
    ],
    [
      is({ healthCheckNodePort: 30_001 }),
      is({ healthCheckNodePort: 30_002 }),
      'HealthCheckNodePort: 30001 -> 30002',
    ],
    [
      is({ ipFamilies: ['IPv4'] }),
      is({ ipFamilies: ['IPv4', 'IPv6'] }),
      'IPFamilies: Count: 1 -> 2',
    ],
  ]
  for (const [before, now, expected] of cases) assert.is(told(before, now), expected)
  assert.is(told(balanced, balanced, { annotations: { some: 'hint' } }), 'silent')
  assert.is(told(balanced, balanced, { labels: { app: 'web' } }), undefined)
  assert.is(told(balanced, balanced, { uid: 'b' }), 'UID: a -> b')
})

test('a service is looked at when it comes, when its balancer follows, and as long as it is held for nothing', () => {
  const concerns = (now: Stored<Service>, before?: Stored<Service>) =>
    concernsBalancer(now, before, finalizer)
  assert.ok(concerns(other))
  assert.ok(concerns(service(), other))
  assert.not(concerns(service(balanced, { labels: { a: 'b' } }), service()))
  assert.not(concerns(service(balanced, held), service()))
  assert.ok(concerns(service(balanced, { ...held, ...going }), service(balanced, held)))
  assert.ok(concerns(service(other.spec, held), service(other.spec, held)))
  assert.not(concerns(other, other))
  assert.not(wantsBalancer(classed))
})

const stable = { domain: 'example', isStable: true }
const strict = { domain: 'example', isStable: false }
const excluded = { 'node.example/exclude-from-external-load-balancers': '' }
const tainted = {
  taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }],
} as const

test('balancers stand in front of nodes that nobody excludes or removes, and of those that are ready only where targets are not stable', () => {
  const leaving = { ...a, metadata: { ...a.metadata, ...going } } as never
  const cases = [
    [a, true, true],
    [node('c', excluded), false, false],
    [node('c', {}, tainted), false, false],
    [node('c', {}, {}, 'False'), true, false],
    [leaving, false, true],
  ] as const
  for (const [one, isStable, isStrict] of cases) {
    assert.equal([isTarget(one, stable), isTarget(one, strict)], [isStable, isStrict])
  }
  assert.is(isTarget({ metadata: { name: 'new' } } as never, strict), false)
})

test('balancers are looked at when nodes come, are excluded, or become other machines; else only where targets are not stable', () => {
  const cases = [
    [a, undefined, true, true],
    [node('a', excluded), a, true, true],
    [node('a', {}, { providerID: 'x://1' }), a, true, true],
    [node('a', {}, {}, 'False'), a, false, true],
    [node('a', {}, tainted), a, false, true],
    [node('a', { some: 'label' }), a, false, false],
  ] as const
  for (const [now, before, isStable, isStrict] of cases) {
    const looks = [changesTargets(now, before, stable), changesTargets(now, before, strict)]
    assert.equal(looks, [isStable, isStrict])
  }
})

test.run()
