import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { namespaceController } from '../../../runtime/controllers/controllers.ts'
import { withDeletionConditions } from '../../../runtime/controllers/namespace-conditions.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { ApiObject } from '../../../runtime/kernel/meta/object.ts'
import { createLoopbackClient } from '../../../runtime/loopback/loopback.ts'
import { createManager } from '../../../runtime/reconcile/reconcile.ts'
import {
  body,
  configMaps,
  namespaces,
  type OpenRegistry,
  openRegistry,
  quiet,
} from '../../support/registry.ts'
import { assertRejects } from '../../support/rejects.ts'
import { until } from '../../support/until.ts'

const spaces = suite<OpenRegistry>('runtime/controllers: namespaces')

spaces.before(async (context) => {
  Object.assign(context, await openRegistry())
})
spaces.after(({ close }) => close())

const now = { dryRun: false } as const

async function made({ registry }: OpenRegistry, name: string, finalizers?: readonly string[]) {
  await registry.create({ kind: namespaces }, body({ metadata: { name } }), quiet)
  const metadata = { name: 'm', ...(finalizers && { finalizers }) }
  await registry.create({ kind: configMaps, namespace: name }, body({ metadata }), quiet)
  return { kind: namespaces, name }
}

spaces(
  'the first namespaces are there, and labelled with their names (I-11)',
  async ({ registry }) => {
    const { items } = await registry.list({ kind: namespaces }, {})
    const objects = items.map((item) => item.object())
    assert.equal(
      objects.map(({ metadata }) => metadata.name),
      ['default', 'orch-node-lease', 'orch-public', 'orch-system'],
    )
    for (const { metadata, ...rest } of objects) {
      assert.equal(metadata.labels, { 'orch.io/metadata.name': metadata.name })
      assert.equal((rest as { status?: unknown }).status, { phase: 'Active' })
    }
  },
)

spaces('a namespace that is being deleted takes nothing new (X-16, X-18)', async (opened) => {
  const { registry } = opened
  const target = await made(opened, 'ending')
  const deleted = await registry.delete(target, now)
  assert.ok('item' in deleted)
  const { metadata, ...rest } = deleted.item.object()
  assert.ok(metadata.deletionTimestamp)
  assert.equal((rest as { status?: unknown }).status, { phase: 'Terminating' })
  const error = await assertRejects(
    registry.create(
      { kind: configMaps, namespace: 'ending' },
      body({ metadata: { name: 'x' } }),
      quiet,
    ),
    'Forbidden',
  )
  assert.match(
    error.message,
    /configmaps "x" is forbidden: unable to create new content in namespace ending because it is being terminated/,
  )
  assert.is(error.details?.causes?.[0]?.reason, 'NamespaceTerminating')
})

spaces(
  'a deleted namespace goes with everything in it, held objects last (X-16, X-17, T-09, A1.20)',
  async (opened) => {
    const { registry } = opened
    const stopped = new AbortController()
    const manager = createManager({
      client: createLoopbackClient({ registry, manager: 'orch-apiserver' }),
      controllers: [namespaceController({ kind: namespaces, platform: registry.scheme.platform })],
      clock: systemClock,
    })
    const running = manager.run(stopped.signal)
    const plain = await made(opened, 'plain')
    const held = await made(opened, 'held', ['example.com/wait'])
    await registry.delete(plain, now)
    await registry.delete(held, now)
    const gone = (target: typeof plain) => async () =>
      (await registry.list({ kind: namespaces }, {})).items.every(
        (item) => item.object().metadata.name !== target.name,
      )
    await until('the plain namespace is gone', gone(plain))
    const inside = { kind: configMaps, namespace: 'held', name: 'm' }
    await until('the held object is marked', async () => {
      const { metadata } = (await registry.get(inside, {})).object()
      return metadata.deletionTimestamp !== undefined
    })
    await until('the namespace says what keeps it', async () => {
      const { status } = (await registry.get(held, {})).object() as ApiObject & {
        status: { conditions?: readonly { type: string; status: string; reason: string }[] }
      }
      const told = status.conditions?.map((one) => `${one.type} ${one.status} ${one.reason}`)
      return (
        told?.join() ===
        [
          'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered',
          'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions',
          'NamespaceDeletionContentFailure False ContentDeleted',
          'NamespaceContentRemaining True SomeResourcesRemain',
          'NamespaceFinalizersRemaining True SomeFinalizersRemain',
        ].join()
      )
    })
    await registry.patch(inside, 'merge', body({ metadata: { finalizers: null } }), quiet)
    await until('the held namespace is gone', gone(held))
    assert.equal((await registry.list({ kind: configMaps }, {})).items, [])
    stopped.abort()
    await running
  },
)

spaces('what is left in a namespace is told in its conditions (X-17, T-23)', () => {
  const empty = { apiVersion: 'v1', kind: 'Namespace', metadata: {} }
  const remains = {
    objects: new Map([['pods.', 2]]),
    finalizers: new Map([['example.com/b', 2]]),
    failures: [],
    unknown: [],
  }
  type Told = { status: { conditions: readonly Record<string, string>[] } }
  const told = (object: unknown) => (object as Told).status.conditions
  const first = withDeletionConditions(empty, remains, 0)
  assert.equal(told(first)[3], {
    type: 'NamespaceContentRemaining',
    status: 'True',
    reason: 'SomeResourcesRemain',
    message: 'Some resources are remaining: pods. has 2 resource instances',
    lastTransitionTime: '1970-01-01T00:00:00Z',
  })
  assert.is(
    told(first)[4]?.message,
    'Some content in the namespace has finalizers remaining: example.com/b in 2 resource instances',
  )
  const fewer = withDeletionConditions(
    first,
    { ...remains, objects: new Map([['pods.', 1]]) },
    5000,
  )
  assert.is(told(fewer)[3]?.lastTransitionTime, '1970-01-01T00:00:00Z')
  const none = withDeletionConditions(
    first,
    { ...remains, objects: new Map(), failures: ['no', 'never'], unknown: ['b/v1', 'a/v2'] },
    5000,
  )
  assert.is(told(none)[3]?.reason, 'ContentRemoved')
  assert.is(told(none)[3]?.lastTransitionTime, '1970-01-01T00:00:05Z')
  assert.is(told(none)[2]?.reason, 'ContentDeletionFailed')
  assert.is(told(none)[2]?.message, 'Failed to delete all resource types, 2 remaining: never, no')
  assert.equal(
    [told(none)[0]?.status, told(none)[0]?.reason, told(none)[0]?.message],
    [
      'True',
      'DiscoveryFailed',
      'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: a/v2: stale GroupVersion discovery: a/v2, b/v1: stale GroupVersion discovery: b/v1',
    ],
  )
  assert.equal(
    told(
      withDeletionConditions(empty, { ...remains, objects: new Map(), finalizers: new Map() }, 0),
    ).map(({ message }) => message),
    [
      'All resources successfully discovered',
      'All legacy kube types successfully parsed',
      'All content successfully deleted, may be waiting on finalization',
      'All content successfully removed',
      'All content-preserving finalizers finished',
    ],
  )
})

spaces.run()
