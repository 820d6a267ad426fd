import * as assert from 'uvu/assert'
import type { ServiceSpec as GeneratedSpec } from '../../../../../generated/apis/core/v1/service.ts'
import type { Loose } from '../../../../../runtime/kernel/walker/loose.ts'
import { kindAt } from '../../../../support/registry.ts'
import type { Given, Stored, Writer } from '../../outcome.ts'
import { creations, refusals, stored, updates, writing } from '../../tables.ts'

type ServiceSpec = Loose<GeneratedSpec>

const test = writing('runtime/apis: services')
const services = kindAt('api/v1/services')

const spec = (object: Stored) => object.spec as ServiceSpec
const service = (more: object = {}): Given => ({ spec: { ports: [{ port: 80 }], ...more } })
const policies = (object: Stored) => {
  const { internalTrafficPolicy, externalTrafficPolicy, allocateLoadBalancerNodePorts } =
    spec(object)
  return [internalTrafficPolicy, externalTrafficPolicy, allocateLoadBalancerNodePorts]
}

// I-01, I-07
creations(test, services, [
  [
    'traffic goes to the port of the same number',
    service(),
    (o) => spec(o).ports,
    [{ protocol: 'TCP', port: 80, targetPort: 80 }],
  ],
  [
    'a named target stays',
    service({ ports: [{ port: 80, targetPort: 'web' }] }),
    (o) => spec(o).ports?.[0]?.targetPort,
    'web',
  ],
  [
    'sessions last three hours',
    service({ sessionAffinity: 'ClientIP' }),
    (o) => spec(o).sessionAffinityConfig,
    { clientIP: { timeoutSeconds: 10800 } },
  ],
  [
    'without sessions there is nothing to configure',
    service({ sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }),
    (o) => spec(o).sessionAffinityConfig,
    undefined,
  ],
  ['a cluster service has an inner policy', service(), policies, ['Cluster', undefined, undefined]],
  [
    'a node port has both',
    service({ type: 'NodePort' }),
    policies,
    ['Cluster', 'Cluster', undefined],
  ],
  [
    'external addresses make it reachable from outside',
    service({ externalIPs: ['192.0.2.1'] }),
    policies,
    ['Cluster', 'Cluster', undefined],
  ],
  [
    'a balancer has node ports',
    service({ type: 'LoadBalancer' }),
    policies,
    ['Cluster', 'Cluster', true],
  ],
  [
    'a name has no policies',
    { spec: { type: 'ExternalName', externalName: 'example.com.' } },
    policies,
    [undefined, undefined, undefined],
  ],
  ['one address is the list', service({ clusterIP: 'None' }), (o) => spec(o).clusterIPs, ['None']],
])

refusals(test, services, [
  ['a service has ports', { spec: {} }, ['spec.ports: Required value']],
  ['a headless service needs none', { spec: { clusterIP: 'None' } }, []],
  [
    'an external name needs none',
    { spec: { type: 'ExternalName', externalName: 'example.com' } },
    [],
  ],
  [
    'an external name is given',
    { spec: { type: 'ExternalName' } },
    ['spec.externalName: Required value'],
  ],
  [
    'an external name has no address',
    { spec: { type: 'ExternalName', externalName: 'example.com', clusterIP: '10.0.0.1' } },
    ['spec.clusterIPs: Forbidden: may not be set for ExternalName services'],
  ],
  [
    'of several ports each has a name',
    service({ ports: [{ port: 80 }, { port: 81, name: 'b' }] }),
    ['spec.ports[0].name: Required value'],
  ],
  [
    'port names are unique',
    service({
      ports: [
        { port: 80, name: 'a' },
        { port: 81, name: 'a' },
      ],
    }),
    ['spec.ports[1].name: Duplicate value: "a"'],
  ],
  [
    'ports are unique',
    service({
      ports: [
        { port: 80, name: 'a' },
        { port: 80, name: 'b' },
      ],
    }),
    ['spec.ports[1]: Duplicate value: {"port":80,"protocol":"TCP"}'],
  ],
  [
    'a target is a port',
    service({ ports: [{ port: 80, targetPort: 65536 }] }),
    ['spec.ports[0].targetPort: Invalid value: 65536: must be between 1 and 65535, inclusive'],
  ],
  [
    'a named target is a port name',
    service({ ports: [{ port: 80, targetPort: '8080' }] }),
    ['spec.ports[0].targetPort: Invalid value: "8080": must contain at least one letter (a-z)'],
  ],
  [
    'node ports need a type that opens them',
    service({ ports: [{ port: 80, nodePort: 30000 }] }),
    ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  ],
  [
    'an address is one',
    service({ clusterIP: 'here' }),
    [
      'spec.clusterIPs[0]: Invalid value: "here": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  ],
  [
    'a list of addresses begins with the address',
    service({ clusterIPs: ['10.0.0.77'] }),
    [
      'spec.clusterIPs: Invalid value: []string{"10.0.0.77"}: must be empty when `clusterIP` is not specified',
    ],
  ],
  [
    'node ports are not headless',
    service({ type: 'NodePort', clusterIP: 'None' }),
    ['spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services'],
  ],
  [
    'only balancers allocate node ports',
    service({ allocateLoadBalancerNodePorts: true }),
    [
      "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
  ],
])

const balancer = service({
  type: 'LoadBalancer',
  ports: [{ port: 80 }],
})
const withSpec = (change: object) => (object: Stored) => ({
  ...object,
  spec: { ...spec(object), ...change },
})

updates(test, services, balancer, [
  [
    'the address may not change',
    withSpec({ clusterIP: '10.0.0.2' }),
    ['spec.clusterIPs[0]: Invalid value: []string{"10.0.0.2"}: may not change once set'],
  ],
  ['the type may change', withSpec({ type: 'NodePort' }), []],
])

test('an address that another service has is no better reason than that addresses stay', async ({
  writer,
}) => {
  const taken = stored(await writer.create(services, service({ clusterIP: '10.0.0.7' })))
  assert.is(spec(taken).clusterIP, '10.0.0.7')
  assert.equal(await writer.update(services, service(), withSpec({ clusterIP: '10.0.0.7' })), [
    'spec.clusterIPs[0]: Invalid value: []string{"10.0.0.7"}: may not change once set',
  ])
})

async function updated(writer: Writer, change: object): Promise<ServiceSpec> {
  return spec(stored(await writer.update(services, balancer, withSpec(change))))
}

test('what was allocated stays where the client leaves it out', async ({ writer }) => {
  let before: ServiceSpec = {}
  const left = { clusterIP: '', clusterIPs: [], ports: [{ port: 80, targetPort: 8080 }] }
  const after = await writer.update(services, balancer, (object) => {
    before = spec(object)
    return withSpec(left)(object)
  })
  const { clusterIP, clusterIPs, ports } = spec(stored(after))
  assert.ok(before.clusterIP)
  assert.equal([clusterIP, clusterIPs], [before.clusterIP, before.clusterIPs])
  assert.equal(ports, [{ ...before.ports?.[0], targetPort: 8080 }])
})

test('a type that needs no node ports gives them up', async ({ writer }) => {
  const { ports, externalTrafficPolicy, allocateLoadBalancerNodePorts } = await updated(writer, {
    type: 'ClusterIP',
  })
  assert.is(ports?.[0]?.nodePort, undefined)
  assert.is(externalTrafficPolicy, undefined)
  assert.is(allocateLoadBalancerNodePorts, undefined)
})

test('an external name gives up its addresses', async ({ writer }) => {
  const { clusterIP, clusterIPs, internalTrafficPolicy } = await updated(writer, {
    type: 'ExternalName',
    externalName: 'example.com',
  })
  assert.equal([clusterIP, clusterIPs, internalTrafficPolicy], [undefined, undefined, undefined])
})

test.run()
