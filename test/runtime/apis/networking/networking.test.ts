import { kindAt } from '../../../support/registry.ts'
import type { Given, Stored } from '../outcome.ts'
import { creations, refusals, updates, writing } from '../tables.ts'

const test = writing('runtime/apis: networking')
const stable = 'apis/networking.orch.io/v1'
const alpha = 'apis/networking.orch.io/v1alpha1'
const ingresses = kindAt(`${stable}/ingresses`)
const classes = kindAt(`${stable}/ingressclasses`)
const policies = kindAt(`${stable}/networkpolicies`)
const addresses = kindAt(`${alpha}/ipaddresses`)
const ranges = kindAt(`${alpha}/servicecidrs`)

const backend = { service: { name: 'web', port: { number: 80 } } }
const routed = (path: object, host = 'shop.example.com'): Given => ({
  spec: {
    rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...path }] } }],
  },
})
const at = 'spec.rules[0].http.paths[0]'

// I-21
refusals(test, ingresses, [
  ['an ingress that routes is fine', routed({}), []],
  ['one that only has a default backend too', { spec: { defaultBackend: backend } }, []],
  [
    'one that leads nowhere is not',
    { spec: {} },
    [
      'spec: Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified',
    ],
  ],
  [
    'a path says how it is compared',
    routed({ pathType: undefined }),
    [`${at}.pathType: Required value: pathType must be specified`],
  ],
  [
    'a path begins with a slash',
    routed({ path: 'a' }),
    [`${at}.path: Invalid value: "a": must be an absolute path`],
  ],
  [
    'an exact path has no dots and double slashes',
    routed({ path: '/a//b/..' }),
    [
      `${at}.path: Invalid value: "/a//b/..": must not contain '//'`,
      `${at}.path: Invalid value: "/a//b/..": cannot end with '/..'`,
    ],
  ],
  [
    'the controller may read paths its own way',
    routed({ path: '', pathType: 'ImplementationSpecific' }),
    [],
  ],
  [
    'a backend is a service or a resource',
    routed({ backend: { ...backend, resource: { kind: 'Bucket', name: 'files' } } }),
    [`${at}.backend: Invalid value: "": cannot set both resource and service backends`],
  ],
  [
    'a resource that names no group is one of the core group',
    routed({ backend: { resource: { kind: 'Bucket', name: 'files' } } }),
    [],
  ],
  [
    'a service has a port',
    routed({ backend: { service: { name: 'web' } } }),
    [`${at}.backend: Required value: port name or number is required`],
  ],
  [
    'by name or by number',
    routed({ backend: { service: { name: 'web', port: { name: 'http', number: 80 } } } }),
    [`${at}.backend: Invalid value: "": cannot set both port name & port number`],
  ],
  ['a star stands for the first label of a host', routed({}, '*.example.com'), []],
  [
    'a host is no address',
    routed({}, '192.0.2.1'),
    ['spec.rules[0].host: Invalid value: "192.0.2.1": must be a DNS name, not an IP address'],
  ],
  [
    'a certificate may be good for an address that reads as a name',
    { spec: { tls: [{ hosts: ['192.0.2.1', '010.0.0.1'] }], defaultBackend: backend } },
    [],
  ],
  [
    'the old annotation and the class exclude each other',
    {
      metadata: { annotations: { 'orch.io/ingress.class': 'edge' } },
      spec: { ingressClassName: 'edge', defaultBackend: backend },
    },
    [
      'metadata.annotations.orch.io/ingress.class: Invalid value: "edge": can not be set when the class field is also set',
    ],
  ],
])

const parameters = { apiGroup: 'example.com', kind: 'Edge', name: 'main' }

creations(test, classes, [
  [
    'parameters are cluster scoped by default',
    { spec: { controller: 'example.com/edge', parameters } },
    (o: Stored) => (o.spec as { parameters: { scope: string } }).parameters.scope,
    'Cluster',
  ],
])
refusals(test, classes, [
  ['a class has a controller', { spec: {} }, ['spec.controller: Required value']],
  [
    'with a domain in front',
    { spec: { controller: 'edge' } },
    [
      'spec.controller: Invalid value: "edge": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
  ],
  [
    'parameters in a namespace name it',
    { spec: { controller: 'example.com/edge', parameters: { ...parameters, scope: 'Namespace' } } },
    ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  ],
])
// I-20
updates(test, classes, { spec: { controller: 'example.com/edge' } }, [
  [
    'the controller stays',
    (o) => ({ ...o, spec: { controller: 'example.com/other' } }),
    ['spec.controller: Invalid value: "example.com/other": field is immutable'],
  ],
])

const policy = (more: object): Given => ({ spec: { podSelector: {}, ...more } })
const types = (o: Stored) => (o.spec as { policyTypes: unknown }).policyTypes

// I-01, I-22
creations(test, policies, [
  ['a policy restricts what comes in', policy({}), types, ['Ingress']],
  [
    'and what goes out if it has rules for that',
    policy({ egress: [{}] }),
    types,
    ['Ingress', 'Egress'],
  ],
  ['unless it says what it restricts', policy({ policyTypes: ['Egress'] }), types, ['Egress']],
  [
    'ports are of TCP by default',
    policy({ ingress: [{ ports: [{ port: 80 }] }] }),
    (o) => (o.spec as { ingress: readonly { ports: unknown }[] }).ingress[0]?.ports,
    [{ protocol: 'TCP', port: 80 }],
  ],
])
const from = (peer: object) => policy({ ingress: [{ from: [peer] }] })
const ports = (port: object) => policy({ ingress: [{ ports: [port] }] })
refusals(test, policies, [
  [
    'a peer is somebody',
    from({}),
    ['spec.ingress[0].from[0]: Required value: must specify a peer'],
  ],
  [
    'a range and labels exclude each other',
    from({ podSelector: {}, ipBlock: { cidr: '192.0.2.0/24' } }),
    ['spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer'],
  ],
  [
    'a range is one',
    from({ ipBlock: { cidr: '192.0.2.0/33' } }),
    ['spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "192.0.2.0/33": not a valid CIDR'],
  ],
  [
    'an exception lies inside',
    from({ ipBlock: { cidr: '2001:db8::/64', except: ['2001:db9::/80', '2001:db8::/80'] } }),
    [
      'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "2001:db9::/80": must be a strict subset of `cidr`',
    ],
  ],
  [
    'ports of a range are numbers in order',
    ports({ port: 90, endPort: 80 }),
    [
      'spec.ingress[0].ports[0].endPort: Invalid value: 90: must be greater than or equal to `port`',
    ],
  ],
  [
    'a name begins no range',
    ports({ port: 'http', endPort: 80 }),
    [
      'spec.ingress[0].ports[0].endPort: Invalid value: 80: may not be specified when `port` is non-numeric',
    ],
  ],
])

const parent = { resource: 'services', name: 'web' }
refusals(test, addresses, [
  [
    'an address record is named by an address in its canonical form',
    { metadata: { name: '2001:DB8::0:7' }, spec: { parentRef: parent } },
    ['metadata.name: Invalid value: "2001:DB8::0:7": must be a canonical format IP address'],
  ],
  [
    'and says what the address belongs to',
    { metadata: { name: '192.0.2.9' }, spec: {} },
    ['spec.parentRef: Required value'],
  ],
])
updates(test, addresses, { metadata: { name: '192.0.2.8' }, spec: { parentRef: parent } }, [
  [
    'for good',
    (o) => ({ ...o, spec: { parentRef: { ...parent, name: 'other' } } }),
    [
      'spec: Invalid value: {"parentRef":{"resource":"services","name":"other"}}: field is immutable',
    ],
  ],
])
refusals(test, ranges, [
  [
    'a service range is one',
    { spec: {} },
    ['spec.cidrs: Required value: at least one CIDR required'],
  ],
  [
    'of each family at most',
    { spec: { cidrs: ['10.0.0.0/24', '10.0.1.0/24'] } },
    [
      'spec.cidrs: Invalid value: []string{"10.0.0.0/24", "10.0.1.0/24"}: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    ],
  ],
])

test.run()
