import * as assert from 'uvu/assert'
import { kindAt, pods } from '../../../support/registry.ts'
import type { Given, Stored } from '../outcome.ts'
import { refusals, stored, updates, writing } from '../tables.ts'

const test = writing('runtime/apis: names, ranges and amounts inside of objects')

const qualified =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

const service = (more: object): Given => ({ spec: { ports: [{ port: 80 }], ...more } })

// I-07
refusals(test, kindAt('api/v1/services'), [
  [
    'an address of the machine itself is not one from outside',
    service({ externalIPs: ['127.0.0.1'] }),
    [
      'spec.externalIPs[0]: Invalid value: "127.0.0.1": ' +
        'may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
  ],
  [
    'only a balancer keeps clients out',
    service({ loadBalancerSourceRanges: ['10.0.0.0/8'] }),
    ["spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'"],
  ],
  [
    'a balancer keeps clients out by ranges',
    service({ type: 'LoadBalancer', loadBalancerSourceRanges: ['x'] }),
    [
      'spec.LoadBalancerSourceRanges: Invalid value: "[x]": ' +
        'must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ',
    ],
  ],
  [
    'classes and protocols have qualified names',
    service({
      type: 'LoadBalancer',
      loadBalancerClass: 'a b',
      ports: [{ port: 80, appProtocol: 'c d' }],
    }),
    [
      `spec.ports[0].appProtocol: Invalid value: "c d": ${qualified}`,
      `spec.loadBalancerClass: Invalid value: "a b": ${qualified}`,
    ],
  ],
])

// I-12
refusals(test, kindAt('api/v1/nodes'), [
  [
    'the ranges of a node are ranges',
    { spec: { podCIDR: 'x' } },
    ['spec.podCIDRs[0]: Invalid value: []string{"x"}: must be valid CIDR'],
  ],
  [
    'a node has one range of each family',
    { spec: { podCIDRs: ['10.0.0.0/24', '10.1.0.0/24'] } },
    [
      'spec.podCIDRs: Invalid value: []string{"10.0.0.0/24", "10.1.0.0/24"}: ' +
        'may specify no more than one CIDR for each IP family',
    ],
  ],
  [
    'taints have keys and values like labels',
    { spec: { taints: [{ key: 'a b', value: 'c', effect: 'NoSchedule' }] } },
    [`metadata.taints[0].key: Invalid value: "a b": ${qualified}`],
  ],
])

// I-26
refusals(test, kindAt('api/v1/limitranges'), [
  [
    'limits are for types that are known or belong to somebody',
    { spec: { limits: [{ type: 'Thing' }, { type: 'example.com/Thing' }] } },
    [
      'spec.limits[0].type: Invalid value: "Thing": must be a standard limit type or fully qualified',
    ],
  ],
])
refusals(test, kindAt('api/v1/resourcequotas'), [
  [
    'pods without requests can only be counted',
    { spec: { hard: { cpu: '1' }, scopes: ['BestEffort'] } },
    [
      'spec.scopes: Invalid value: []core.ResourceQuotaScope{"BestEffort"}: unsupported scope applied to resource',
    ],
  ],
])

refusals(test, kindAt('apis/networking.orch.io/v1/ingresses'), [
  [
    'an object behind an ingress has a name and a kind',
    { spec: { defaultBackend: { resource: { apiGroup: 'A_', kind: '', name: 'a/b' } } } },
    [
      `spec.defaultBackend.resource.apiGroup: Invalid value: "A_": ${subdomain}`,
      'spec.defaultBackend.resource.kind: Required value: kind is required',
      `spec.defaultBackend.resource.name: Invalid value: "a/b": may not contain '/'`,
    ],
  ],
])
refusals(test, kindAt('apis/node.orch.io/v1/runtimeclasses'), [
  [
    'the tolerations of a class are those of a pod',
    {
      handler: 'a',
      scheduling: { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
    },
    [
      'scheduling.tolerations.tolerations[0].operator: Invalid value: {"key":"a","operator":"Exists","value":"b"}: ' +
        "value must be empty when `operator` is 'Exists'",
    ],
  ],
])
refusals(test, kindAt('apis/storage.orch.io/v1/csinodes'), [
  [
    'topology keys are keys of labels',
    { spec: { drivers: [{ name: 'a', nodeID: 'b', topologyKeys: ['c d'] }] } },
    [`spec.drivers[0]: Invalid value: "c d": ${qualified}`],
  ],
])

// document 1, section 9: the topology of an older version cannot be written
test('the topology of an endpoint is written by nobody', async ({ writer }) => {
  const slices = kindAt('apis/discovery.orch.io/v1/endpointslices')
  const deprecatedTopology = { zone: 'a' }
  const endpoints = [{ addresses: ['192.0.2.1'], deprecatedTopology }]
  const given = { addressType: 'IPv4', endpoints }
  const topology = (object: Stored) =>
    (object.endpoints as readonly { readonly deprecatedTopology?: object }[])[0]?.deprecatedTopology
  assert.is(topology(stored(await writer.create(slices, given))), undefined)
  const changed = await writer.update(slices, given, (object) => ({ ...object, endpoints }))
  assert.is(topology(stored(changed)), undefined)
})

const main = { name: 'main', image: 'example/app:1' }
const debug = { name: 'debug', image: 'example/tools:1' }
const withDebug = (container: object) => (object: Stored) => ({
  ...object,
  spec: { ...(object.spec as object), ephemeralContainers: [container] },
})

// I-04
refusals(test, pods, [
  [
    'a pod begins without containers that look at others',
    { spec: { containers: [main], ephemeralContainers: [debug] } },
    ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
  ],
])
updates(
  test,
  pods,
  { spec: { containers: [main] } },
  [
    [
      'a container that looks at another has a name of its own and little beside',
      withDebug({
        ...debug,
        name: 'main',
        targetContainerName: 'gone',
        ports: [{ containerPort: 80 }],
      }),
      [
        'spec.ephemeralContainers[0].name: Duplicate value: "main"',
        'spec.ephemeralContainers[0].targetContainerName: Not found: "gone"',
        'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
      ],
    ],
    ['it may be added', withDebug({ ...debug, targetContainerName: 'main' }), []],
  ],
  'ephemeralcontainers',
)

test.run()
