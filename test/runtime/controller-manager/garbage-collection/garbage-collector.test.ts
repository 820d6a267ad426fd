import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { customResourceDefinitions } from '../../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import { jobs } from '../../../../generated/apis/batch/v1/job.ts'
import { type ConfigMap, configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { namespaces } from '../../../../generated/apis/core/v1/namespace.ts'
import { replicationControllers } from '../../../../generated/apis/core/v1/replication-controller.ts'
import { secrets } from '../../../../generated/apis/core/v1/secret.ts'
import { dynamicKind } from '../../../../runtime/client/client.ts'
import { deferred } from '../../../../runtime/kernel/async/deferred.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from '../../../../runtime/testing/testing.ts'
import { until } from '../../../support/until.ts'

type Middleware = NonNullable<ControlPlaneOptions['use']>[number]

const test = suite<{ plane: ControlPlane; meanwhile: Middleware }>(
  'runtime/controller-manager: garbage collector',
)

test.before(async (context) => {
  context.meanwhile = (_, next) => next()
  context.plane = await startControlPlane({
    controllers: ['garbage-collector-controller'],
    authorization: 'RBAC',
    use: [(request, next) => context.meanwhile(request, next)],
  })
})
test.after(({ plane }) => plane.stop())

const thingKind = {
  ...{ group: 'example.com', version: 'v1', kind: 'Thing', plural: 'things' },
  scope: 'Namespaced' as const,
}

const thingDefinition = {
  metadata: { name: 'things.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object' } },
      },
    ],
  },
}

function ownedBy({ metadata: { name, uid } }: Stored<ConfigMap>, blockOwnerDeletion = true) {
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion }
}

/** An owner, and a dependent with a dependent of its own. */
async function family({ client }: ControlPlane, name: string, finalizers: readonly string[] = []) {
  const maps = client.resource(configMaps)
  const owner = await maps.create({ metadata: { name } })
  const dependent = await maps.create({
    metadata: { name: `${name}-child`, ownerReferences: [ownedBy(owner)] },
  })
  await client.resource(secrets).create({
    metadata: { name: `${name}-grandchild`, ownerReferences: [ownedBy(dependent)], finalizers },
  })
  return owner
}

test('in the background an owner goes at once, and then all that it owned (X-08, X-13)', async ({
  plane,
}) => {
  const { client } = plane
  const owner = await family(plane, 'background')
  await client.resource(configMaps).delete(owner, { propagationPolicy: 'Background' })
  assert.is(await client.resource(configMaps).find('background'), undefined)
  await until(
    'it is so',
    async () => (await client.resource(secrets).find('background-grandchild')) === undefined,
  )
  assert.is(await client.resource(configMaps).find('background-child'), undefined)
})

test('in the foreground an owner goes last (X-09)', async ({ plane }) => {
  const { client } = plane
  const maps = client.resource(configMaps)
  const owner = await family(plane, 'foreground', ['example.com/hold'])
  await maps.delete(owner, { propagationPolicy: 'Foreground' })
  const held = client.resource(secrets)
  await until(
    'it is so',
    async () => (await held.find('foreground-grandchild'))?.metadata.deletionTimestamp,
  )
  assert.equal((await maps.get('foreground')).metadata.finalizers, ['foregroundDeletion'])
  assert.equal((await maps.get('foreground-child')).metadata.finalizers, ['foregroundDeletion'])
  await held.mergePatch('foreground-grandchild', { metadata: { finalizers: null } })
  await until('it is so', async () => (await maps.find('foreground')) === undefined)
  assert.is(await maps.find('foreground-child'), undefined)
})

test('an owner that orphans leaves its dependents without it (X-10)', async ({ plane }) => {
  const { client } = plane
  const maps = client.resource(configMaps)
  const owner = await family(plane, 'orphan')
  await maps.delete(owner, { propagationPolicy: 'Orphan' })
  await until('it is so', async () => (await maps.find('orphan')) === undefined)
  assert.is((await maps.get('orphan-child')).metadata.ownerReferences, undefined)
  assert.ok(await client.resource(secrets).find('orphan-grandchild'))
})

test('jobs and replication controllers leave what they own, unless they are told to take it along (X-11)', async ({
  plane,
}) => {
  const { client } = plane
  const maps = client.resource(configMaps)
  const template = {
    metadata: { labels: { app: 'x' } },
    spec: { restartPolicy: 'Never' as const, containers: [{ name: 'main', image: 'work' }] },
  }
  const always = { ...template, spec: { ...template.spec, restartPolicy: 'Always' as const } }
  const owners = [
    [client.resource(jobs).in('default'), 'batch/v1', 'Job', { template }],
    [
      client.resource(replicationControllers).in('default'),
      ...(['v1', 'ReplicationController', { replicas: 0, template: always }] as const),
    ],
  ] as const
  for (const [resource, apiVersion, kind, spec] of owners) {
    for (const name of ['leaves', 'takes']) {
      const { uid } = (await resource.create({ metadata: { name }, spec } as never)).metadata
      const ownerReferences = [{ apiVersion, kind, name, uid, blockOwnerDeletion: true }]
      const part = `${kind.toLowerCase()}-${name}`
      await maps.create({ metadata: { name: part, ownerReferences } })
    }
    await resource.delete('leaves')
    await resource.delete('takes', { propagationPolicy: 'Background' })
    const [left, taken] = ['leaves', 'takes'].map((name) => `${kind.toLowerCase()}-${name}`)
    await until(`${kind} is gone`, async () => (await resource.find('leaves')) === undefined)
    assert.is((await maps.get(left!)).metadata.ownerReferences, undefined)
    await until(`its part is gone`, async () => (await maps.find(taken!)) === undefined)
  }
})

test('an object whose owner never was there goes, one of two owners stays without the absent one (X-13)', async ({
  plane,
}) => {
  const maps = plane.client.resource(configMaps)
  const owner = await maps.create({ metadata: { name: 'present' } })
  const absent = { apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: 'no-such-uid' }
  await maps.create({ metadata: { name: 'both', ownerReferences: [ownedBy(owner), absent] } })
  await maps.create({ metadata: { name: 'lost', ownerReferences: [absent] } })
  await until('it is so', async () => (await maps.find('lost')) === undefined)
  await until(
    'it is so',
    async () => (await maps.get('both')).metadata.ownerReferences?.length === 1,
  )
})

test('an owner of another namespace is none, which an event says (X-13)', async ({ plane }) => {
  const { client } = plane
  await client.resource(namespaces).create({ metadata: { name: 'elsewhere' } })
  const owner = await client.resource(configMaps).create({ metadata: { name: 'home' } })
  const { uid } = await client
    .resource(configMaps)
    .in('elsewhere')
    .create({
      metadata: { name: 'stray', ownerReferences: [ownedBy(owner)] },
    })
    .then(({ metadata }) => metadata)
  const found = await until('it is so', async () => {
    const { items } = await client.resource(events).in('elsewhere').listAll()
    return items.find(({ involvedObject }) => involvedObject.uid === uid)
  })
  assert.is(found.reason, 'OwnerRefInvalidNamespace')
  assert.is(found.type, 'Warning')
  assert.is(
    found.message,
    `ownerRef [v1/ConfigMap, namespace: elsewhere, name: home, uid: ${owner.metadata.uid}] does not exist in namespace "elsewhere"`,
  )
  assert.is(found.source?.component, 'garbage-collector-controller')
  await until(
    'it is so',
    async () => (await client.resource(configMaps).in('elsewhere').find('stray')) === undefined,
  )
})

test('dependents of an owner that is gone share an answer, and are not told that it is elsewhere if a cache has it still (X-13)', async (context) => {
  const { client } = context.plane
  const [filling, asked, deleted, filled] = [deferred(), deferred(), deferred(), deferred()]
  let questions = 0
  context.meanwhile = async ({ method, path, querystring, headers }, next) => {
    const isCollector = headers['user-agent']?.includes('controller-manager')
    if (method !== 'GET' || !path.includes('/things') || !isCollector) return next()
    if (querystring.includes('watch=true')) {
      filled.resolve()
      return next()
    }
    const isQuestion = path.endsWith('/a')
    if (isQuestion) {
      questions++
      asked.resolve()
      await deleted.promise
    }
    await next()
    if (isQuestion) return filled.promise
    filling.resolve()
    return deleted.promise
  }
  await client.resource(customResourceDefinitions).create(thingDefinition as never)
  const things = client.resource(dynamicKind(thingKind))
  const { metadata } = await until('things are served', () =>
    things.create({ metadata: { name: 'a' } }),
  )
  await filling.promise
  const owner = { apiVersion: 'example.com/v1', kind: 'Thing', name: 'a', uid: metadata.uid }
  const maps = client.resource(configMaps)
  const names = ['first', 'second', 'third']
  for (const name of names) {
    await maps.create({ metadata: { name, ownerReferences: [owner] } })
  }
  await asked.promise
  await things.delete('a', { propagationPolicy: 'Background' })
  deleted.resolve()
  for (const name of names) {
    await until(`${name} is gone`, async () => (await maps.find(name)) === undefined)
  }
  context.meanwhile = (_, next) => next()
  assert.is(questions, 1)
  const { items } = await client.resource(events).listAll()
  assert.equal(
    items.filter(({ involvedObject }) => names.includes(involvedObject.name ?? '')),
    [],
  )
})

/** An owner that is gone, and so many dependents whose deletion goes through `context.meanwhile`. */
async function orphans({ client }: ControlPlane, name: string, count: number) {
  const maps = client.resource(configMaps)
  const owner = await maps.create({ metadata: { name } })
  const names = Array.from({ length: count }, (_, at) => `${name}-${at}`)
  for (const one of names) {
    await maps.create({ metadata: { name: one, ownerReferences: [ownedBy(owner)] } })
  }
  await maps.delete(owner, { propagationPolicy: 'Background' })
  return names
}

test('the dependents of one owner do not wait for the many of another, which are all collected (X-13)', async (context) => {
  const { plane } = context
  const maps = plane.client.resource(configMaps)
  const [blocked, free] = [deferred(), deferred()]
  context.meanwhile = async ({ method, path }, next) => {
    if (method === 'DELETE' && path.includes('/many-')) {
      blocked.resolve()
      await free.promise
    }
    return next()
  }
  const names = await orphans(plane, 'many', 30)
  await blocked.promise
  await orphans(plane, 'few', 2)
  for (const name of ['few-0', 'few-1']) {
    await until(`${name} is gone`, async () => (await maps.find(name)) === undefined)
  }
  free.resolve()
  for (const name of names) {
    await until(`${name} is gone`, async () => (await maps.find(name)) === undefined)
  }
  context.meanwhile = (_, next) => next()
})

test('a dependent whose deletion fails holds up no other, and is tried again at a pace of its own (X-13)', async (context) => {
  const { plane } = context
  const maps = plane.client.resource(configMaps)
  let tries = 0
  context.meanwhile = async (request, next) => {
    if (request.method !== 'DELETE' || !request.path.endsWith('/stuck-0')) return next()
    tries += 1
    if (tries > 2) return next()
    request.status = 500
    request.body = 'not now'
  }
  for (const name of (await orphans(plane, 'stuck', 30)).toReversed()) {
    await until(`${name} is gone`, async () => (await maps.find(name)) === undefined)
  }
  context.meanwhile = (_, next) => next()
  assert.is(tries, 3)
})

test('what else changes of an owner while its dependents are let go refuses nothing, and another finalizer stays (X-10)', async (context) => {
  const { client } = context.plane
  const maps = client.resource(configMaps)
  const change = async (name: string, patch: object) => {
    await maps.mergePatch(name, patch as never)
  }
  const tries: string[] = []
  context.meanwhile = async ({ method, path, headers }, next) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const isFinish = method === 'PATCH' && (name === 'busy' || name === 'held')
    if (!isFinish || !headers['user-agent']?.includes('controller-manager')) return next()
    const isFirst = !tries.includes(name)
    tries.push(name)
    if (isFirst && name === 'busy') await change(name, { data: { a: 'b' } })
    if (isFirst && name === 'held')
      await change(name, { metadata: { finalizers: ['example.com/held', 'orphan'] } })
    return next()
  }
  for (const name of ['busy', 'held']) await family(context.plane, name)
  await change('held', { metadata: { finalizers: ['example.com/other', 'example.com/held'] } })
  for (const name of ['busy', 'held']) await maps.delete(name, { propagationPolicy: 'Orphan' })
  await until('it is gone', async () => (await maps.find('busy')) === undefined)
  await until('it is held by another', async () => {
    const { finalizers } = (await maps.get('held')).metadata
    return finalizers?.join() === 'example.com/held'
  })
  context.meanwhile = (_, next) => next()
  await change('held', { metadata: { finalizers: null } })
  assert.equal(tries.sort(), ['busy', 'held', 'held'])
})

test('owners in a circle go in the foreground, too', async ({ plane }) => {
  const maps = plane.client.resource(configMaps)
  const one = await maps.create({ metadata: { name: 'one' } })
  const other = await maps.create({ metadata: { name: 'other', ownerReferences: [ownedBy(one)] } })
  await maps.mergePatch('one', { metadata: { ownerReferences: [ownedBy(other)] } })
  await maps.delete('one', { propagationPolicy: 'Foreground' })
  await until(
    'it is so',
    async () => (await maps.find('one')) === undefined && (await maps.find('other')) === undefined,
  )
})

test.run()
