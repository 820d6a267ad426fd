// One tree of kinds against servers of both names, each a whole API server in this process.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leases } from '../../../generated/apis/coordination/v1.ts'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { platform } from '../../../generated/platform.ts'
import { type Client, createClient, type Transport } from '../../../runtime/client/client.ts'
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
