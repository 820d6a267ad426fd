import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { nodes } from '../../../../generated/apis/core/v1/node.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { type Service, services } from '../../../../generated/apis/core/v1/service.ts'
import { type EndpointSlice, endpointSlices } from '../../../../generated/apis/discovery/v1.ts'
import { platform as ours } from '../../../../generated/platform.ts'
import { createClient } from '../../../../runtime/client/client.ts'
import { decideSlices } from '../../../../runtime/controller-manager/network/decide-slices.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import { startControlPlane, virtualClock } from '../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'

const test = suite('runtime/controller-manager: endpoint slices (T-13)')

const rules = {
  serviceLabel: 'orch.io/service-name',
  managerLabel: 'endpointslice.orch.io/managed-by',
  headlessLabel: 'service.orch.io/headless',
  manager: 'endpointslice-controller.orch.io',
  most: 3,
}

interface GivenPod {
  readonly ips?: readonly string[]
  readonly ready?: boolean
  readonly going?: boolean
  readonly port?: number
  readonly node?: string
}

function pod(name: string, given: GivenPod = {}) {
  const { ips = ['10.0.0.1', 'fd00::1'], ready = true, port = 80, node = 'n' } = given
  return {
    metadata: {
      ...{ name, namespace: 'ns', uid: name },
      ...(given.going && { deletionTimestamp: '2030-01-01T00:00:00Z' }),
    },
    spec: { nodeName: node, containers: [{ ports: [{ name: 'http', containerPort: port }] }] },
    status: {
      ...{ phase: 'Running', podIPs: ips.map((ip) => ({ ip })) },
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  }
}

function service(spec: object = {}, labels: object = {}) {
  const ports = [{ name: 'web', port: 80, targetPort: 'http', protocol: 'TCP' }]
  return {
    metadata: { name: 's', namespace: 'ns', uid: 's', labels },
    spec: { clusterIP: '10.1.0.1', ipFamilies: ['IPv4'], selector: { app: 'x' }, ports, ...spec },
  } as unknown as Stored<Service>
}

const zoneOf = (node: string) => (node === 'n' ? 'z' : undefined)
let made = 0

/** The slices of a service after its plan was carried out, and how many were written. */
function settle(
  of: Stored<Service>,
  all: readonly object[],
  before: readonly Stored<EndpointSlice>[] = [],
) {
  const plan = decideSlices({ service: of, pods: all as never, zoneOf }, before, rules)
  const { create, update, remove } = plan
  const fresh = create.map((one) => {
    made += 1
    return { ...one, metadata: { ...one.metadata, name: `s-${made}`, uid: `${made}` } }
  })
  const names = new Set([...update, ...remove].map(({ metadata }) => metadata.name))
  const slices = [
    ...before.filter(({ metadata }) => !names.has(metadata.name)),
    ...update,
    ...fresh,
  ]
  return {
    slices: slices as unknown as readonly Stored<EndpointSlice>[],
    writes: create.length + update.length + remove.length,
  }
}

function sizes(slices: readonly Stored<EndpointSlice>[]): readonly number[] {
  return slices.map(({ endpoints }) => endpoints.length)
}

const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => pod(`p${from + at}`, { ips: [`10.0.0.${from + at}`] }))

test('an endpoint says whether it takes traffic, answers, and is about to go', () => {
  const all = [pod('a'), pod('b', { ready: false }), pod('c', { going: true })]
  const conditions = (spec: object) =>
    settle(service(spec), all).slices[0]?.endpoints.map((one) =>
      Object.values(one.conditions ?? {})
        .map(Number)
        .join(''),
    )
  assert.equal(conditions({}), ['110', '000', '011'])
  assert.equal(conditions({ publishNotReadyAddresses: true }), ['110', '100', '111'])
})

test('an endpoint has its node, zone and pod', () => {
  const [slice] = settle(service(), [pod('a')]).slices
  assert.equal(slice?.endpoints, [
    {
      addresses: ['10.0.0.1'],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: 'Pod', namespace: 'ns', name: 'a', uid: 'a' },
      ...{ nodeName: 'n', zone: 'z' },
    },
  ])
  assert.equal(slice?.ports, [{ name: 'web', protocol: 'TCP', port: 80 }])
})

test('a pod of a node that is not there is left out, unless all are to be found', () => {
  const all = [pod('a', { node: 'other' })]
  assert.equal(sizes(settle(service(), all).slices), [0])
  assert.equal(sizes(settle(service({ publishNotReadyAddresses: true }), all).slices), [1])
})

test('each family of a service has its slices, and each set of ports', () => {
  const both = service({ ipFamilies: ['IPv4', 'IPv6'] })
  const { slices } = settle(both, [pod('a'), pod('b', { ips: ['10.0.0.2'], port: 81 })])
  const shown = slices.map(({ addressType, ports, endpoints }) =>
    [addressType, ports?.[0]?.port, endpoints.length].join(' '),
  )
  assert.equal(shown.sort(), ['IPv4 80 1', 'IPv4 81 1', 'IPv6 80 1'])
})

test('a service without pods has an empty slice, which the first pod fills', () => {
  const empty = settle(service(), [])
  assert.equal(sizes(empty.slices), [0])
  assert.is(settle(service(), [], empty.slices).writes, 0)
  // As a server tells of no endpoints and no ports.
  const stored = empty.slices.map((slice) => ({ ...slice, endpoints: null, ports: null }) as never)
  assert.is(settle(service(), [], stored).writes, 0)
  assert.equal(sizes(settle(service(), [pod('a')], stored).slices), [1])
  const filled = settle(service(), [pod('a')], empty.slices)
  assert.is(filled.writes, 1)
  assert.is(filled.slices[0]?.metadata.name, empty.slices[0]?.metadata.name)
})

test('the empty slice of a service without ports has its first pod, too', () => {
  const of = service({ clusterIP: 'None', ports: [] })
  const filled = settle(of, [pod('a')], settle(of, []).slices)
  assert.is(filled.writes, 1)
  assert.equal(sizes(filled.slices), [1])
})

test('new endpoints go where few slices are written', () => {
  const five = settle(service(), many(5))
  assert.equal(sizes(five.slices), [3, 2])
  const six = settle(service(), many(6), five.slices)
  assert.is(six.writes, 1)
  assert.equal(sizes(six.slices), [3, 3])
  const other = settle(service(), many(6, 1), six.slices)
  assert.is(other.writes, 1)
})

test('slices have the labels of their service, and follow them', () => {
  const headless = settle(service({ clusterIP: 'None' }, { a: 'b' }), [pod('a')])
  assert.equal(headless.slices[0]?.metadata.labels, {
    ...{ a: 'b', 'service.orch.io/headless': '', 'orch.io/service-name': 's' },
    'endpointslice.orch.io/managed-by': 'endpointslice-controller.orch.io',
  })
  const of = service({ clusterIP: 'None' }, { a: 'c' })
  const changed = settle(of, [pod('a')], headless.slices)
  assert.is(changed.writes, 1)
  assert.is(settle(of, [pod('a')], changed.slices).writes, 0)
})

test('whatever comes and goes, slices hold every pod once, none is too large, and then nothing is written', () => {
  const steps = fc.array(fc.uniqueArray(fc.nat(12), { maxLength: 13 }), { maxLength: 6 })
  fc.assert(
    fc.property(steps, (history) => {
      let slices: readonly Stored<EndpointSlice>[] = []
      for (const names of history) {
        const all = names.map((at) => pod(`p${at}`, { ips: [`10.0.0.${at}`] }))
        slices = settle(service(), all, slices).slices
        const found = slices.flatMap(({ endpoints }) => endpoints.map(({ addresses: [ip] }) => ip))
        assert.equal(found.sort(), names.map((at) => `10.0.0.${at}`).sort())
        assert.ok(sizes(slices).every((size) => size <= rules.most))
        assert.is(settle(service(), all, slices).writes, 0)
      }
    }),
  )
})

for (const platform of ['orch', 'kubernetes']) {
  test(`slices follow the pods of their service (I-08): ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC', controllers: ['endpointslice-controller'] },
    })
    const client = createClient(plane.transport, { clock, platform: ours })
    const all = async () => (await client.resource(endpointSlices).in('default').listAll()).items
    const mine = async () => (await all()).filter(({ metadata }) => metadata.generateName === 's-')
    const { domain } = plane.scheme.platform
    await client
      .resource(services)
      .in('default')
      .create({
        metadata: { name: 's' },
        spec: { clusterIP: 'None', selector: { app: 'x' }, ports: [{ port: 80 }] },
      })
    await clock.advanceAsync(100)
    const [empty, ...others] = await mine()
    assert.equal(others, [])
    assert.match(empty?.metadata.name ?? '', /^s-[a-z0-9]{5}$/)
    assert.is(empty?.metadata.ownerReferences?.[0]?.name, 's')
    assert.is(empty?.metadata.labels?.[`${domain}/service-name`], 's')
    await client
      .resource(pods)
      .in('default')
      .create({
        metadata: { name: 'p', labels: { app: 'x' } },
        spec: { nodeName: 'n', containers: [{ name: 'main', image: 'work' }] },
      })
    const status = { podIP: '10.0.0.7', podIPs: [{ ip: '10.0.0.7' }] }
    await client.resource(pods).in('default').mergePatch('p', { status }, { subresource: 'status' })
    await client.resource(nodes).create({
      metadata: { name: 'n', labels: { [`topology.${domain}/zone`]: 'z' } },
    })
    await clock.advanceAsync(100)
    const [slice] = await mine()
    assert.is(slice?.metadata.uid, empty?.metadata.uid)
    assert.is(slice?.endpoints[0]?.addresses[0], '10.0.0.7')
    assert.is(slice?.endpoints[0]?.zone, 'z')
    await clock.advanceAsync(2000)
    assert.equal((await client.resource(events).in('default').listAll()).items, [])
  })
}

test.run()
