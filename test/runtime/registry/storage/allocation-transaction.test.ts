/** I-07: every service has addresses and node ports of its own, whoever writes how many at once. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ServiceSpec } from '../../../../generated/apis/core/v1/service.ts'
import { scheme } from '../../../../generated/scheme.ts'
import { type ServiceRanges, servicePools } from '../../../../runtime/apis/apis.ts'
import { repairAllocations } from '../../../../runtime/controllers/controllers.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import type { Loose } from '../../../../runtime/kernel/walker/loose.ts'
import { createLoopbackClient } from '../../../../runtime/loopback/loopback.ts'
import {
  createAllocationTable,
  createRegistry,
  type Registry,
} from '../../../../runtime/registry/registry.ts'
import type { WatchCache } from '../../../../runtime/watch/watch.ts'
import {
  body,
  dry,
  inDefault,
  kindAt,
  type OpenRegistry,
  openRegistry,
  quiet,
} from '../../../support/registry.ts'

const services = kindAt('api/v1/services')
const small: ServiceRanges = { addresses: ['10.9.8.0/29'], nodePorts: '30000-30003' }
const dual: ServiceRanges = { ...small, addresses: ['10.9.8.0/24', 'fd00:9::/112'] }

const test = suite<{ opened: OpenRegistry[] }>('runtime/registry/storage/allocations')

test.before.each((context) => {
  context.opened = []
})
test.after.each(async ({ opened }) => {
  await Promise.all(opened.map((one) => one.close()))
})

async function open(opened: OpenRegistry[], ranges: ServiceRanges): Promise<OpenRegistry> {
  const one = await openRegistry({ pools: servicePools(ranges) })
  opened.push(one)
  return one
}

type Spec = Loose<ServiceSpec> & { readonly [field: string]: unknown }

async function make(
  registry: Registry,
  name: string,
  spec: object = {},
  options = quiet,
): Promise<Spec> {
  const object = { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } }
  const { item } = await registry.create(inDefault(services), body(object), options)
  return (item.object() as { readonly spec?: Spec }).spec ?? {}
}

async function put(registry: Registry, name: string, spec: object): Promise<Spec> {
  const current = (await registry.get(inDefault(services, name), {})).object() as never as {
    readonly metadata: { readonly resourceVersion?: string }
    readonly spec: Spec
  }
  const { resourceVersion, ...metadata } = current.metadata
  const value = { ...current, metadata, spec: { ...current.spec, ...spec } }
  const { item } = await registry.update(inDefault(services, name), body(value), quiet)
  return (item.object() as { readonly spec?: Spec }).spec ?? {}
}

const remove = (registry: Registry, name: string) =>
  registry.delete(inDefault(services, name), { dryRun: false })

async function refusal(write: Promise<unknown>): Promise<string> {
  try {
    await write
  } catch (error) {
    if (!isStatus(error)) throw error
    const texts = error.details?.causes?.map(({ field, message }) => `${field}: ${message}`)
    return texts?.join('; ') ?? error.message
  }
  return 'accepted'
}

test('a service gets an address, its family and the policy of one family', async ({ opened }) => {
  const { registry } = await open(opened, small)
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = await make(registry, 'a')
  assert.match(clusterIP ?? '', /^10\.9\.8\.[1-6]$/)
  assert.equal([clusterIPs, ipFamilies, ipFamilyPolicy], [[clusterIP], ['IPv4'], 'SingleStack'])
})

test('a headless service and an external name get none', async ({ opened }) => {
  const { registry } = await open(opened, small)
  const bare = await make(registry, 'a', { clusterIP: 'None', selector: { app: 'a' } })
  assert.equal([bare.clusterIPs, bare.ipFamilies], [['None'], ['IPv4']])
  const both = await make(registry, 'b', { clusterIP: 'None' })
  assert.equal([both.ipFamilies, both.ipFamilyPolicy], [['IPv4', 'IPv6'], 'RequireDualStack'])
  const named = await make(registry, 'c', { type: 'ExternalName', externalName: 'example.com' })
  assert.equal(
    [named.clusterIP, named.ipFamilies, named.ipFamilyPolicy],
    [undefined, undefined, undefined],
  )
})

test('what a client asks for is refused where somebody has it, or nobody may', async ({
  opened,
}) => {
  const { registry } = await open(opened, small)
  const ask = (name: string, spec: object) => refusal(make(registry, name, spec))
  const port = (nodePort: number) => ({ type: 'NodePort', ports: [{ port: 80, nodePort }] })
  assert.is(await ask('a', { clusterIP: '10.9.8.3' }), 'accepted')
  assert.is(
    await ask('b', { clusterIP: '10.9.8.3' }),
    'spec.clusterIPs: Invalid value: []string{"10.9.8.3"}: failed to allocate IP 10.9.8.3: provided IP is already allocated',
  )
  assert.is(
    await ask('b', { clusterIP: '10.9.9.3' }),
    'spec.clusterIPs: Invalid value: []string{"10.9.9.3"}: failed to allocate IP 10.9.9.3: the provided IP (10.9.9.3) is not in the valid range. The range of valid IPs is 10.9.8.0/29',
  )
  assert.match(await ask('b', { clusterIP: '10.9.8.7' }), 'not in the valid range')
  assert.is(await ask('c', port(30001)), 'accepted')
  assert.is(
    await ask('d', port(30001)),
    'spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated',
  )
  assert.is(
    await ask('d', port(80)),
    'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-30003',
  )
  assert.is(
    await ask('d', { ipFamilyPolicy: 'RequireDualStack' }),
    'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  )
  assert.is(
    await ask('d', { ipFamilies: ['IPv6'] }),
    'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
  )
})

test('a used up range fails the request, and what is deleted is free again', async ({ opened }) => {
  const { registry, store } = await open(opened, small)
  for (const name of 'abcdef') await make(registry, name)
  const full = 'Internal error occurred: failed to allocate a serviceIP: range is full'
  assert.is(await refusal(make(registry, 'g')), full)
  await remove(registry, 'c')
  assert.is(await refusal(make(registry, 'g')), 'accepted')
  await registry.deleteCollection(inDefault(services), {}, { dryRun: false })
  assert.is((await store.list('/ranges/')).entries.length, 0)
})

test('a refused write leaves no claim behind', async ({ opened }) => {
  const { registry, store } = await open(opened, small)
  await make(registry, 'a')
  const before = (await store.list('/ranges/')).entries.length
  assert.match(await refusal(make(registry, 'a', { type: 'NodePort' })), 'already exists')
  await refusal(make(registry, 'b', { type: 'NodePort', ports: [{ port: 1, nodePort: 1 }] }))
  assert.is((await store.list('/ranges/')).entries.length, before)
})

test('a dry run shows an address and keeps none', async ({ opened }) => {
  const { registry, store } = await open(opened, small)
  const { clusterIP } = await make(registry, 'a', {}, dry)
  assert.match(clusterIP ?? '', /^10\.9\.8\./)
  assert.is((await store.list('/ranges/')).entries.length, 0)
  await make(registry, 'a', { clusterIP: '10.9.8.1' })
  const asked = make(registry, 'b', { clusterIP: '10.9.8.1' }, dry)
  assert.match(await refusal(asked), 'already allocated')
})

test('a change of type gets what it needs and gives up what it does not', async ({ opened }) => {
  const { registry, store } = await open(opened, small)
  await make(registry, 'a')
  const claims = async () => (await store.list('/ranges/')).entries.length
  const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }
  const { ports, healthCheckNodePort } = await put(registry, 'a', local)
  assert.ok(ports?.[0]?.nodePort && healthCheckNodePort)
  assert.is.not(ports?.[0]?.nodePort, healthCheckNodePort)
  assert.is(await claims(), 3)
  const other = [30000, 30001, 30002].find(
    (port) => port !== healthCheckNodePort && port !== ports?.[0]?.nodePort,
  )
  assert.is(
    await refusal(put(registry, 'a', { healthCheckNodePort: other })),
    'spec.healthCheckNodePort: Forbidden: field is immutable',
  )
  const back = await put(registry, 'a', { type: 'ClusterIP' })
  assert.equal([back.ports?.[0]?.nodePort, back.healthCheckNodePort], [undefined, undefined])
  assert.is(await claims(), 1)
  await put(registry, 'a', { type: 'ExternalName', externalName: 'example.com' })
  assert.is(await claims(), 0)
  const again = await put(registry, 'a', { type: 'ClusterIP', externalName: '' })
  assert.ok(again.clusterIP)
  assert.is(await claims(), 1)
})

test('one port over several protocols has one node port', async ({ opened }) => {
  const { registry } = await open(opened, small)
  const port = { port: 53, name: 'tcp' }
  const { ports } = await make(registry, 'a', {
    type: 'NodePort',
    ports: [port, { ...port, name: 'udp', protocol: 'UDP' }],
  })
  assert.is(ports?.[0]?.nodePort, ports?.[1]?.nodePort)
})

test('a balancer that opens no node ports keeps the ones it asks for only', async ({ opened }) => {
  const { registry } = await open(opened, small)
  const { ports } = await make(registry, 'a', {
    type: 'LoadBalancer',
    allocateLoadBalancerNodePorts: false,
    ports: [
      { port: 80, name: 'a' },
      { port: 81, name: 'b', nodePort: 30002 },
    ],
  })
  assert.equal(
    ports?.map(({ nodePort }) => nodePort),
    [undefined, 30002],
  )
})

test('a cluster of two families gives one or both, as the policy says', async ({ opened }) => {
  const { registry, store } = await open(opened, dual)
  const one = await make(registry, 'a')
  assert.equal(one.ipFamilies, ['IPv4'])
  const six = await make(registry, 'b', { ipFamilies: ['IPv6'] })
  assert.match(six.clusterIP ?? '', /^fd00:9::/)
  const both = await make(registry, 'c', { ipFamilyPolicy: 'PreferDualStack' })
  assert.equal(both.ipFamilies, ['IPv4', 'IPv6'])
  assert.is(both.clusterIPs?.length, 2)
  const grown = await put(registry, 'a', { ipFamilyPolicy: 'RequireDualStack' })
  assert.is(grown.clusterIPs?.[0], one.clusterIP)
  assert.is(grown.clusterIPs?.length, 2)
  assert.is((await store.list('/ranges/')).entries.length, 5)
  const shrunk = await put(registry, 'a', { ipFamilyPolicy: 'SingleStack' })
  assert.equal([shrunk.clusterIPs, shrunk.ipFamilies], [[one.clusterIP], ['IPv4']])
  assert.is((await store.list('/ranges/')).entries.length, 4)
  assert.is(
    await refusal(put(registry, 'c', { clusterIPs: both.clusterIPs?.slice(0, 1) })),
    'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be \'SingleStack\' to release the secondary cluster IP',
  )
  assert.is(
    await refusal(make(registry, 'd', { clusterIP: both.clusterIP, ipFamilies: ['IPv6'] })),
    `spec.clusterIPs[0]: Invalid value: "${both.clusterIP}": expected an IPv6 value as indicated by \`ipFamilies[0]\``,
  )
})

test('an address is one however it is written', async ({ opened }) => {
  const { registry } = await open(opened, dual)
  await make(registry, 'a', { clusterIP: 'fd00:9::a' })
  const other = make(registry, 'b', { clusterIP: 'FD00:9:0::A' })
  assert.match(await refusal(other), 'already allocated')
})

function repairOf(registry: Registry, store: WatchCache) {
  return {
    client: createLoopbackClient({ registry, manager: 'orch-apiserver' }),
    allocations: createAllocationTable(store),
    kinds: [services],
    pools: servicePools(small),
  }
}

test('a claim whose holder never came goes in the second round that sees it', async ({
  opened,
}) => {
  const { registry, store } = await open(opened, small)
  await make(registry, 'a', { clusterIP: '10.9.8.2' })
  const lost = { metadata: { name: '10.9.8.5', uid: 'gone' }, holder: '/core/services/default/x' }
  await store.create('/ranges/IPv4/10.9.8.5', Buffer.from(JSON.stringify(lost)))
  const options = repairOf(registry, store)
  await store.delete(
    '/ranges/IPv4/10.9.8.5',
    (await store.get('/ranges/IPv4/10.9.8.5'))?.revision ?? 0,
  )
  await store.create('/ranges/IPv4/10.9.8.5', Buffer.from(JSON.stringify(lost)))
  const suspects = await repairAllocations(options)
  assert.is(suspects.size, 1)
  assert.is((await repairAllocations(options, suspects)).size, 0)
  assert.is((await store.list('/ranges/')).entries.length, 1)
})

test('what stored services hold without a claim is claimed', async ({ opened }) => {
  const { registry, store } = await open(opened, small)
  await make(registry, 'a', { clusterIP: '10.9.8.2' })
  for (const { key, revision } of (await store.list('/ranges/')).entries) {
    await store.delete(key, revision)
  }
  await repairAllocations(repairOf(registry, store))
  assert.match(await refusal(make(registry, 'b', { clusterIP: '10.9.8.2' })), 'already allocated')
})

/** Everything that the live services hold, and everything that is claimed. */
async function books(registry: Registry, store: WatchCache) {
  const { items } = await registry.list(inDefault(services), {})
  const held = items.flatMap((item) => {
    const { spec } = item.object() as { readonly spec?: Spec }
    const addresses = spec?.clusterIPs?.filter((one) => one !== 'None') ?? []
    const ports = spec?.ports?.flatMap(({ nodePort }) => nodePort ?? []) ?? []
    const health = spec?.healthCheckNodePort ?? []
    return [...addresses, ...new Set([...ports, health].flat().map(String))]
  })
  const { entries } = await store.list('/ranges/')
  return { held: held.sort(), claimed: entries.map(({ key }) => key.split('/')[3] ?? '').sort() }
}

const types = [
  { type: 'ClusterIP', externalTrafficPolicy: undefined },
  { type: 'NodePort' },
  { type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
  { type: 'ExternalName', externalName: 'example.com', externalTrafficPolicy: undefined },
]
const step = fc.record({
  verb: fc.constantFrom('make', 'make', 'put', 'remove'),
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
  type: fc.constantFrom(...types),
  nodePort: fc.option(fc.integer({ min: 30000, max: 30003 }), { nil: undefined }),
  clusterIP: fc.option(fc.constantFrom('10.9.8.1', '10.9.8.2'), { nil: undefined }),
  other: fc.boolean(),
})

test('no two services share a value whatever is written at once by two servers', async ({
  opened,
}) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const { registry, store } = await open(opened, small)
      const pools = servicePools(small)
      const second = createRegistry({ store, scheme, clock: systemClock, pools })
      await Promise.all(
        steps.map(async ({ verb, name, type, nodePort, clusterIP, other }) => {
          const at = other ? second : registry
          const ports = [{ port: 80, ...(nodePort && { nodePort }) }]
          const spec = { ...type, ports, ...(clusterIP && { clusterIP }) }
          if (verb === 'make') await refusal(make(at, name, spec))
          else await refusal(verb === 'put' ? put(at, name, { ...type, ports }) : remove(at, name))
        }),
      )
      const { held, claimed } = await books(registry, store)
      assert.is(new Set(held).size, held.length, held.join())
      assert.equal(claimed, held)
    }),
    { numRuns: 30 },
  )
})

test.run()
