import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { endpoints } from '../../../../generated/apis/core/v1/endpoints.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { type Service, services } from '../../../../generated/apis/core/v1/service.ts'
import {
  decideSubsets,
  truncated,
} from '../../../../runtime/controller-manager/network/decide-subsets.ts'
import { decideEndpoints } from '../../../../runtime/controller-manager/network/endpoints-controller.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import { startControlPlane, virtualClock } from '../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'

const test = suite('runtime/controller-manager: endpoints (T-13)')

interface GivenPod {
  readonly ip?: string
  readonly ips?: readonly string[]
  readonly ready?: boolean
  readonly phase?: string
  readonly going?: boolean
  readonly port?: number
  readonly subdomain?: string
}

function pod(name: string, given: GivenPod = {}) {
  const { ip = '10.0.0.1', ips = [ip], ready = true, phase = 'Running', port = 80 } = given
  return {
    metadata: {
      ...{ name, namespace: 'ns', uid: name, labels: { app: 'x' } },
      ...(given.going && { deletionTimestamp: '2030-01-01T00:00:00Z' }),
    },
    spec: {
      ...{ nodeName: 'n', containers: [{ ports: [{ name: 'http', containerPort: port }] }] },
      ...(given.subdomain && { hostname: name, subdomain: given.subdomain }),
    },
    status: {
      ...{ phase, podIP: ips[0], podIPs: ips.map((one) => ({ ip: one })) },
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  }
}

const web = { name: 'web', port: 80, targetPort: 'http' }

function service(spec: object = {}, metadata: object = {}) {
  return {
    metadata: { name: 's', namespace: 'ns', uid: 's', ...metadata },
    spec: { clusterIP: '10.1.0.1', selector: { app: 'x' }, ports: [web], ...spec },
  } as unknown as Stored<Service>
}

/** Subsets in words: ready addresses, those that are not after a bar, ports after a colon. */
function shown(of: Stored<Service>, all: readonly object[]): readonly string[] {
  return decideSubsets(of, all as never).map(({ addresses, notReadyAddresses, ports = [] }) => {
    const list = (some: typeof addresses) => (some ?? []).map(({ ip }) => ip).join(' ')
    return `${list(addresses)} | ${list(notReadyAddresses)} : ${ports.map(({ name, port }) => `${name}=${port}`).join(' ')}`
  })
}

const cases: readonly (readonly [
  name: string,
  spec: object,
  pods: readonly object[],
  want: readonly string[],
])[] = [
  [
    'pods are ready, or not',
    {},
    [pod('a'), pod('b', { ip: '10.0.0.2', ready: false })],
    ['10.0.0.1 | 10.0.0.2 : web=80'],
  ],
  [
    'all are ready for a service that says so, also those that go',
    { publishNotReadyAddresses: true },
    [pod('a', { ready: false }), pod('b', { ip: '10.0.0.2', going: true })],
    ['10.0.0.1 10.0.0.2 |  : web=80'],
  ],
  [
    'a pod that ended, goes, or has no address is none',
    {},
    [pod('a', { phase: 'Failed' }), pod('b', { going: true }), pod('c', { ips: [] })],
    [],
  ],
  [
    'pods whose ports have other numbers are in another subset',
    {},
    [pod('a'), pod('b', { ip: '10.0.0.2', port: 8080 })],
    ['10.0.0.1 |  : web=80', '10.0.0.2 |  : web=8080'],
  ],
  [
    'several ports of the same pods are in one',
    { ports: [web, { name: 'admin', port: 81, targetPort: 9000 }] },
    [pod('a')],
    ['10.0.0.1 |  : admin=9000 web=80'],
  ],
  [
    'a port of a name that a pod does not have leads nowhere',
    { ports: [{ ...web, targetPort: 'other' }] },
    [pod('a')],
    [],
  ],
  [
    'a headless service needs no port',
    { clusterIP: 'None', ports: [] },
    [pod('a')],
    ['10.0.0.1 |  : '],
  ],
  [
    'the first family of the service decides about addresses',
    { ipFamilies: ['IPv6', 'IPv4'] },
    [pod('a', { ips: ['10.0.0.1', 'fd00::1'] }), pod('b')],
    ['fd00::1 |  : web=80'],
  ],
]

for (const [name, spec, all, want] of cases) {
  test(name, () => assert.equal(shown(service(spec), all), want))
}

test('an address says which pod it is, and its host name in the subdomain of the service', () => {
  const [subset] = decideSubsets(service(), [pod('a', { subdomain: 's' })] as never)
  assert.equal(subset?.addresses, [
    {
      ...{ ip: '10.0.0.1', hostname: 'a', nodeName: 'n' },
      targetRef: { kind: 'Pod', namespace: 'ns', name: 'a', uid: 'a' },
    },
  ])
})

test('beyond a thousand addresses ready ones stay, of each subset its share (I-08)', () => {
  const addresses = (count: number) => Array.from({ length: count }, (_, at) => ({ ip: `${at}` }))
  const sizes = (subsets: Parameters<typeof truncated>[0]) =>
    truncated(subsets)?.map((one) => [
      one.addresses?.length ?? 0,
      one.notReadyAddresses?.length ?? 0,
    ])
  assert.is(sizes([{ addresses: addresses(1000) }]), undefined)
  assert.equal(sizes([{ addresses: addresses(900), notReadyAddresses: addresses(400) }]), [
    [900, 100],
  ])
  assert.equal(sizes([{ addresses: addresses(1500) }, { addresses: addresses(500) }]), [
    [750, 0],
    [250, 0],
  ])
  const all = addresses(1001).map(({ ip }) =>
    pod(ip, { ip: `10.${Number(ip) >> 8}.${Number(ip) & 255}.1` }),
  )
  const platform = { domain: 'orch.io' }
  const made = decideEndpoints(
    service(),
    decideSubsets(service(), all as never),
    undefined,
    platform,
  )
  assert.is(made?.metadata.annotations?.['endpoints.orch.io/over-capacity'], 'truncated')
  assert.is(made?.subsets?.[0]?.addresses?.length, 1000)
})

test('what is as it should be is not written', () => {
  const platform = { domain: 'orch.io' }
  const of = service({ clusterIP: 'None' }, { labels: { a: 'b' } })
  const subsets = decideSubsets(of, [pod('a')] as never)
  const made = decideEndpoints(of, subsets, undefined, platform)
  assert.equal(made?.metadata.labels, { a: 'b', 'service.orch.io/headless': '' })
  assert.is(decideEndpoints(of, subsets, made as never, platform), undefined)
  assert.is(decideEndpoints(of, [], made as never, platform)?.subsets?.length, 0)
})

test('a service that has an address hands on no label of headless ones', () => {
  const platform = { domain: 'orch.io' }
  const of = service({}, { labels: { a: 'b', 'service.orch.io/headless': 'x' } })
  const made = decideEndpoints(of, [], undefined, platform)
  assert.equal(made?.metadata.labels, { a: 'b' })
  assert.is(decideEndpoints(of, [], made as never, platform), undefined)
})

for (const platform of ['orch', 'kubernetes']) {
  test(`endpoints come and go with their service, and follow its pods: ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC', controllers: ['endpoints-controller'] },
    })
    const { client } = plane
    const all = client.resource(endpoints).in('default')
    await client
      .resource(services)
      .in('default')
      .create({
        metadata: { name: 's' },
        spec: { clusterIP: 'None', selector: { app: 'x' }, ports: [{ port: 80 }] },
      })
    await clock.advanceAsync(100)
    const { domain } = plane.scheme.platform
    const made = await all.get('s')
    assert.equal(made.subsets ?? [], [])
    assert.equal(made.metadata.labels, { [`service.${domain}/headless`]: '' })
    const key = `endpoints.${domain}/last-change-trigger-time`
    assert.ok(made.metadata.annotations?.[key])
    const { metadata } = await client
      .resource(pods)
      .in('default')
      .create({
        metadata: { name: 'p', labels: { app: 'x' } },
        spec: { containers: [{ name: 'main', image: 'work' }] },
      })
    const at = '2031-02-03T04:05:06Z'
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: at } as const
    const status = { podIP: '10.0.0.7', podIPs: [{ ip: '10.0.0.7' }], conditions: [ready] }
    await client.resource(pods).mergePatch(metadata, { status } as never, { subresource: 'status' })
    await clock.advanceAsync(100)
    const grown = await all.get('s')
    assert.is(grown.subsets?.[0]?.addresses?.[0]?.targetRef?.name, 'p')
    assert.is(grown.metadata.annotations?.[key], at)
    await client.resource(services).in('default').delete('s')
    await clock.advanceAsync(100)
    assert.is(await all.find('s'), undefined)
  })
}

test.run()
