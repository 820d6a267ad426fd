import * as assert from 'uvu/assert'
import type { Container } from '../../../../../generated/apis/core/v1/container.ts'
import type { PodSpec, PodStatus } from '../../../../../generated/apis/core/v1/pod.ts'
import { pods } from '../../../../support/registry.ts'
import type { Given, Stored } from '../../outcome.ts'
import { creations, refusals, stored, updates, writing } from '../../tables.ts'

const test = writing('runtime/apis: pods')

const spec = (object: Stored) => object.spec as PodSpec
const first = (object: Stored) => spec(object).containers?.[0] as Container
const quality = (object: Stored) => (object.status as PodStatus).qosClass

/** A pod of one container. */
function pod(container: object = {}, more: object = {}): Given {
  return { spec: { containers: [{ name: 'main', image: 'example/app:1', ...container }], ...more } }
}

const pull = (image: string) => pod({ image })

// I-01
creations(test, pods, [
  ['a tag keeps an image', pull('a:1'), (o) => first(o).imagePullPolicy, 'IfNotPresent'],
  ['no tag means latest', pull('a'), (o) => first(o).imagePullPolicy, 'Always'],
  ['latest is pulled each time', pull('a:latest'), (o) => first(o).imagePullPolicy, 'Always'],
  ['a host may have capitals', pull('A/b'), (o) => first(o).imagePullPolicy, 'Always'],
  ['a name in capitals is none', pull('A_B'), (o) => first(o).imagePullPolicy, 'IfNotPresent'],
  ['a port is no tag', pull('host:5000/a'), (o) => first(o).imagePullPolicy, 'Always'],
  [
    'a digest keeps an image',
    pull(`a@sha256:${'0'.repeat(64)}`),
    (o) => first(o).imagePullPolicy,
    'IfNotPresent',
  ],
  [
    'a given policy stays',
    pod({ imagePullPolicy: 'Never' }),
    (o) => first(o).imagePullPolicy,
    'Never',
  ],
  [
    'requests are copied from limits, one by one',
    pod({ resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } } }),
    (o) => first(o).resources?.requests,
    { cpu: '1', memory: '1Gi' },
  ],
  [
    'amounts are rounded up to thousandths',
    pod({ resources: { limits: { cpu: '1.00005' } } }),
    (o) => first(o).resources,
    { limits: { cpu: '1001m' }, requests: { cpu: '1001m' } },
  ],
  [
    'on the network of the node, ports are ports of the node',
    pod({ ports: [{ containerPort: 80 }] }, { hostNetwork: true }),
    (o) => first(o).ports,
    [{ hostPort: 80, containerPort: 80, protocol: 'TCP' }],
  ],
  [
    'otherwise they are not',
    pod({ ports: [{ containerPort: 80 }] }),
    (o) => first(o).ports,
    [{ containerPort: 80, protocol: 'TCP' }],
  ],
  ['service links are on', pod(), (o) => spec(o).enableServiceLinks, true],
  [
    'service links can be off',
    pod({}, { enableServiceLinks: false }),
    (o) => spec(o).enableServiceLinks,
    false,
  ],
  [
    'the account has an alias',
    pod({}, { serviceAccountName: 'a' }),
    (o) => spec(o).serviceAccount,
    'a',
  ],
  ['the alias is enough', pod({}, { serviceAccount: 'a' }), (o) => spec(o).serviceAccountName, 'a'],
  [
    'a volume without a source is an empty directory',
    pod({}, { volumes: [{ name: 'tmp' }] }),
    (o) => spec(o).volumes,
    [{ name: 'tmp', emptyDir: {} }],
  ],
])

// I-02
const resources = (limits: object, requests?: object) =>
  pod({ resources: { limits, ...(requests && { requests }) } })
creations(test, pods, [
  [
    'a new pod is pending, whatever its creator says',
    { ...pod(), status: { phase: 'Running', podIP: '10.0.0.1' } },
    (o) => o.status,
    { phase: 'Pending', qosClass: 'BestEffort' },
  ],
  ['nothing asked for is best effort', pod(), quality, 'BestEffort'],
  ['zero is nothing', resources({}, { cpu: '0' }), quality, 'BestEffort'],
  ['other resources do not count', resources({ 'example.com/gpu': '1' }), quality, 'BestEffort'],
  ['limits of both are a guarantee', resources({ cpu: '1', memory: '1Gi' }), quality, 'Guaranteed'],
  [
    'equal amounts written differently are a guarantee',
    resources({ cpu: '1', memory: '1Gi' }, { cpu: '1000m', memory: '1024Mi' }),
    quality,
    'Guaranteed',
  ],
  ['a limit of one is burstable', resources({ cpu: '1' }), quality, 'Burstable'],
  [
    'less asked for than allowed is burstable',
    resources({ cpu: '1', memory: '1Gi' }, { cpu: '500m' }),
    quality,
    'Burstable',
  ],
])

const main = { name: 'main', image: 'a:1' }
const at = 'spec.containers[0]'
refusals(test, pods, [
  ['a pod without a spec lacks containers', {}, ['spec.containers: Required value']],
  [
    'a pod without containers is refused',
    { spec: { containers: [] } },
    ['spec.containers: Required value'],
  ],
  [
    'null is no list of containers',
    { spec: { containers: null } },
    ['spec.containers: Required value'],
  ],
  ['a container needs an image', pod({ image: '' }), [`${at}.image: Required value`]],
  [
    'container names are unique across all containers',
    { spec: { containers: [main, main], initContainers: [main] } },
    [
      'spec.containers[1].name: Duplicate value: "main"',
      'spec.initContainers[0].name: Duplicate value: "main"',
    ],
  ],
  [
    'a mount needs a volume and a path of its own',
    pod(
      {
        volumeMounts: [
          { name: 'gone', mountPath: '/a' },
          { name: 'tmp', mountPath: '/a' },
        ],
      },
      { volumes: [{ name: 'tmp' }] },
    ),
    [
      `${at}.volumeMounts[0].name: Not found: "gone"`,
      `${at}.volumeMounts[1].mountPath: Invalid value: "/a": must be unique`,
    ],
  ],
  [
    'a volume has one name and one source',
    pod({}, { volumes: [{ name: 'a' }, { name: 'a', emptyDir: {}, hostPath: { path: '/' } }] }),
    [
      'spec.volumes[1].hostPath: Forbidden: may not specify more than 1 volume type',
      'spec.volumes[1].name: Duplicate value: "a"',
    ],
  ],
  [
    'nothing may ask for more than its limit',
    resources({ cpu: '1' }, { cpu: '2' }),
    [`${at}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`],
  ],
  [
    'a probe checks in one way',
    pod({
      livenessProbe: { successThreshold: 2 },
      readinessProbe: { exec: {}, tcpSocket: { port: 1 } },
    }),
    [
      `${at}.livenessProbe: Required value: must specify a handler type`,
      `${at}.livenessProbe.successThreshold: Invalid value: 2: must be 1`,
      `${at}.readinessProbe.exec.command: Required value`,
      `${at}.readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`,
    ],
  ],
  [
    'a variable has a value from one place',
    pod({
      env: [
        { name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'B', valueFrom: {} },
        { name: 'C', value: 'x' },
      ],
    }),
    [
      `${at}.env[0].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`,
      `${at}.env[1].valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\` or \`secretKeyRef\``,
    ],
  ],
  [
    'only init containers choose to keep running',
    { spec: { containers: [{ ...main, restartPolicy: 'Always' }] } },
    [`${at}.restartPolicy: Forbidden: may not be set for non-init containers`],
  ],
  [
    'ports of the node are not shared',
    pod({
      ports: [
        { containerPort: 1, hostPort: 80 },
        { containerPort: 2, hostPort: 80 },
      ],
    }),
    [`${at}.ports[1].hostPort: Duplicate value: "TCP//80"`],
  ],
])

// I-03
const others =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'
const withSpec = (change: object) => (object: Stored) => ({
  ...object,
  spec: { ...spec(object), ...change },
})
const withContainer = (change: object) => (object: Stored) =>
  withSpec({ containers: [{ ...first(object), ...change }] })(object)

updates(
  test,
  pods,
  pod(
    {},
    {
      activeDeadlineSeconds: 60,
      tolerations: [{ key: 'a', operator: 'Exists' }],
      schedulingGates: [{ name: 'g' }],
    },
  ),
  [
    ['nothing may change at all', (object) => object, []],
    ['the image may change', withContainer({ image: 'b:2' }), []],
    ['labels may change', (o) => ({ ...o, metadata: { ...o.metadata, labels: { a: 'b' } } }), []],
    ['a deadline may come nearer', withSpec({ activeDeadlineSeconds: 30 }), []],
    [
      'a deadline may not move away',
      withSpec({ activeDeadlineSeconds: 90 }),
      [
        'spec.activeDeadlineSeconds: Invalid value: 90: must be less than or equal to previous value',
      ],
    ],
    [
      'a deadline may not be lifted',
      withSpec({ activeDeadlineSeconds: undefined }),
      [
        'spec.activeDeadlineSeconds: Invalid value: "null": must not update from a positive integer to nil value',
      ],
    ],
    [
      'resources may not change the quality class',
      withContainer({ resources: { requests: { cpu: '1' } } }),
      [
        'metadata: Invalid value: "BestEffort": Pod QoS is immutable',
        `spec: Forbidden: ${others}\n+ containers[0].resources.requests: {"cpu":"1"}`,
      ],
    ],
    ['a gate may be removed', withSpec({ schedulingGates: [] }), []],
    [
      'a gate may not be added',
      withSpec({ schedulingGates: [{ name: 'g' }, { name: 'h' }] }),
      [
        "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'h'",
      ],
    ],
    [
      'a toleration may be added',
      withSpec({
        tolerations: [
          { key: 'a', operator: 'Exists' },
          { key: 'b', operator: 'Exists' },
        ],
      }),
      [],
    ],
    [
      'a toleration may not be removed',
      withSpec({ tolerations: [] }),
      [
        'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
      ],
    ],
    [
      'containers may not be added',
      withSpec({ containers: [main, { ...main, name: 'b' }] }),
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'nothing else may change, and the difference is told',
      withContainer({ image: 'b:2', command: ['sh'] }),
      [`spec: Forbidden: ${others}\n+ containers[0].command: ["sh"]`],
    ],
    [
      'a node is not chosen by an update',
      withSpec({ nodeName: 'n1' }),
      [`spec: Forbidden: ${others}\n+ nodeName: "n1"`],
    ],
  ],
)

test('the first address and the list of addresses are kept in step', async ({ writer }) => {
  const status = { phase: 'Running', podIP: '10.0.0.1' }
  const object = stored(await writer.update(pods, pod(), (o) => ({ ...o, status }), 'status'))
  assert.equal((object.status as PodStatus).podIPs, [{ ip: '10.0.0.1' }])
})

test.run()
