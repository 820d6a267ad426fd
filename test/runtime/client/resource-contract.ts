import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../generated/apis/apps/v1/deployment.ts'
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import type { Client, Resource, Write } from '../../../runtime/client/client.ts'
import { StatusError } from '../../../runtime/kernel/errors/status-error.ts'
import { hangSignal } from '../../support/deadline.ts'
import { assertRejects } from '../../support/rejects.ts'

/** A client of a fresh server. Its writes are those of the manager `client`. */
export interface OpenClient {
  readonly client: Client
  /** A client whose names without a namespace are looked up in this one. */
  clientIn(namespace: string): Client
  stop(): Promise<void>
}

/** The promises of `Resource`, whatever carries the requests. */
export function resourceContract(name: string, open: () => Promise<OpenClient>): void {
  const test = suite<{ plane: OpenClient; maps: Resource<ConfigMap> }>(name)

  test.before.each(async (context) => {
    context.plane = await open()
    context.maps = context.plane.client.resource(configMaps)
  })

  test.after.each(({ plane }) => plane.stop())

  test('what is created is got, with kind, uid and version', async ({ maps }) => {
    const created = await maps.create({ metadata: { name: 'x' }, data: { a: '1' } })
    assert.is(created.kind, 'ConfigMap')
    assert.is(created.metadata.namespace, 'default')
    assert.match(created.metadata.uid, /^[0-9a-f-]{36}$/)
    assert.equal(await maps.get('x'), created)
    assert.equal(await maps.get({ namespace: 'default', name: 'x' }), created)
  })

  test('an object that is not there is NotFound, or undefined', async ({ maps }) => {
    const error = await assertRejects(maps.get('x'), 'NotFound')
    assert.is(error.message, 'configmaps "x" not found')
    assert.is(await maps.find('x'), undefined)
  })

  // A4.57: a stale version gives 409.
  test('of two updates of one version the second is a Conflict', async ({ maps }) => {
    const first = await maps.create({ metadata: { name: 'x' } })
    await maps.update({ ...first, data: { a: 'mine' } })
    await assertRejects(maps.update({ ...first, data: { a: 'yours' } }), 'Conflict')
  })

  test('a merge patch sets, removes and leaves alone', async ({ maps }) => {
    await maps.create({ metadata: { name: 'x' }, data: { a: '1', b: '2' } })
    const patched = await maps.mergePatch('x', { data: { a: null, c: '3' } })
    assert.equal(patched.data, { b: '2', c: '3' })
  })

  test('a JSON patch applies as a whole or not at all', async ({ maps }) => {
    await maps.create({ metadata: { name: 'x' }, data: { a: '1' } })
    const patched = await maps.jsonPatch('x', [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'add', path: '/data/b', value: '2' },
    ])
    assert.equal(patched.data, { a: '1', b: '2' })
    const failing = maps.jsonPatch('x', [
      { op: 'remove', path: '/data/a' },
      { op: 'test', path: '/data/b', value: 'no' },
    ])
    await assertRejects(failing, 'Invalid')
    assert.equal((await maps.get('x')).data, { a: '1', b: '2' })
  })

  test('a dry run stores nothing, and no listener hears of it', async ({ plane }) => {
    const writes: Write[] = []
    const client = plane.client.scoped({ onWrite: (write) => writes.push(write) })
    await client.resource(configMaps).create({ metadata: { name: 'x' } }, { dryRun: true })
    assert.is(await client.resource(configMaps).find('x'), undefined)
    assert.is(writes.length, 0)
  })

  test('what asks before writes ends those that it refuses, and is not asked about reads', async ({
    plane,
  }) => {
    let asked = 0
    let open = true
    const outer = plane.client.scoped({ beforeWrite: () => void asked++ })
    const client = outer.scoped({
      beforeWrite() {
        if (!open) throw new StatusError('ServiceUnavailable', 'not now')
      },
    })
    const maps = client.resource(configMaps)
    const x = await maps.create({ metadata: { name: 'x' } })
    assert.ok(asked > 0)
    open = false
    for (const write of [
      () => maps.create({ metadata: { name: 'y' } }),
      () => maps.update(x),
      () => maps.mergePatch('x', { data: { a: '1' } }),
      () => maps.jsonPatch('x', []),
      () => maps.apply({ metadata: { name: 'x' } }),
      () => maps.createSubresource('x', 'token', {}),
      () => maps.delete('x'),
      () => maps.in('default').deleteCollection({}),
    ]) {
      assert.match((await assertRejects(write(), 'ServiceUnavailable')).message, 'not now')
    }
    const before = asked
    assert.equal((await maps.listAll()).items.length, 1)
    assert.equal((await maps.get('x')).metadata, x.metadata)
    assert.is(asked, before)
  })

  test('listeners hear of every write', async ({ plane }) => {
    const writes: string[] = []
    const client = plane.client.scoped({
      onWrite: ({ kind, name, resourceVersion }) =>
        writes.push(`${kind.plural} ${name} ${resourceVersion === undefined ? 'gone' : 'there'}`),
    })
    const maps = client.resource(configMaps)
    await maps.create({ metadata: { name: 'x', finalizers: ['example.com/held'] } })
    await maps.delete('x')
    await maps.mergePatch('x', { metadata: { finalizers: [] } })
    assert.is(writes[0], 'configmaps x there')
    assert.is(writes.length, 3)
  })

  // A4.58, A4.60-A4.64
  test('an apply makes an object, and later only what is its own', async ({ maps }) => {
    const made = await maps.apply({ metadata: { name: 'x' }, data: { a: '1', b: '1' } })
    await maps.mergePatch('x', { data: { c: '1' } })
    const applied = await maps.apply({ metadata: { name: 'x' }, data: { a: '2' } })
    assert.equal(applied.data, { a: '2', c: '1' })
    assert.is(applied.metadata.uid, made.metadata.uid)
    const again = await maps.apply({ metadata: { name: 'x' }, data: { a: '2' } })
    assert.is(again.metadata.resourceVersion, applied.metadata.resourceVersion)
    const appliers = again.metadata.managedFields?.filter((one) => one.operation === 'Apply')
    assert.equal(
      appliers?.map(({ manager }) => manager),
      ['client'],
    )
  })

  test('an apply of another manager conflicts until it forces', async ({ maps }) => {
    const intent = (a: string) => ({ metadata: { name: 'x' }, data: { a } })
    await maps.apply(intent('mine'))
    const error = await assertRejects(maps.apply(intent('yours'), { manager: 'other' }), 'Conflict')
    assert.equal(error.details?.causes, [
      { reason: 'FieldManagerConflict', field: '.data.a', message: 'conflict with "client"' },
    ])
    const forced = await maps.apply(intent('yours'), { manager: 'other', force: true })
    assert.equal(forced.data, { a: 'yours' })
  })

  test('metadata alone can be listed, where there is none, too', async ({ plane }) => {
    const maps = plane.client.resource(configMaps)
    assert.equal((await maps.listAll({ metadataOnly: true })).items, [])
    await maps.create({ metadata: { name: 'x' }, data: { a: '1' } })
    const { items } = await maps.listAll({ metadataOnly: true })
    assert.is(items[0]?.metadata.name, 'x')
  })

  test('an apply goes to the namespace of its intent, and a dry run nowhere', async ({ plane }) => {
    const writes: string[] = []
    const wrote = ({ namespace, name }: Write) => writes.push(`${namespace}/${name}`)
    const maps = plane.client.scoped({ onWrite: wrote }).resource(configMaps)
    await maps.apply({ metadata: { name: 'x', namespace: 'orch-system' } })
    await maps.in('orch-system').apply({ metadata: { name: 'y' } }, { dryRun: true })
    assert.equal(writes, ['orch-system/x'])
    const { items } = await maps.in('orch-system').listAll()
    assert.equal(
      items.map(({ metadata }) => metadata.name),
      ['x'],
    )
  })

  test('a status is applied apart', async ({ plane }) => {
    const webs = plane.client.resource(deployments)
    const labels = { app: 'web' }
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    }
    const spec = { selector: { matchLabels: labels }, template }
    await webs.apply({ metadata: { name: 'web' }, spec })
    const status = { replicas: 3 }
    const told = await webs.apply({ metadata: { name: 'web' }, status }, { subresource: 'status' })
    assert.is(told.status?.replicas, 3)
    assert.is(told.spec?.template.spec?.containers[0]?.image, 'web:1')
  })

  test('a deletion gives the uid of what went', async ({ maps }) => {
    const { metadata } = await maps.create({ metadata: { name: 'x' } })
    assert.is((await maps.delete('x')).uid, metadata.uid)
    assert.is(await maps.find('x'), undefined)
  })

  test('a deletion of another object of that name is a Conflict', async ({ maps }) => {
    const old = await maps.create({ metadata: { name: 'x' } })
    await maps.delete(old)
    await maps.create({ metadata: { name: 'x' } })
    await assertRejects(maps.delete(old), 'Conflict')
  })

  test('a deletion may ask that nothing has changed', async ({ maps }) => {
    const old = await maps.create({ metadata: { name: 'x' } })
    await maps.mergePatch('x', { data: { a: '1' } })
    await assertRejects(maps.delete(old, { unchanged: true }), 'Conflict')
    await maps.delete(old)
  })

  test('a collection spans all namespaces, or one', async ({ plane, maps }) => {
    await plane.client.resource(namespaces).create({ metadata: { name: 'web' } })
    await maps.in('web').create({ metadata: { name: 'x' } })
    await maps.create({ metadata: { name: 'x' } })
    assert.is((await maps.listAll()).items.length, 2)
    const { items } = await maps.in('web').listAll()
    assert.equal(
      items.map(({ kind, metadata }) => [kind, metadata.namespace]),
      [['ConfigMap', 'web']],
    )
    await maps.in('web').deleteCollection({})
    assert.is((await maps.listAll()).items.length, 1)
  })

  // A4.45: chunks of one snapshot.
  test('pages are of one revision', async ({ maps }) => {
    for (const name of ['a', 'b', 'c']) await maps.create({ metadata: { name } })
    const names: string[] = []
    for await (const { metadata } of maps.list({ pageSize: 1 })) {
      if (names.length === 0) await maps.delete('c')
      names.push(metadata.name)
    }
    assert.equal(names, ['a', 'b', 'c'])
  })

  test('selectors choose', async ({ maps }) => {
    await maps.create({ metadata: { name: 'a', labels: { app: 'x' } } })
    await maps.create({ metadata: { name: 'b', labels: { app: 'y' } } })
    const byLabel = await maps.listAll({ labelSelector: 'app in (x)' })
    const byField = await maps.listAll({ fieldSelector: 'metadata.name=b' })
    assert.equal(
      [...byLabel.items, ...byField.items].map(({ metadata }) => metadata.name),
      ['a', 'b'],
    )
  })

  // A4.43: list, take the version, watch from it without missing events.
  test('a watch goes on where a list ended', async ({ maps }) => {
    const { resourceVersion } = await maps.listAll()
    const x = await maps.create({ metadata: { name: 'x' } })
    await maps.update({ ...x, data: { a: '1' } })
    await maps.delete('x')
    const stop = new AbortController()
    const seen: string[] = []
    for await (const { type, object } of maps.watch({ resourceVersion }, stop.signal)) {
      seen.push(`${type} ${object.metadata.name}`)
      if (seen.length === 3) stop.abort()
    }
    assert.equal(seen, ['ADDED x', 'MODIFIED x', 'DELETED x'])
  })

  test('the scale of an object is read, replaced and patched', async ({ plane: { client } }) => {
    const servers = client.resource(deployments)
    const labels = { a: 'b' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    await servers.create({
      metadata: { name: 'web' },
      spec: { selector: { matchLabels: labels }, template },
    })
    const size = servers.in('default').scale('web')
    const first = await size.get()
    assert.is(first.kind, 'Scale')
    assert.equal(first.spec, { replicas: 1 })
    const writes: Write[] = []
    const scoped = client.scoped({ onWrite: (write) => writes.push(write) })
    const again = scoped.resource(deployments).scale({ namespace: 'default', name: 'web' })
    const replaced = await again.update({ ...first, spec: { replicas: 2 } })
    assert.equal(replaced.spec, { replicas: 2 })
    assert.is(writes[0]?.resourceVersion, (await servers.get('web')).metadata.resourceVersion)
    assert.is(writes[0]?.object, undefined)
    await assertRejects(size.update({ ...first, spec: { replicas: 5 } }), 'Conflict')
    assert.equal((await size.patch({ spec: { replicas: 3 } })).spec, { replicas: 3 })
    assert.is((await servers.get('web')).spec?.replicas, 3)
    await size.patch({ spec: { replicas: 9 } }, { dryRun: true })
    assert.equal((await size.get()).spec, { replicas: 3 })
    await assertRejects(servers.scale('none').get(), 'NotFound')
  })

  test('a scope ends every watch', async ({ plane }) => {
    const stop = new AbortController()
    const client = plane.client.scoped({ signal: stop.signal })
    const watch = client.resource(configMaps).watch({}, hangSignal())
    const ended = (async () => {
      for await (const _ of watch) stop.abort()
    })()
    await plane.client.resource(configMaps).create({ metadata: { name: 'x' } })
    await ended
  })

  test('names without a namespace are looked up in that of the client', async ({ plane }) => {
    const client = plane.clientIn('orch-system')
    const { metadata } = await client.resource(configMaps).create({ metadata: { name: 'x' } })
    assert.is(metadata.namespace, 'orch-system')
  })

  test.run()
}
