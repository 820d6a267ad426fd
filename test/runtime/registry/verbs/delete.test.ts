import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DeleteOptions } from '../../../../runtime/registry/registry.ts'
import { fakeClock } from '../../../support/clock.ts'
import {
  body,
  collect,
  configMaps,
  deployment,
  deployments,
  inDefault,
  namespaces,
  type OpenRegistry,
  openRegistry,
  pods,
  quiet,
} from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'

const deletion = suite<OpenRegistry>('runtime/registry/verbs/delete')
const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
const now: DeleteOptions = { dryRun: false }

deletion.before(async (context) => {
  Object.assign(context, await openRegistry({ clock }))
})
deletion.after(({ close }) => close())

async function configMap({ registry }: OpenRegistry, name: string, finalizers?: readonly string[]) {
  const metadata = { name, ...(finalizers && { finalizers }), labels: { name } }
  return (await registry.create(inDefault(configMaps), body({ metadata }), quiet)).item.object()
}

deletion('what nothing keeps is gone at once (X-04, A3.3, A1.18)', async (opened) => {
  const { registry } = opened
  const { metadata } = await configMap(opened, 'gone')
  const target = inDefault(configMaps, 'gone')
  assert.equal(await registry.delete(target, now), {
    details: { name: 'gone', kind: 'configmaps', uid: metadata.uid },
  })
  await assertRejects(registry.delete(target, now), 'NotFound')
  const again = await configMap(opened, 'gone')
  assert.is.not(again.metadata.uid, metadata.uid)
})

deletion(
  'finalizers make it two phases, and the last one to go ends it (X-05, X-06, A3.1, A3.2)',
  async (opened) => {
    const { registry } = opened
    await configMap(opened, 'held', ['example.com/a'])
    const target = inDefault(configMaps, 'held')
    const first = await registry.delete(target, now)
    assert.ok('item' in first)
    const { metadata } = first.item.object()
    assert.is(metadata.deletionTimestamp, '2030-01-01T00:00:00Z')
    assert.is(metadata.deletionGracePeriodSeconds, 0)
    const again = await registry.delete(target, now)
    assert.ok('item' in again)
    assert.is(again.item.object().metadata.resourceVersion, metadata.resourceVersion)
    const added = body({ metadata: { finalizers: ['example.com/a', 'example.com/b'] } })
    const refused = await assertRejects(registry.patch(target, 'merge', added, quiet), 'Invalid')
    assert.is(refused.details?.causes?.[0]?.reason, 'FieldValueForbidden')
    const last = await registry.patch(
      target,
      'merge',
      body({ metadata: { finalizers: null } }),
      quiet,
    )
    assert.is(last.item.object().metadata.finalizers, undefined)
    await assertRejects(registry.get(target, {}), 'NotFound')
  },
)

deletion('deletion that begins counts as a change (W-06)', async ({ registry }) => {
  const { metadata, ...rest } = deployment('counted') as { metadata: object }
  const held = { ...rest, metadata: { ...metadata, finalizers: ['example.com/a'] } }
  await registry.create(inDefault(deployments), body(held), quiet)
  const deleted = await registry.delete(inDefault(deployments, 'counted'), now)
  assert.ok('item' in deleted)
  assert.is(deleted.item.object().metadata.generation, 2)
})

deletion('preconditions hold or conflict (X-03)', async (opened) => {
  const { registry } = opened
  const { metadata } = await configMap(opened, 'guarded')
  const target = inDefault(configMaps, 'guarded')
  const uid = await assertRejects(
    registry.delete(target, { ...now, preconditions: { uid: 'x' } }),
    'Conflict',
  )
  assert.match(uid.message, /the UID in the precondition \(x\) does not match the UID in record /)
  const version = { resourceVersion: '1' }
  await assertRejects(registry.delete(target, { ...now, preconditions: version }), 'Conflict')
  const right = { uid: metadata.uid as string, resourceVersion: metadata.resourceVersion as string }
  await registry.delete(target, { ...now, preconditions: right })
})

deletion('a precondition names the group that a kind is stored in', async ({ registry }) => {
  const kind = registry.scheme.routes['apis/events.orch.io/v1/events']
  assert.ok(kind)
  const place = { kind, namespace: 'default' }
  const regarding = { kind: 'ConfigMap', name: 'a', namespace: 'default' }
  const event = {
    metadata: { name: 'seen' },
    regarding,
    eventTime: '2030-01-01T00:00:00.000000Z',
    reportingController: 'example.com/a',
    reportingInstance: 'a',
    action: 'See',
    reason: 'Seen',
    type: 'Normal',
  }
  await registry.create(place, body(event), quiet)
  const error = await assertRejects(
    registry.delete({ ...place, name: 'seen' }, { ...now, preconditions: { uid: 'x' } }),
    'Conflict',
  )
  assert.equal(error.details, { name: 'seen', kind: 'Event' })
})

deletion(
  'a policy becomes a finalizer, and one drives the other out (X-08, X-09, X-10, X-12)',
  async (opened) => {
    const { registry } = opened
    const finalizersAfter = async (
      name: string,
      had: readonly string[],
      options: Partial<DeleteOptions>,
    ) => {
      await configMap(opened, name, had)
      const deleted = await registry.delete(inDefault(configMaps, name), { ...now, ...options })
      return 'item' in deleted ? deleted.item.object().metadata.finalizers : undefined
    }
    assert.equal(await finalizersAfter('fg', [], { propagationPolicy: 'Foreground' }), [
      'foregroundDeletion',
    ])
    assert.equal(
      await finalizersAfter('or', ['foregroundDeletion'], { propagationPolicy: 'Orphan' }),
      ['orphan'],
    )
    assert.is(
      await finalizersAfter('bg', ['orphan'], { propagationPolicy: 'Background' }),
      undefined,
    )
  },
)

deletion(
  'a later deletion with another policy drives out what the first one set; without one it stays (X-06, X-09, X-10)',
  async (opened) => {
    const { registry } = opened
    const later = async (name: string, propagationPolicy?: DeleteOptions['propagationPolicy']) => {
      await configMap(opened, name, [])
      const target = inDefault(configMaps, name)
      await registry.delete(target, { ...now, propagationPolicy: 'Orphan' })
      const policy = propagationPolicy && { propagationPolicy }
      const deleted = await registry.delete(target, { ...now, ...policy })
      return 'item' in deleted ? deleted.item.object().metadata.finalizers : undefined
    }
    assert.equal(await later('same'), ['orphan'])
    assert.equal(await later('foreground', 'Foreground'), ['foregroundDeletion'])
    assert.is(await later('background', 'Background'), undefined)
  },
)

deletion('a dry run deletes nothing (F-11)', async (opened) => {
  const { registry } = opened
  await configMap(opened, 'kept')
  assert.ok('details' in (await registry.delete(inDefault(configMaps, 'kept'), { dryRun: true })))
  await registry.get(inDefault(configMaps, 'kept'), {})
})

async function pod({ registry }: OpenRegistry, name: string, spec: object) {
  const given = { metadata: { name }, spec: { containers: [{ name: 'c', image: 'x:1' }], ...spec } }
  await registry.create(inDefault(pods), body(given), quiet)
  return inDefault(pods, name)
}

deletion(
  'a scheduled pod has its grace, which can only shrink (X-14, X-06, D-12)',
  async (opened) => {
    const { registry } = opened
    const target = await pod(opened, 'graceful', {
      nodeName: 'n',
      terminationGracePeriodSeconds: 60,
    })
    const endOf = async (options: Partial<DeleteOptions>) => {
      const deleted = await registry.delete(target, { ...now, ...options })
      assert.ok('item' in deleted)
      const { deletionTimestamp, deletionGracePeriodSeconds } = deleted.item.object().metadata
      return [deletionTimestamp, deletionGracePeriodSeconds]
    }
    assert.equal(await endOf({}), ['2030-01-01T00:01:00Z', 60])
    assert.equal(await endOf({ gracePeriodSeconds: 10 }), ['2030-01-01T00:00:10Z', 10])
    assert.equal(await endOf({ gracePeriodSeconds: 30 }), ['2030-01-01T00:00:10Z', 10])
    assert.ok('item' in (await registry.delete(target, { ...now, gracePeriodSeconds: 0 })))
    await assertRejects(registry.get(target, {}), 'NotFound')
  },
)

deletion(
  'an unscheduled pod goes at once and is answered with itself (X-14, X-04)',
  async (opened) => {
    const { registry } = opened
    const target = await pod(opened, 'waiting', {})
    const deleted = await registry.delete(target, now)
    assert.ok('item' in deleted)
    assert.is(deleted.item.object().metadata.name, 'waiting')
    await assertRejects(registry.get(target, {}), 'NotFound')
  },
)

deletion('a collection goes one by one, by selector (X-15, A1.26)', async (opened) => {
  const { registry } = opened
  for (const name of ['c1', 'c2', 'c3']) await configMap(opened, name)
  const deleted = await registry.deleteCollection(
    inDefault(configMaps),
    { labelSelector: 'name in (c1,c3)' },
    now,
  )
  assert.equal(
    deleted.items.map((item) => item.object().metadata.name),
    ['c1', 'c3'],
  )
  const left = await registry.list(inDefault(configMaps), { labelSelector: 'name in (c1,c2,c3)' })
  assert.is(left.items.length, 1)
})

deletion('the first namespaces stay (X-16)', async ({ registry }) => {
  for (const name of ['default', 'orch-system', 'orch-public']) {
    const error = await assertRejects(registry.delete({ kind: namespaces, name }, now), 'Forbidden')
    assert.is(error.message, `namespaces "${name}" is forbidden: this namespace may not be deleted`)
  }
})

deletion('who watches a pod sees that it ends before it is gone (X-14)', async ({ registry }) => {
  const spec = { containers: [{ name: 'main', image: 'a' }], nodeName: 'n1' }
  const { item } = await registry.create(
    inDefault(pods),
    body({ metadata: { name: 'ending' }, spec }),
    quiet,
  )
  const { resourceVersion } = item.object().metadata
  const target = inDefault(pods, 'ending')
  const gone = await registry.delete(target, { dryRun: false, gracePeriodSeconds: 0 })
  assert.ok('item' in gone)
  assert.is(gone.item.object().metadata.deletionGracePeriodSeconds, 0)
  const options = { bookmarks: false, ...(resourceVersion && { resourceVersion }) }
  const events = await collect((signal) => registry.watch(inDefault(pods), options, signal), 2)
  const seen = events.map((event) => [event.type, event.item.object().metadata.deletionTimestamp])
  const date = '2030-01-01T00:00:00Z'
  assert.equal(seen, [
    ['MODIFIED', date],
    ['DELETED', date],
  ])
})

deletion(
  'who sees that a pod ends may delete it first, and both are told that it is gone (X-06, X-14)',
  async (opened) => {
    const { registry, store } = opened
    const target = await pod(opened, 'contested', { nodeName: 'n1' })
    const immediately = { dryRun: false, gracePeriodSeconds: 0 }
    // The agent deletes it between the two writes of the first deletion.
    const { update } = store
    store.update = async (...written) => {
      store.update = update
      const ending = await store.update(...written)
      assert.ok('item' in (await registry.delete(target, immediately)))
      return ending
    }
    const deleted = await registry.delete(target, immediately)
    assert.ok('item' in deleted)
    assert.is(deleted.item.object().metadata.deletionGracePeriodSeconds, 0)
    await assertRejects(registry.get(target, {}), 'NotFound')
  },
)

deletion.run()
