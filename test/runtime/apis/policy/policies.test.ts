import { kindAt } from '../../../support/registry.ts'
import type { Given, Stored } from '../outcome.ts'
import { creations, refusals, updates, writing } from '../tables.ts'

const test = writing('runtime/apis: limits, budgets, autoscalers and endpoints')
const limitRanges = kindAt('api/v1/limitranges')
const quotas = kindAt('api/v1/resourcequotas')
const budgets = kindAt('apis/policy/v1/poddisruptionbudgets')
const autoscalers = kindAt('apis/autoscaling/v2/horizontalpodautoscalers')
const endpoints = kindAt('api/v1/endpoints')
const slices = kindAt('apis/discovery.orch.io/v1/endpointslices')
const priorities = kindAt('apis/scheduling.orch.io/v1/priorityclasses')
const runtimes = kindAt('apis/node.orch.io/v1/runtimeclasses')

type Fields = Readonly<Record<string, unknown>>
const at = (path: string) => (object: Stored) =>
  path.split('.').reduce<unknown>((value, step) => (value as Fields)?.[step], object)

const limits = (...items: object[]): Given => ({ spec: { limits: items } })
const first = (object: Stored) => (at('spec.limits')(object) as Fields[])[0]

// I-01, I-26
creations(test, limitRanges, [
  [
    'a container may use the most there is, and asks for what it may use',
    limits({ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } }),
    first,
    {
      type: 'Container',
      max: { cpu: '2' },
      min: { memory: '1Mi' },
      default: { cpu: '2' },
      defaultRequest: { cpu: '2', memory: '1Mi' },
    },
  ],
  [
    'pods have no defaults',
    limits({ type: 'Pod', max: { cpu: '2' } }),
    first,
    { type: 'Pod', max: { cpu: '2' } },
  ],
])
refusals(test, limitRanges, [
  ['no limits at all', { spec: {} }, []],
  [
    'bounds do not contradict each other',
    limits({ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }),
    [
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
      'spec.limits[0].default[cpu]: Invalid value: "1": min value 2 is greater than default value 1',
    ],
  ],
  [
    'one entry for each type',
    limits({ type: 'Pod' }, { type: 'Pod' }),
    ['spec.limits[1].type: Duplicate value: "Pod"'],
  ],
  [
    'pods have no defaults',
    limits({ type: 'Pod', default: { cpu: '1' } }),
    ["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
  ],
  [
    'claims are bounded by size',
    limits({ type: 'PersistentVolumeClaim', max: { cpu: '1' } }),
    [
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ],
  ],
  [
    'resources are known or have a full name',
    limits({ type: 'Container', max: { bananas: '1', 'example.com/bananas': '1' } }),
    ['max', 'default', 'defaultRequest'].flatMap((table) =>
      ['type or fully qualified', 'for containers'].map(
        (what) =>
          `spec.limits[0].${table}[bananas]: Invalid value: bananas: must be a standard resource ${what}`,
      ),
    ),
  ],
  [
    'a ratio is at least one, and one that the bounds allow',
    limits({
      type: 'Pod',
      min: { cpu: '1' },
      max: { cpu: '2' },
      maxLimitRequestRatio: { cpu: '3', memory: '500m' },
    }),
    [
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000',
      'spec.limits[0].maxLimitRequestRatio[memory]: Invalid value: "500m": ratio 500m is less than 1',
    ],
  ],
])

const quota = (spec: object): Given => ({ spec })
refusals(test, quotas, [
  [
    'counts and amounts',
    quota({ hard: { pods: '1', 'count/widgets.example.com': '2', 'limits.cpu': '1' } }),
    [],
  ],
  [
    'of resources that are known',
    quota({ hard: { bananas: '1' } }),
    ['type or fully qualified', 'for quota'].map(
      (what) => `spec.hard[bananas]: Invalid value: bananas: must be a standard resource ${what}`,
    ),
  ],
  [
    'objects are whole and not less than none',
    quota({ hard: { pods: '500m', secrets: '-1' } }),
    [
      'spec.hard[pods]: Invalid value: "500m": must be an integer',
      'spec.hard[secrets]: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [
    'scopes are known',
    quota({ scopes: ['Sometimes'] }),
    ['spec.scopes: Invalid value: []core.ResourceQuotaScope{"Sometimes"}: unsupported scope'],
  ],
  [
    'of which each that is not known is told of',
    quota({ scopes: ['Sometimes', 'Never', 'Sometimes'] }),
    Array.from(
      { length: 3 },
      () =>
        'spec.scopes: Invalid value: []core.ResourceQuotaScope{"Sometimes", "Never", "Sometimes"}: unsupported scope',
    ),
  ],
  [
    'do not exclude each other',
    quota({ scopes: ['BestEffort', 'NotBestEffort'] }),
    [
      'spec.scopes: Invalid value: []core.ResourceQuotaScope{"BestEffort", "NotBestEffort"}: conflicting scopes',
    ],
  ],
  [
    'and are about pods',
    quota({ hard: { secrets: '1' }, scopes: ['Terminating'] }),
    [
      'spec.scopes: Invalid value: []core.ResourceQuotaScope{"Terminating"}: unsupported scope applied to resource',
    ],
  ],
  [
    'a set has values',
    quota({
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] },
    }),
    [
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ],
])
updates(test, quotas, quota({ hard: { pods: '1' }, scopes: ['Terminating'] }), [
  ['a cap rises', (o) => ({ ...o, spec: { ...(o.spec as object), hard: { pods: '2' } } }), []],
  [
    'the scopes stay',
    (o) => ({ ...o, spec: { hard: { pods: '1' } } }),
    ['spec.scopes: Invalid value: "null": field is immutable'],
  ],
])

// I-18
refusals(test, budgets, [
  ['those that stay', { spec: { minAvailable: '50%' } }, []],
  ['those that go', { spec: { maxUnavailable: 0 } }, []],
  [
    'not both',
    { spec: { minAvailable: 1, maxUnavailable: 1 } },
    [
      'spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set',
    ],
  ],
  [
    'no more than there are',
    { spec: { minAvailable: '101%' } },
    [
      'spec.minAvailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
    ],
  ],
  [
    'text is a percentage',
    { spec: { maxUnavailable: 'half' } },
    [
      `spec.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"half"}: a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
    ],
  ],
])

const target = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' }
const scaler = (more: object = {}): Given => ({
  spec: { scaleTargetRef: target, maxReplicas: 3, ...more },
})
const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
}
const everything = { type: 'Percent', value: 100, periodSeconds: 15 }
// I-01, I-16
creations(test, autoscalers, [
  ['by CPU', scaler(), at('spec.metrics'), [cpu]],
  ['from one', scaler(), at('spec.minReplicas'), 1],
  ['at any speed', scaler(), at('spec.behavior'), undefined],
  [
    'one rule brings the others',
    scaler({ behavior: { scaleDown: { stabilizationWindowSeconds: 5 } } }),
    at('spec.behavior'),
    {
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Max',
        policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, everything],
      },
      scaleDown: { stabilizationWindowSeconds: 5, selectPolicy: 'Max', policies: [everything] },
    },
  ],
])
const metric = 'spec.metrics[0]'
const up = 'spec.behavior.scaleUp'
refusals(test, autoscalers, [
  [
    'something to scale, up to somewhere',
    { spec: {} },
    [
      'spec.maxReplicas: Invalid value: 0: must be greater than 0',
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
      'spec.scaleTargetRef.kind: Required value',
      'spec.scaleTargetRef.name: Required value',
    ],
  ],
  [
    'from at least one',
    scaler({ minReplicas: 0 }),
    [
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
  ],
  [
    'a metric has the source of its type',
    scaler({ metrics: [{ type: 'Pods', resource: cpu.resource }] }),
    [`${metric}.pods: Required value: must populate information for the given metric source`],
  ],
  [
    'a resource has one target',
    scaler({
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Value' } } }],
    }),
    [
      `${metric}.resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization`,
    ],
  ],
  [
    'which is more than nothing',
    scaler({
      metrics: [
        {
          type: 'External',
          external: { metric: { name: 'queue' }, target: { type: 'Value', value: '0' } },
        },
      ],
    }),
    [`${metric}.external.target.value: Invalid value: "0": must be positive`],
  ],
  [
    'rules of speed are bounded',
    scaler({
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 3601,
          policies: [{ type: 'Pods', value: 0, periodSeconds: 1801 }],
        },
      },
    }),
    [
      `${up}.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600`,
      `${up}.policies[0].value: Invalid value: 0: must be greater than zero`,
      `${up}.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800`,
    ],
  ],
])

const addresses = (...ips: string[]): Given => ({
  subsets: [{ addresses: ips.map((ip) => ({ ip })) }],
})
const ip = (address: string, why: string) =>
  `subsets[0].addresses[0].ip: Invalid value: ${JSON.stringify(address)}: ${why}`
refusals(test, endpoints, [
  ['addresses of both families', addresses('10.0.0.1', '2001:db8::1'), []],
  [
    'a subset has some',
    { subsets: [{ ports: [{ port: 80 }] }] },
    ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
  ],
  [
    'that are addresses',
    addresses('web'),
    [
      ip('web', 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'),
      ip('web', 'must be a valid IP address'),
    ],
  ],
  [
    'of another machine',
    addresses('127.0.0.1'),
    [ip('127.0.0.1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)')],
  ],
  [
    'that can be reached',
    addresses('fe80::1'),
    [ip('fe80::1', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')],
  ],
  [
    'several ports have names',
    { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }, { port: 0 }] }] },
    [
      'subsets[0].ports[0].name: Required value',
      'subsets[0].ports[1].name: Required value',
      'subsets[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ],
])
creations(test, endpoints, [
  [
    'ports speak TCP',
    { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
    (o) => (o.subsets as { ports: object }[])[0]?.ports,
    [{ port: 80, protocol: 'TCP' }],
  ],
])

const slice = (addressType: string, ...given: string[]): Given => ({
  addressType,
  endpoints: [{ addresses: given }],
})
creations(test, slices, [
  ['no ports are all ports', slice('IPv4', '10.0.0.1'), (o) => o.ports, null],
  ['generations are counted', slice('IPv4', '10.0.0.1'), at('metadata.generation'), 1],
  [
    'the topology of an older version is dropped',
    {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], deprecatedTopology: { a: 'b' } }],
    },
    (o) => o.endpoints,
    [{ addresses: ['10.0.0.1'], conditions: {} }],
  ],
])
refusals(test, slices, [
  ['domains', slice('FQDN', 'web.example.com'), []],
  [
    'of one type',
    slice('IPv4', '2001:db8::1'),
    ['endpoints[0].addresses[0]: Invalid value: "2001:db8::1": must be a valid IPv4 address'],
  ],
  [
    'that is known',
    slice('Mail', 'x'),
    ['addressType: Unsupported value: "Mail": supported values: "FQDN", "IPv4", "IPv6"'],
  ],
  [
    'names of ports differ',
    {
      addressType: 'IPv4',
      endpoints: [],
      ports: [{ port: 1 }, { port: 2 }],
    },
    ['ports[1].name: Duplicate value: ""'],
  ],
])
updates(test, slices, slice('IPv4', '10.0.0.1'), [
  ['addresses come and go', (o) => ({ ...o, endpoints: [] }), []],
  [
    'their type stays',
    (o) => ({ ...o, addressType: 'IPv6', endpoints: [] }),
    ['addressType: Invalid value: "IPv6": field is immutable'],
  ],
])

// I-20
refusals(test, priorities, [
  ['up to a billion', { value: 1_000_000_000 }, []],
  [
    'and no more',
    { value: 1_000_000_001 },
    ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
  ],
  [
    'the platform keeps a prefix',
    { metadata: { name: 'system-mine' }, value: 1 },
    [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    ],
  ],
])
creations(test, priorities, [
  ['those above push others out', { value: 1 }, (o) => o.preemptionPolicy, 'PreemptLowerPriority'],
])
updates(test, priorities, { value: 1 }, [
  ['the description changes', (o) => ({ ...o, description: 'new' }), []],
  [
    'the value does not',
    (o) => ({ ...o, value: 2 }),
    ['value: Forbidden: may not be changed in an update.'],
  ],
  [
    'nor whom it pushes out',
    (o) => ({ ...o, preemptionPolicy: 'Never' }),
    ['preemptionPolicy: Invalid value: "Never": field is immutable'],
  ],
])
refusals(test, runtimes, [
  [
    'a class has a handler',
    { handler: '' },
    [
      'handler: Invalid value: "": a lowercase RFC 1123 label must consist of lower case alphanumeric characters ' +
        "or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used " +
        "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    'overhead is not negative',
    { handler: 'runc', overhead: { podFixed: { cpu: '-1' } } },
    ['overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
  ],
])
updates(test, runtimes, { handler: 'runc' }, [
  [
    'the handler stays',
    (o) => ({ ...o, handler: 'other' }),
    ['handler: Invalid value: "other": field is immutable'],
  ],
])

test.run()
