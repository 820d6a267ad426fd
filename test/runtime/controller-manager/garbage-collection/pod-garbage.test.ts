import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodes } from '../../../../generated/apis/core/v1/node.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { decideGarbage } from '../../../../runtime/controller-manager/garbage-collection/pod-garbage.ts'
import { startControlPlane, virtualClock } from '../../../../runtime/testing/testing.ts'

const test = suite('runtime/controller-manager: pod garbage (T-20)')

const going = '2030-01-01T00:00:00Z'

function pod(
  name: string,
  { phase = 'Running', node = 'n', reason = '', created = going, gone = false },
) {
  return {
    metadata: {
      name,
      uid: name,
      creationTimestamp: created,
      ...(gone && { deletionTimestamp: going }),
    },
    spec: { ...(node !== '' && { nodeName: node }) },
    status: { phase, ...(reason !== '' && { reason }) },
  }
}

const ready = { type: 'Ready', status: 'True' }
const out = { key: 'node.orch.io/out-of-service', effect: 'NoExecute' }

function node(name: string, { isReady = true, isOut = false } = {}) {
  return {
    metadata: { name },
    spec: { ...(isOut && { taints: [out] }) },
    status: { conditions: isReady ? [ready] : [] },
  }
}

interface Given {
  readonly pods: readonly object[]
  readonly nodes?: readonly object[]
  readonly missing?: Readonly<Record<string, number>>
  readonly threshold?: number
}

const cases: readonly (readonly [name: string, given: Given, want: readonly string[]])[] = [
  ['a pod of a node stays', { pods: [pod('a', {})] }, []],
  ['one that has no node yet stays', { pods: [pod('a', { node: '' })] }, []],
  [
    'one that goes before it had a node goes at once',
    { pods: [pod('a', { node: '', gone: true })] },
    ['a'],
  ],
  ['one whose node is missing now stays', { pods: [pod('a', { node: 'lost' })] }, []],
  [
    'one whose node is missing for a while goes',
    { pods: [pod('a', { node: 'lost' })], missing: { lost: 0 } },
    ['a'],
  ],
  [
    'one that goes on a node out of service goes at once',
    { pods: [pod('a', { gone: true })], nodes: [node('n', { isReady: false, isOut: true })] },
    ['a'],
  ],
  [
    'one on a node out of service that is ready does not',
    { pods: [pod('a', { gone: true })], nodes: [node('n', { isOut: true })] },
    [],
  ],
  [
    'the oldest of the finished ones go beyond a number, evicted ones first',
    {
      threshold: 1,
      pods: [
        pod('old', { phase: 'Succeeded', created: '2029-01-01T00:00:00Z' }),
        pod('new', { phase: 'Failed' }),
        pod('evicted', { phase: 'Failed', reason: 'Evicted', created: '2030-01-02T00:00:00Z' }),
        pod('runs', {}),
      ],
    },
    ['evicted', 'old'],
  ],
  ['without a number all stay', { threshold: 0, pods: [pod('a', { phase: 'Failed' })] }, []],
]

for (const [
  name,
  { pods: every, nodes: present = [node('n')], missing = {}, threshold = 10 },
  want,
] of cases) {
  test(name, () => {
    const observed = { pods: every, nodes: present, missing: new Map(Object.entries(missing)) }
    const options = { threshold, outOfService: out.key }
    const found = decideGarbage(observed as never, 40_000, options)
    assert.equal(
      found.map(({ pod: { metadata } }) => metadata.name),
      want,
    )
  })
}

test('a node that comes back was never missing', () => {
  const missing = new Map([['lost', 0]])
  decideGarbage({ pods: [pod('a', {})], nodes: [node('n')], missing } as never, 40_000, {
    threshold: 0,
    outOfService: '',
  })
  assert.is(missing.size, 0)
})

test('pods of a node that is gone fail, and go after a minute', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({
    clock,
    authorization: 'RBAC',
    controllers: ['pod-garbage-collector-controller'],
  })
  const all = plane.client.resource(pods).in('default')
  await plane.client.resource(nodes).create({ metadata: { name: 'n' } })
  for (const name of ['n', 'lost']) {
    const spec = { nodeName: name, containers: [{ name: 'main', image: 'work' }] }
    await all.create({ metadata: { name, finalizers: ['example.com/look'] }, spec })
  }
  await clock.advanceAsync(100_000)
  const { metadata, status } = await all.get('lost')
  assert.ok(metadata.deletionTimestamp)
  assert.is(status?.phase, 'Failed')
  const told = status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  assert.equal(
    [told?.status, told?.reason, told?.message],
    ['True', 'DeletionByPodGC', 'PodGC: node no longer exists'],
  )
  assert.is((await all.get('n')).metadata.deletionTimestamp, undefined)
})

test.run()
