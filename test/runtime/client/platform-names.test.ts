// One tree of kinds against servers of both names, each a whole API server in this process.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Deployment, deployments } from '../../../generated/apis/apps/v1/deployment.ts'
import { leases } from '../../../generated/apis/coordination/v1.ts'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { secrets } from '../../../generated/apis/core/v1/secret.ts'
import { roleBindings } from '../../../generated/apis/rbac/v1.ts'
import { platform } from '../../../generated/platform.ts'
import { publicNames, wellKnown } from '../../../generated/well-known.ts'
import {
  type Client,
  createClient,
  type PartOf,
  type Transport,
} from '../../../runtime/client/client.ts'
import { renamed } from '../../../runtime/client/renamed.ts'
import type { Scheme } from '../../../runtime/kernel/descriptors/scheme.ts'
import { ownedBy } from '../../../runtime/reconcile/reconcile.ts'
import { startControlPlane } from '../../../runtime/testing/control-plane.ts'
import { compiledScheme } from '../../../tools/orch/compiled-scheme.ts'
import { hangSignal } from '../../support/deadline.ts'

const test = suite('runtime/client: names of the platform')

const schemes: readonly [string, string, () => Promise<Scheme | undefined>][] = [
  [
    'public names',
    'coordination.k8s.io',
    () => compiledScheme({ platform: 'schemas/platform/kubernetes.yaml' }, console.error),
  ],
  ['its own names', 'coordination.orch.io', async () => undefined],
]

for (const [name, group, schemeOf] of schemes) {
  test(`every verb reaches a server of ${name}, and callers see the names of their kinds`, async () => {
    const scheme = await schemeOf()
    await using plane = await startControlPlane(scheme === undefined ? {} : { scheme })
    const paths: string[] = []
    const transport: Transport = {
      send(request) {
        paths.push(request.path.replace(/\?.*/, ''))
        return plane.transport.send(request)
      },
      close: async () => {},
    }
    const client = createClient(transport, { platform, manager: 'm' })
    await everyVerb(client)
    assert.is(paths.filter((path) => path === '/apis').length, 1)
    const asked = paths.filter((path) => path.includes('leases'))
    assert.ok(asked.length > 6)
    for (const path of asked) assert.match(path, `/apis/${group}/v1/`)
    const raw = createClient(plane.transport).resource(configMaps)
    const { ownerReferences = [] } = (await raw.get('owned')).metadata
    assert.is(ownerReferences[0]?.apiVersion, `${group}/v1`)
  })
}

for (const [name, group, schemeOf] of schemes) {
  const [domain, api] = group.endsWith('k8s.io')
    ? ['kubernetes.io', 'k8s.io']
    : ['orch.io', 'orch.io']

  test(`well-known names are those of a server of ${name}, in whatever is written and read`, async () => {
    const scheme = await schemeOf()
    await using plane = await startControlPlane(scheme === undefined ? {} : { scheme })
    const client = createClient(plane.transport, { platform, publicNames, manager: 'm' })
    // What a client without translations sees: the names of the server.
    const raw = createClient(plane.transport)
    const [maps, rawMaps] = [client.resource(configMaps), raw.resource(configMaps)]
    const labels = {
      [wellKnown.appName]: 'shop',
      colour: 'red',
      'nginx.ingress.kubernetes.io/x': '1',
    }
    const served = {
      [`app.${domain}/name`]: 'shop',
      colour: 'red',
      'nginx.ingress.kubernetes.io/x': '1',
    }
    const created = await maps.create({
      metadata: {
        name: 'a',
        labels,
        annotations: { [wellKnown.changeCause]: 'it was time', key: wellKnown.os },
      },
      data: { key: wellKnown.hostname },
    })
    assert.equal(created.metadata.labels, labels)
    const stored = await rawMaps.get('a')
    assert.equal(stored.metadata.labels, served)
    assert.equal(stored.metadata.annotations, {
      [`${domain}/change-cause`]: 'it was time',
      key: wellKnown.os,
    })
    assert.equal(stored.data, { key: wellKnown.hostname }, 'data belongs to its author')

    const updated = await maps.update({ ...created, data: { key: 'other' } })
    assert.equal(updated.metadata.labels, labels)
    await maps.mergePatch('a', { metadata: { labels: { [wellKnown.zone]: 'b' } } })
    const path = `/metadata/labels/${wellKnown.region.replace('/', '~1')}` as const
    await maps.jsonPatch('a', [{ op: 'add', path, value: 'eu' } as never])
    assert.is((await rawMaps.get('a')).metadata.labels?.[`topology.${domain}/zone`], 'b')
    assert.is((await rawMaps.get('a')).metadata.labels?.[`topology.${domain}/region`], 'eu')

    const selector = `${wellKnown.zone} in (a, b),${wellKnown.appName}=shop,!${wellKnown.os}`
    const { items } = await maps.listAll({ labelSelector: selector })
    assert.equal(
      items.map((item) => item.metadata.labels?.[wellKnown.region]),
      ['eu'],
    )
    for await (const { object } of maps.watch({ labelSelector: wellKnown.zone }, hangSignal())) {
      assert.is(object.metadata.labels?.[wellKnown.zone], 'b')
      break
    }

    const applied = await client.resource(deployments).apply(workload)
    assert.equal(fieldsOf(applied), fieldsOf(workload), 'what was applied is what is read')
    const fields = JSON.stringify(applied.metadata.managedFields)
    assert.ok(fields.includes(`"f:${wellKnown.appName}"`), fields)
    assert.ok(fields.includes(`topologyKey\\":\\"${wellKnown.zone}`), fields)
    assert.not.ok(fields.includes('kubernetes.io'), fields)
    const text = JSON.stringify((await raw.resource(deployments).get('web')).spec)
    for (const key of [
      `${domain}/hostname`,
      `node.${domain}/not-ready`,
      `topology.${domain}/zone`,
    ]) {
      assert.ok(text.includes(`"${key}"`), `${key} in ${text}`)
    }
    assert.is(text.includes('"value":"orch.io/os"'), true, 'a variable belongs to its author')

    await client.resource(roleBindings).create({
      metadata: { name: 'readers' },
      roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'view' },
    })
    const created2 = await client.resource(secrets).create({
      metadata: { name: 's', finalizers: [wellKnown.persistentVolumeClaimProtection] },
      type: wellKnown.secretTypeTls,
      stringData: { 'tls.crt': '', 'tls.key': '' },
    })
    assert.is(created2.type, 'orch.io/tls')
    const secret = await raw.resource(secrets).get('s')
    assert.is(secret.type, `${domain}/tls`)
    assert.equal(secret.metadata.finalizers, [`${domain}/pvc-protection`])
    const found = await client
      .resource(secrets)
      .listAll({ fieldSelector: `type=${wellKnown.secretTypeTls}` })
    assert.is(found.items.length, 1)
    const binding = await plane.client
      .resource(roleBindings)
      .get('readers')
      .catch(() => undefined)
    if (api === 'orch.io') assert.is(binding?.roleRef.apiGroup, 'rbac.authorization.orch.io')
  })
}

/** A workload that mentions names wherever they can stand. */
const workload = {
  metadata: { name: 'web', labels: { [wellKnown.appName]: 'web' } },
  spec: {
    selector: { matchLabels: { [wellKnown.appName]: 'web' } },
    template: {
      metadata: { labels: { [wellKnown.appName]: 'web' } },
      spec: {
        containers: [{ name: 'a', image: 'a', env: [{ name: 'N', value: 'orch.io/os' }] }],
        nodeSelector: { [wellKnown.hostname]: 'n' },
        tolerations: [{ key: wellKnown.taintNotReady, operator: 'Exists' }],
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: wellKnown.zone,
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: {
              matchExpressions: [{ key: wellKnown.appName, operator: 'In', values: ['web'] }],
            },
          },
        ],
      },
    },
  },
} as const

function fieldsOf({ spec }: { readonly spec?: PartOf<Deployment>['spec'] }): unknown {
  const { nodeSelector, tolerations, topologySpreadConstraints } = spec?.template?.spec ?? {}
  return { selector: spec?.selector, nodeSelector, tolerations, topologySpreadConstraints }
}

test('requests that are sent at once ask a server once for its names', async () => {
  await using plane = await startControlPlane()
  const paths: string[] = []
  const transport: Transport = {
    send(request) {
      paths.push(request.path.replace(/\?.*/, ''))
      return plane.transport.send(request)
    },
    close: async () => {},
  }
  const client = createClient(transport, { platform, publicNames })
  await Promise.all([1, 2, 3].map(() => client.resource(configMaps).listAll()))
  assert.equal(
    paths.filter((path) => path === '/apis'),
    ['/apis'],
  )
})

test('an object that has both names of something keeps them in both directions', () => {
  const names = new Map([['orch.io/os', 'kubernetes.io/os']])
  const object = { metadata: { labels: { 'orch.io/os': 'a', 'kubernetes.io/os': 'b' } } }
  assert.is(renamed(object, names), object)
  const parsed = JSON.parse('{"labels":{"__proto__":"x","orch.io/os":"a"}}')
  assert.is(
    JSON.stringify(renamed(parsed, names)),
    '{"labels":{"__proto__":"x","kubernetes.io/os":"a"}}',
  )
})

/** Creates, reads, changes and watches a lease, and something that it owns. */
async function everyVerb(client: Client): Promise<void> {
  const held = client.resource(leases).in('default')
  const version = 'coordination.orch.io/v1'
  const lease = await held.create({ metadata: { name: 'l' }, spec: { holderIdentity: 'a' } })
  assert.is(lease.apiVersion, version)
  const updated = await held.update({ ...lease, spec: { holderIdentity: 'b' } })
  assert.is(updated.spec?.holderIdentity, 'b')
  const patched = await held.mergePatch('l', { spec: { leaseDurationSeconds: 5 } })
  assert.is(patched.apiVersion, version)
  await held.apply({ metadata: { name: 'applied' }, spec: { holderIdentity: 'c' } })
  const { items } = await held.listAll()
  assert.equal(
    items.map((item) => `${item.metadata.name} ${item.apiVersion}`),
    [`applied ${version}`, `l ${version}`],
  )
  const maps = client.resource(configMaps).in('default')
  const ownerReferences = [ownedBy(lease)]
  await maps.create({ metadata: { name: 'owned', ownerReferences } })
  const found = (await maps.listAll()).items.find(({ metadata }) => metadata.name === 'owned')
  assert.is(found?.metadata.ownerReferences?.[0]?.apiVersion, version)
  for await (const { object } of held.watch({}, hangSignal())) {
    assert.is(object.apiVersion, version)
    break
  }
  await held.delete('applied')
  assert.is(await held.find('applied'), undefined)
}

test.run()
