/** Which frontends a node leads, and where. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Service } from '../../../generated/apis/core/v1/service.ts'
import type { EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import { planServices } from '../../../runtime/service-proxy/service-proxy.ts'

const tests = suite('service-proxy: plan')

const service = (spec: object, more: object = {}): Stored<Service> =>
  ({
    ...{ kind: 'Service', apiVersion: 'v1' },
    metadata: {
      ...{ name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '1' },
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...more,
    },
    spec: { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7'], ports: [{ port: 80 }], ...spec },
  }) as Stored<Service>

const slice = (...endpoints: readonly object[]) =>
  ({ addressType: 'IPv4', ports: [{ port: 8080 }], endpoints }) as unknown as EndpointSlice
const at = (address: string, nodeName = 'here', conditions: object = { ready: true }) => ({
  ...{ addresses: [address], nodeName, conditions },
})
const plan = (services: readonly Stored<Service>[], ...slices: readonly EndpointSlice[]) =>
  planServices({ services, slicesOf: () => slices, nodeName: 'here', domain: 'orch.io' })
const placesOf = (spec: object, ...slices: readonly EndpointSlice[]) =>
  plan([service(spec)], ...slices).frontends.map(
    ({ address, port, backends, whenEmpty }) =>
      `${address}:${port} ${backends.map((one) => `${one.address}:${one.port}`).join(' ') || whenEmpty}`,
  )

tests('a cluster address leads to what is ready, and refuses where nothing is', () => {
  const two = slice(
    at('10.1.0.1'),
    at('10.1.0.2', 'there'),
    at('10.1.0.3', 'here', { ready: false }),
  )
  assert.equal(placesOf({}, two), ['10.0.0.7:80 10.1.0.1:8080 10.1.0.2:8080'])
  assert.equal(placesOf({}), ['10.0.0.7:80 refuse'])
})

tests('while nothing is ready, what ends and still serves is led to', () => {
  const going = { ready: false, serving: true, terminating: true }
  assert.equal(placesOf({}, slice(at('10.1.0.1', 'here', going))), ['10.0.0.7:80 10.1.0.1:8080'])
  const both = slice(at('10.1.0.1', 'here', going), at('10.1.0.2'))
  assert.equal(placesOf({}, both), ['10.0.0.7:80 10.1.0.2:8080'])
})

tests(
  'policies keep traffic on the node, and drop it where only other nodes have a backend',
  () => {
    const mixed = slice(at('10.1.0.1'), at('10.1.0.2', 'there'))
    const others = slice(at('10.1.0.2', 'there'))
    const internal = { internalTrafficPolicy: 'Local' }
    assert.equal(placesOf(internal, mixed), ['10.0.0.7:80 10.1.0.1:8080'])
    assert.equal(placesOf(internal, others), ['10.0.0.7:80 drop'])
    const external = {
      ...{ type: 'NodePort', externalTrafficPolicy: 'Local', externalIPs: ['192.0.2.9'] },
      ports: [{ port: 80, nodePort: 30080 }],
    }
    assert.equal(placesOf(external, others), [
      '10.0.0.7:80 10.1.0.2:8080',
      '192.0.2.9:80 drop',
      ':30080 drop',
    ])
  },
)

tests('services without an address, and those of another proxy, are not led', () => {
  const others = { labels: { 'service.orch.io/service-proxy-name': 'mine' } }
  for (const one of [
    service({ clusterIP: 'None', clusterIPs: ['None'] }),
    service({ type: 'ExternalName', clusterIP: undefined }),
    service({}, others),
  ]) {
    assert.equal(plan([one], slice(at('10.1.0.1'))), { frontends: [], healthPorts: [] })
  }
})

tests('ports correspond by name and protocol', () => {
  const ports = [
    { name: 'dns', protocol: 'UDP', port: 53 },
    { name: 'tcp', protocol: 'TCP', port: 53 },
  ]
  const own = {
    ...slice(at('10.1.0.1')),
    ports: [
      { name: 'dns', protocol: 'UDP', port: 5353 },
      { name: 'tcp', protocol: 'TCP', port: 5354 },
    ],
  } as EndpointSlice
  assert.equal(placesOf({ ports }, own), ['10.0.0.7:53 10.1.0.1:5353', '10.0.0.7:53 10.1.0.1:5354'])
})

tests('affinity has the time that is asked for, and the usual one without', () => {
  const seconds = (spec: object) => plan([service(spec)]).frontends[0]?.affinitySeconds
  assert.is(seconds({}), 0)
  assert.is(seconds({ sessionAffinity: 'ClientIP' }), 10_800)
  const sessionAffinityConfig = { clientIP: { timeoutSeconds: 5 } }
  assert.is(seconds({ sessionAffinity: 'ClientIP', sessionAffinityConfig }), 5)
})

tests('a balancer asks a port how many backends of the service the node has', () => {
  const spec = {
    ...{ type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 31000 },
    ports: [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ],
  }
  const own = {
    ...slice(at('10.1.0.1'), at('10.1.0.2', 'there')),
    ports: [
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ],
  } as EndpointSlice
  const { healthPorts } = plan([service(spec)], own)
  assert.equal(healthPorts, [{ namespace: 'shop', name: 'web', port: 31000, localBackends: 1 }])
})

tests('addresses of a balancer let through whom the service names, of their family', () => {
  const spec = { type: 'LoadBalancer', loadBalancerSourceRanges: ['192.0.2.0/24', '2001:db8::/64'] }
  const balanced = {
    ...service(spec),
    status: { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } },
  }
  const [, outer] = plan([balanced], slice(at('10.1.0.1'))).frontends
  assert.equal([outer?.address, outer?.sources], ['203.0.113.1', ['192.0.2.0/24']])
})

tests('of two services that want one place the older has it', () => {
  const young = service(
    { externalIPs: ['192.0.2.9'] },
    { name: 'young', uid: 'u2', creationTimestamp: '2026-01-02T00:00:00Z' },
  )
  const old = service({ externalIPs: ['192.0.2.9'], clusterIPs: ['10.0.0.8'] })
  const found = plan([young, old]).frontends.find(({ address }) => address === '192.0.2.9')
  assert.is(found?.name, 'shop/web')
})

tests('an address that is none reaches no table', () => {
  const odd = slice(at('10.1.0.1; flush ruleset'), at('10.1.0.2'))
  assert.equal(placesOf({ externalIPs: ['nowhere }'] }, odd), ['10.0.0.7:80 10.1.0.2:8080'])
})

tests.run()
