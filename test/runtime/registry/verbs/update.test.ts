import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ApiObject } from '../../../../runtime/kernel/meta/object.ts'
import {
  body,
  configMaps,
  deployment,
  deployments,
  dry,
  inDefault,
  kindAt,
  namespaces,
  type OpenRegistry,
  openRegistry,
  quiet,
  strict,
} from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'

const update = suite<OpenRegistry>('runtime/registry/verbs/update')
const leases = kindAt('apis/coordination.orch.io/v1/leases')

update.before(async (context) => {
  Object.assign(context, await openRegistry())
})
update.after(({ close }) => close())

type Deployment = ApiObject & { spec: { replicas: number }; status: { replicas?: number } }

async function made({ registry }: OpenRegistry, name: string): Promise<Deployment> {
  const { item } = await registry.create(inDefault(deployments), body(deployment(name)), quiet)
  return item.object() as Deployment
}

update(
  'a PUT replaces, and generation counts changes of the spec (W-06, A4.57)',
  async (opened) => {
    const { registry } = opened
    const old = await made(opened, 'put')
    const target = inDefault(deployments, 'put')
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: 'b' } } }
    const first = (await registry.update(target, body(labelled), quiet)).item.object()
    assert.is(first.metadata.generation, 1)
    const scaled = { ...labelled, metadata: first.metadata, spec: { ...old.spec, replicas: 2 } }
    const second = (await registry.update(target, body(scaled), quiet)).item.object()
    assert.is(second.metadata.generation, 2)
    assert.is(second.metadata.uid, old.metadata.uid)
  },
)

update(
  'the generation of a deployment counts annotations, too, unless they come with its status',
  async (opened) => {
    const { registry } = opened
    await made(opened, 'noted')
    const noted = async (note: string, subresource?: string) => {
      const change = body({ metadata: { annotations: { note } } })
      const target = inDefault(deployments, 'noted', subresource)
      const { item } = await registry.patch(target, 'merge', change, quiet)
      return item.object().metadata.generation
    }
    assert.is(await noted('first'), 2)
    assert.is(await noted('first'), 2)
    assert.is(await noted('second', 'status'), 2)
    assert.is(await noted('third'), 3)
  },
)

update('a stale version conflicts, none overwrites (E-10, D-13, A7.3)', async (opened) => {
  const { registry } = opened
  const old = await made(opened, 'stale')
  const target = inDefault(deployments, 'stale')
  await registry.update(
    target,
    body({ ...old, metadata: { ...old.metadata, labels: { a: 'b' } } }),
    quiet,
  )
  const error = await assertRejects(registry.update(target, body(old), quiet), 'Conflict')
  assert.is(
    error.message,
    'Operation cannot be fulfilled on deployments.apps "stale": the object has been modified; ' +
      'please apply your changes to the latest version and try again',
  )
  const { item } = await registry.update(target, body(deployment('stale')), quiet)
  assert.is(item.object().metadata.labels, undefined)
  const matched = { ...quiet, resourceVersion: '1' }
  await assertRejects(registry.update(target, body(deployment('stale')), matched), 'Conflict')
})

update('a write that changes nothing is not stored (W-05)', async (opened) => {
  const { registry, store } = opened
  const old = await made(opened, 'noop')
  const before = await store.revision()
  const { item } = await registry.update(inDefault(deployments, 'noop'), body(old), quiet)
  assert.is(item.object().metadata.resourceVersion, old.metadata.resourceVersion)
  await registry.patch(
    inDefault(deployments, 'noop'),
    'merge',
    body({ spec: { replicas: 1 } }),
    quiet,
  )
  assert.is(await store.revision(), before)
})

update(
  'name, namespace and uid are those of the path and the object (R-14, E-11, W-08)',
  async (opened) => {
    const { registry } = opened
    const old = await made(opened, 'identity')
    const target = inDefault(deployments, 'identity')
    const put = (metadata: object) => registry.update(target, body({ ...old, metadata }), quiet)
    const other = await assertRejects(put({ name: 'x' }), 'BadRequest')
    assert.match(other.message, /\(x\) does not match the name on the URL \(identity\)/)
    await assertRejects(put({}), 'BadRequest')
    await assertRejects(put({ name: 'identity', namespace: 'x' }), 'BadRequest')
    const uid = await assertRejects(put({ name: 'identity', uid: 'x' }), 'Conflict')
    assert.ok(
      uid.message.endsWith(
        `Precondition failed: UID in precondition: x, UID in object meta: ${old.metadata.uid}`,
      ),
    )
    for (const creationTimestamp of ['2001-01-01T00:00:00Z', '0001-01-01T00:00:00Z', null]) {
      const { item } = await put({ name: 'identity', creationTimestamp })
      assert.equal(item.object(), old)
    }
  },
)

update('each path writes its own part (W-07)', async (opened) => {
  const { registry } = opened
  const old = await made(opened, 'status')
  const wanted = {
    ...old,
    metadata: { ...old.metadata, labels: { a: 'b' } },
    spec: { ...old.spec, replicas: 9 },
    status: { replicas: 3 },
  }
  const target = inDefault(deployments, 'status', 'status')
  const status = (await registry.update(target, body(wanted), quiet)).item.object() as Deployment
  assert.equal([status.spec.replicas, status.status.replicas], [1, 3])
  assert.is(status.metadata.labels, undefined)
  assert.is(status.metadata.generation, 1)
  const main = await registry.patch(
    inDefault(deployments, 'status'),
    'merge',
    body({ spec: { replicas: 4 }, status: { replicas: 8 } }),
    quiet,
  )
  const { spec, status: kept } = main.item.object() as Deployment
  assert.equal([spec.replicas, kept.replicas], [4, 3])
})

update('a PUT to an absent name creates where the kind allows it (W-12)', async ({ registry }) => {
  const missing = await assertRejects(
    registry.update(inDefault(deployments, 'none'), body(deployment('none')), quiet),
    'NotFound',
  )
  assert.is(missing.message, 'deployments.apps "none" not found')
  const lease = { metadata: { name: 'made' }, spec: { holderIdentity: 'me' } }
  const written = await registry.update(inDefault(leases, 'made'), body(lease), quiet)
  assert.ok(written.created)
  const blind = await assertRejects(
    registry.update(inDefault(leases, 'made'), body(lease), quiet),
    'Invalid',
  )
  assert.is(blind.details?.causes?.[0]?.field, 'metadata.resourceVersion')
})

update('a patch that names no version meets no conflict (W-14, W-15)', async (opened) => {
  const { registry } = opened
  await made(opened, 'race')
  const target = inDefault(deployments, 'race')
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      registry.patch(target, 'merge', body({ metadata: { labels: { [`l${n}`]: 'x' } } }), quiet),
    ),
  )
  const { labels = {} } = (await registry.get(target, {})).object().metadata
  assert.is(Object.keys(labels).length, 20)
  const versioned = body({ metadata: { resourceVersion: '1', labels: { a: 'b' } } })
  await assertRejects(registry.patch(target, 'merge', versioned, quiet), 'Conflict')
})

update('a patched object is checked like any other (P-07, P-08, P-10, D-03)', async (opened) => {
  const { registry } = opened
  await made(opened, 'checked')
  const target = inDefault(deployments, 'checked')
  const merge = (value: unknown, options = quiet) =>
    registry.patch(target, 'merge', body(value), options)
  await assertRejects(merge({ metadata: { name: 'x' } }), 'BadRequest')
  await assertRejects(merge({ metadata: { uid: 'x' } }), 'Invalid')
  await assertRejects(merge({ spec: { replicas: -1 } }), 'Invalid')
  const type = await assertRejects(merge({ spec: { replicas: 'x' } }), 'Invalid')
  assert.is(type.details?.causes?.[0]?.field, 'patch')
  await assertRejects(merge({ spec: { bogus: 1 } }, strict), 'BadRequest')
  assert.equal((await merge({ spec: { bogus: 1 } })).warnings, ['unknown field "spec.bogus"'])
  await assertRejects(merge([]), 'BadRequest')
  await assertRejects(
    registry.patch(inDefault(deployments, 'none'), 'merge', body({}), quiet),
    'NotFound',
  )
})

update('a dry run answers what would be and leaves what is (F-11)', async (opened) => {
  const { registry } = opened
  const old = await made(opened, 'dry')
  const target = inDefault(deployments, 'dry')
  const { item } = await registry.patch(target, 'merge', body({ spec: { replicas: 5 } }), dry)
  assert.is((item.object() as Deployment).spec.replicas, 5)
  const now = (await registry.get(target, {})).object()
  assert.is(now.metadata.resourceVersion, old.metadata.resourceVersion)
})

update('only the finalize path takes finalizers off a namespace (I-11)', async ({ registry }) => {
  await registry.create({ kind: namespaces }, body({ metadata: { name: 'kept' } }), quiet)
  const target = { kind: namespaces, name: 'kept' }
  const { item } = await registry.patch(target, 'merge', body({ spec: { finalizers: [] } }), quiet)
  assert.equal((item.object() as { spec?: unknown }).spec, { finalizers: ['orch'] })
})

update('concurrent writes of one version leave one winner', async ({ registry }) => {
  const created = await registry.create(
    inDefault(configMaps),
    body({ metadata: { name: 'one' } }),
    quiet,
  )
  const { metadata } = created.item.object()
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, n) =>
      registry.update(
        inDefault(configMaps, 'one'),
        body({ metadata, data: { n: String(n) } }),
        quiet,
      ),
    ),
  )
  assert.is(results.filter(({ status }) => status === 'fulfilled').length, 1)
})

update.run()
