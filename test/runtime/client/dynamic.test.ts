// Kinds that are known only at run time, against a whole API server in this process.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { customResourceDefinitions } from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import { platform } from '../../../generated/platform.ts'
import { type Client, createClient, type Transport } from '../../../runtime/client/client.ts'
import { type ControlPlane, startControlPlane } from '../../../runtime/testing/control-plane.ts'
import { hangSignal } from '../../support/deadline.ts'
import { assertRejects } from '../../support/rejects.ts'
import { until } from '../../support/until.ts'
import { widgetDefinition } from '../../support/widgets.ts'

const test = suite<{ plane: ControlPlane; client: Client; paths: string[] }>(
  'runtime/client: kinds known at run time',
)

test.before.each(async (context) => {
  context.plane = await startControlPlane()
  context.paths = []
  context.client = createClient(recorded(context.plane.transport, context.paths), { platform })
})

test.after.each(({ plane }) => plane.stop())

function recorded(transport: Transport, paths: string[]): Transport {
  return {
    send(request) {
      paths.push(request.path)
      return transport.send(request)
    },
    close: async () => {},
  }
}

/** The same server without aggregated discovery, as those before release 1.26 are. */
function withoutAggregated(transport: Transport): Transport {
  return {
    send: (request) =>
      transport.send({ ...request, headers: { ...request.headers, accept: 'application/json' } }),
    close: async () => {},
  }
}

const names: readonly [string, unknown][] = [
  ['its plural', 'deployments'],
  ['its singular', 'deployment'],
  ['its kind', 'Deployment'],
  ['a short name', 'deploy'],
  ['plural and group', 'deployments.apps'],
  ['plural, version and group', 'deployments.v1.apps'],
  ['what an object says', { apiVersion: 'apps/v1', kind: 'Deployment' }],
  ['group and kind', { group: 'apps', kind: 'Deployment' }],
  ['group, version and resource', { group: 'apps', version: 'v1', resource: 'deployments' }],
]

for (const [by, reference] of names) {
  test(`a kind is found by ${by}`, async ({ client }) => {
    const { kind } = await client.dynamic(reference as string)
    assert.equal([kind.group, kind.version, kind.kind], ['apps', 'v1', 'Deployment'])
  })
}

test('a kind of the core group is found, and every verb works', async ({ client }) => {
  const maps = await client.dynamic({ apiVersion: 'v1', kind: 'ConfigMap' })
  const created = await maps.create({ metadata: { name: 'x' }, data: { a: '1' } })
  assert.is(created.kind, 'ConfigMap')
  assert.is((await maps.update({ ...created, data: { a: '2' } })).data.a, '2')
  assert.is((await maps.mergePatch('x', { data: { a: '3' } })).data.a, '3')
  const replaced = await maps.jsonPatch('x', [{ op: 'replace', path: '/data/a', value: '4' }])
  assert.is(replaced.data.a, '4')
  await maps.apply({ metadata: { name: 'y' }, data: { b: '1' } })
  assert.equal(
    (await maps.in('default').listAll()).items.map(({ metadata }) => metadata.name),
    ['x', 'y'],
  )
  for await (const { object } of maps.watch({ fieldSelector: 'metadata.name=y' }, hangSignal())) {
    assert.is(object.data.b, '1')
    break
  }
  await maps.delete('x')
  assert.is(await maps.find('x'), undefined)
  await maps.in('default').deleteCollection({})
  assert.is(await maps.find('y'), undefined)
})

test('subresources are read, written and called', async ({ client }) => {
  const deployments = await client.dynamic('deployments')
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  }
  await deployments.create({
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: { a: 'b' } }, template },
  })
  await deployments.mergePatch('web', { spec: { replicas: 3 } }, { subresource: 'scale' })
  const scale = await deployments.getSubresource<{ spec: unknown }>('web', 'scale')
  assert.equal(scale.spec, { replicas: 3 })
  await deployments.scale('web').patch({ spec: { replicas: 4 } })
  assert.equal((await deployments.scale('web').get()).spec, { replicas: 4 })
  const maps = await client.dynamic('configmaps')
  assert.throws(
    () => maps.scale('x'),
    ({ message }: Error) =>
      message === 'configmaps declares no subresource "scale": it declares none',
  )
  const web = await deployments.get('web')
  const { status } = await deployments.updateStatus({ ...web, status: { replicas: 3 } })
  assert.is(status.replicas, 3)
  const accounts = await client.dynamic('serviceaccounts')
  const missing = await assertRejects(accounts.createSubresource('none', 'token', {}), 'NotFound')
  assert.match(missing.message, 'none')
})

test('the server is asked once, and again for a kind that it did not have', async ({
  plane,
  client,
  paths,
}) => {
  await client.dynamic('pods')
  await client.dynamic('deployments.apps')
  assert.equal(paths, ['/api', '/apis'])
  await assertRejects(client.dynamic('widgets'), 'NotFound')
  await plane.client.resource(customResourceDefinitions).create(widgetDefinition)
  const widgets = await until('widgets', () => client.dynamic('wd').catch(() => undefined))
  assert.is(widgets.kind.plural, 'widgets')
})

test('kinds are the same with and without aggregated discovery', async ({ plane, client }) => {
  const older = createClient(withoutAggregated(plane.transport), { platform })
  const plain = ({ read: _, ...kind }: { readonly read: unknown }) => kind
  const sorted = async (kinds: Promise<readonly { read: unknown }[]>) =>
    (await kinds).map((kind) => JSON.stringify(plain(kind))).sort()
  assert.equal(await sorted(older.kinds()), await sorted(client.kinds()))
  assert.is((await older.dynamic('deploy')).kind.group, 'apps')
})

test('a group of the platform is found by either of its names', async ({ client }) => {
  const own = await client.dynamic({ group: 'coordination.orch.io', kind: 'Lease' })
  const other = await client.dynamic('leases.coordination.k8s.io')
  assert.is(own.kind.group, other.kind.group)
})

test('a group version whose server does not answer hides no other', async ({ plane }) => {
  const unavailable = { status: 503, headers: {}, body: (async function* () {})() }
  const broken: Transport = {
    send: async (request) =>
      request.path === '/apis/apps/v1'
        ? unavailable
        : withoutAggregated(plane.transport).send(request),
    close: async () => {},
  }
  const client = createClient(broken, { platform })
  assert.is((await client.dynamic('pods')).kind.kind, 'Pod')
  const { message } = await assertRejects(client.dynamic('deployments.apps'), 'NotFound')
  assert.match(message, 'it could not tell what is in apps/v1')
})

const wrong: readonly [unknown, string][] = [
  ['deploymentz', 'the server serves no "deploymentz"; did you mean "deployment"?'],
  ['deployments.app', 'the server serves no "deployments.app": there is deployments.apps'],
  ['deploymnts.apps', 'the server serves no "deploymnts.apps"; did you mean "deployments.apps"?'],
  ['deployments.v3.apps', 'the server serves no "deployments.v3.apps": there is apps/v1'],
  [
    { apiVersion: 'apps/v1beta1', kind: 'Deployment' },
    'the server serves no Deployment of apps/v1beta1: there is apps/v1',
  ],
  [{ group: '', kind: 'Pods' }, 'the server serves no Pods of the core group; did you mean "Pod"?'],
  ['nothing-like-it', 'the server serves no "nothing-like-it"'],
]

for (const [reference, message] of wrong) {
  test(`an unknown kind: ${message}`, async ({ client }) => {
    const error = await assertRejects(client.dynamic(reference as string), 'NotFound')
    assert.is(error.message, message)
  })
}

test.run()
