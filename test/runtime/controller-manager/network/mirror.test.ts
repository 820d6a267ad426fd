/** Endpoints that people write, mirrored to slices (T-13). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { endpoints } from '../../../../generated/apis/core/v1/endpoints.ts'
import { services } from '../../../../generated/apis/core/v1/service.ts'
import { endpointSlices } from '../../../../generated/apis/discovery/v1.ts'
import { decideMirror } from '../../../../runtime/controller-manager/network/decide-mirror.ts'
import { startControlPlane } from '../../../../runtime/testing/testing.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager: mirrored slices (T-13)')

const rules = {
  ...{ serviceLabel: 'service', managerLabel: 'manager', manager: 'mirror' },
  ...{ ownAnnotations: ['applied'], most: 3 },
}
const http = { name: 'http', port: 80, protocol: 'TCP' } as const
const ips = (...list: string[]) => list.map((ip) => ({ ip }))
const decide = (
  subsets: readonly object[],
  slices: readonly object[] = [],
  metadata: object = {},
) =>
  decideMirror(
    { metadata: { name: 'db', uid: 'u', ...metadata }, subsets } as never,
    slices as never,
    rules,
  )
const shown = (plan: ReturnType<typeof decide>) =>
  plan.create.map(({ addressType, ports, endpoints: list }) => [
    addressType,
    ports?.map(({ port }) => port),
    list.map(({ addresses, conditions }) => [addresses[0], conditions?.ready]),
  ])

test('there is one slice for each set of ports and family of addresses', () => {
  const plan = decide([
    { addresses: ips('10.0.0.1', 'fd00::1'), notReadyAddresses: ips('10.0.0.2'), ports: [http] },
    { addresses: ips('10.0.0.3'), ports: [{ port: 53, protocol: 'UDP' }] },
  ])
  assert.equal(shown(plan).sort(), [
    ['IPv4', [53], [['10.0.0.3', true]]],
    [
      'IPv4',
      [80],
      [
        ['10.0.0.1', true],
        ['10.0.0.2', false],
      ],
    ],
    ['IPv6', [80], [['fd00::1', true]]],
  ])
  assert.equal([plan.invalid, plan.skipped], [0, 0])
})

test('what is said twice is mirrored once, and is not ready if one says so', () => {
  const plan = decide([
    { addresses: ips('10.0.0.1'), ports: [http] },
    { notReadyAddresses: ips('10.0.0.1'), ports: [http] },
  ])
  assert.equal(shown(plan), [['IPv4', [80], [['10.0.0.1', false]]]])
})

test('names that are no addresses, and addresses beyond the most of a subset, are left out', () => {
  const addresses = ips('10.0.0.1', 'name', '10.0.0.2', '10.0.0.3', '10.0.0.4')
  const plan = decide([{ addresses, ports: [http] }])
  assert.is(plan.create[0]?.endpoints.length, 3)
  assert.equal([plan.invalid, plan.skipped], [1, 2])
})

test('slices that are right stay, one that would go is used again, others go', () => {
  const subsets = [{ addresses: ips('10.0.0.1'), ports: [http] }]
  const [made] = decide(subsets, [], { labels: { a: 'b' } }).create
  const slice = { ...made, metadata: { ...made?.metadata, name: 'db-1' } }
  const labels = { labels: { a: 'b' }, annotations: { applied: 'x' } }
  const none = decide(subsets, [slice], labels)
  assert.equal([none.create, none.update, none.remove], [[], [], []])
  assert.is(decide(subsets, [slice], { labels: { a: 'c' } }).update.length, 1)
  assert.is(decide(subsets, [slice], { ...labels, annotations: { note: 'y' } }).update.length, 1)
  const moved = [{ addresses: ips('10.0.0.1'), ports: [{ ...http, port: 81 }] }]
  const reused = decide(moved, [slice], labels)
  assert.equal([reused.create.length, reused.remove.length], [0, 0])
  assert.equal([reused.update[0]?.metadata.name, reused.update[0]?.ports?.[0]?.port], ['db-1', 81])
  assert.is(decide([], [slice], labels).remove.length, 1)
})

test('endpoints of a service without a selector have slices while they may be mirrored', async () => {
  await using plane = await startControlPlane({
    authorization: 'RBAC',
    controllers: ['endpointslice-mirroring-controller'],
  })
  const own = plane.client.resource(endpoints).in('default')
  const slices = async () =>
    (
      await plane.client
        .resource(endpointSlices)
        .in('default')
        .listAll({ labelSelector: 'orch.io/service-name=db' })
    ).items
  const all = plane.client.resource(services).in('default')
  await own.create({
    metadata: { name: 'db' },
    subsets: [{ addresses: ips('10.0.0.1'), ports: [{ port: 5432 }] }],
  })
  await all.create({ metadata: { name: 'db' }, spec: { ports: [{ port: 5432 }] } })
  const [slice] = await until('it is mirrored', async () => {
    const found = await slices()
    return found.length === 1 ? found : undefined
  })
  assert.match(slice?.metadata.name ?? '', /^db-/)
  assert.equal(slice?.metadata.labels, {
    'endpointslice.orch.io/managed-by': 'endpointslicemirroring-controller.orch.io',
    'orch.io/service-name': 'db',
  })
  const owner = slice?.metadata.ownerReferences?.[0]
  assert.equal(
    [owner?.apiVersion, owner?.kind, owner?.name, owner?.controller, owner?.blockOwnerDeletion],
    ['v1', 'Endpoints', 'db', true, true],
  )
  assert.equal(slice?.ports, [{ name: '', port: 5432, protocol: 'TCP' }])
  await own.mergePatch('db', { subsets: [{ addresses: ips('10.0.0.2'), ports: [{ port: 5432 }] }] })
  await until(
    'it follows',
    async () => (await slices())[0]?.endpoints[0]?.addresses[0] === '10.0.0.2',
  )
  const skip = { 'endpointslice.orch.io/skip-mirror': 'true' }
  await own.mergePatch('db', { metadata: { labels: skip } })
  await until('it is gone', async () => (await slices()).length === 0)
  await own.mergePatch('db', {
    metadata: { labels: { ...skip, 'endpointslice.orch.io/skip-mirror': null } },
  } as never)
  await until('it is there again', async () => (await slices()).length === 1)
  await all.mergePatch('db', { spec: { selector: { app: 'db' } } })
  await until('a selector makes others', async () => (await slices()).length === 0)
})

test.run()
