import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments, pods } from '../../../support/registry.ts'
import { ago, type Fields, rows as rowsOf } from '../rows.ts'

const test = suite('runtime/apis: cells')

const rows = (path: string, table: Parameters<typeof rowsOf>[2]) => rowsOf(test, path, table)

/** A pod with one container status for each state. */
function pod(
  phase: string,
  states: readonly object[],
  more: Fields = {},
  status: object = {},
): Fields {
  const containers = states.map((_, index) => ({ name: `c${index}` }))
  return {
    spec: { containers },
    status: { phase, containerStatuses: states, ...status },
    ...more,
  }
}

const running = { ready: true, state: { running: {} } }
const waiting = (reason: string) => ({ state: { waiting: { reason } } })
const ended = (terminated: object) => ({ state: { terminated } })
const restarted = (restartCount: number, finishedAt: string) => ({
  ...running,
  restartCount,
  lastState: { terminated: { finishedAt } },
})
const deleted = { metadata: { deletionTimestamp: ago(0) } }

rows('api/v1/pods', [
  [
    'a fresh pod is pending',
    pod('Pending', []),
    { Ready: '0/0', Status: 'Pending', Restarts: '0' },
  ],
  [
    'a running pod counts its ready containers',
    pod('Running', [running, { ...running, ready: false }]),
    { Ready: '1/2', Status: 'Running' },
  ],
  [
    'a held container gives the reason',
    pod('Running', [running, waiting('CrashLoopBackOff')]),
    { Ready: '1/2', Status: 'CrashLoopBackOff' },
  ],
  [
    'of several reasons the first wins',
    pod('Pending', [waiting('ErrImagePull'), waiting('CrashLoopBackOff')]),
    { Status: 'ErrImagePull' },
  ],
  [
    'an ended container gives its reason',
    pod('Failed', [ended({ reason: 'OOMKilled', exitCode: 137 })]),
    { Status: 'OOMKilled' },
  ],
  ['without a reason its code', pod('Failed', [ended({ exitCode: 3 })]), { Status: 'ExitCode:3' }],
  ['or its signal', pod('Failed', [ended({ exitCode: 137, signal: 9 })]), { Status: 'Signal:9' }],
  [
    'one container done and one running is not ready',
    pod('Running', [ended({ reason: 'Completed', exitCode: 0 }), running]),
    { Status: 'NotReady' },
  ],
  [
    'unless the pod says it is ready',
    pod(
      'Running',
      [ended({ reason: 'Completed', exitCode: 0 }), running],
      {},
      { conditions: [{ type: 'Ready', status: 'True' }] },
    ),
    { Status: 'Running' },
  ],
  [
    'a reason of the pod wins over its phase',
    pod('Failed', [], {}, { reason: 'Evicted' }),
    { Status: 'Evicted' },
  ],
  [
    'a gated pod says so',
    pod(
      'Pending',
      [],
      {},
      { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    ),
    { Status: 'SchedulingGated' },
  ],
  ['a deleted pod is terminating', pod('Running', [running], deleted), { Status: 'Terminating' }],
  [
    'a deleted pod that is done is not',
    pod('Succeeded', [ended({ reason: 'Completed', exitCode: 0 })], deleted),
    { Status: 'Completed' },
  ],
  [
    'a deleted pod on a lost node is unknown',
    pod('Running', [], deleted, { reason: 'NodeLost' }),
    { Status: 'Unknown' },
  ],
  [
    'restarts are summed, and the last one told',
    pod('Running', [restarted(1, ago(400)), restarted(2, ago(300))]),
    { Restarts: '3 (5m ago)' },
  ],
  [
    'restarts at an unknown time are only counted',
    pod('Running', [{ ...running, restartCount: 2 }]),
    { Restarts: '2' },
  ],
  [
    'wide columns say none',
    pod('Pending', []),
    {
      IP: '<none>',
      Node: '<none>',
      'Nominated Node': '<none>',
      'Readiness Gates': '<none>',
      Age: '<unknown>',
    },
  ],
  [
    'wide columns say where the pod is',
    {
      metadata: { creationTimestamp: ago(120) },
      spec: { nodeName: 'n1', readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] },
      status: { podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'b', status: 'True' }] },
    },
    { IP: '10.0.0.1', Node: 'n1', 'Readiness Gates': '1/2', Age: '2m' },
  ],
])

/** A pod with two init containers in the given states. */
function init(states: readonly object[], first: object = {}, status: object = {}): Fields {
  const initContainers = [{ name: 'i0', ...first }, { name: 'i1' }]
  const initContainerStatuses = states.map((state, index) => ({ name: `i${index}`, ...state }))
  return {
    spec: { containers: [{ name: 'main' }], initContainers },
    status: { phase: 'Pending', initContainerStatuses, ...status },
  }
}

const done = ended({ reason: 'Completed', exitCode: 0 })
const sidecar = { restartPolicy: 'Always' }
const started = { ...running, started: true, restartCount: 4 }
const up = { phase: 'Running', containerStatuses: [{ name: 'main', ...running, restartCount: 1 }] }

rows('api/v1/pods', [
  [
    'initialization shows its progress',
    init([done, { state: { running: {} } }]),
    { Ready: '0/1', Status: 'Init:1/2' },
  ],
  [
    'an init container that waits for its turn is progress',
    init([waiting('PodInitializing')]),
    { Status: 'Init:0/2' },
  ],
  [
    'a held init container gives the reason',
    init([waiting('ErrImagePull')]),
    { Status: 'Init:ErrImagePull' },
  ],
  ['a failed one too', init([ended({ reason: 'Error', exitCode: 1 })]), { Status: 'Init:Error' }],
  ['without a reason its code', init([ended({ exitCode: 2 })]), { Status: 'Init:ExitCode:2' }],
  [
    'restarts of init containers count while they run',
    init([{ restartCount: 2, ...waiting('CrashLoopBackOff') }]),
    { Restarts: '2' },
  ],
  [
    'and are forgotten when they are done',
    init([{ ...done, restartCount: 2 }, done], {}, up),
    { Status: 'Running', Ready: '1/1', Restarts: '1' },
  ],
  [
    'a sidecar is one of the containers',
    init([started, done], sidecar, up),
    { Status: 'Running', Ready: '2/2', Restarts: '5' },
  ],
  [
    'a sidecar that has not started holds up',
    init([waiting('')], sidecar),
    { Ready: '0/2', Status: 'Init:0/2' },
  ],
])

const template = {
  spec: {
    containers: [
      { name: 'a', image: 'x:1' },
      { name: 'b', image: 'y:2' },
    ],
  },
}
const selector = {
  matchLabels: { b: '2', a: '1' },
  matchExpressions: [{ key: 'c', operator: 'In', values: ['y', 'x'] }],
}
rows('apis/apps/v1/deployments', [
  [
    'counts and wide columns',
    { spec: { replicas: 3, selector, template }, status: { readyReplicas: 1, updatedReplicas: 2 } },
    {
      Ready: '1/3',
      'Up-to-date': 2,
      Available: 0,
      Containers: 'a,b',
      Images: 'x:1,y:2',
      Selector: 'a=1,b=2,c in (x,y)',
    },
  ],
  [
    'nothing said yet',
    { spec: {} },
    { Ready: '0/0', 'Up-to-date': 0, Containers: '', Selector: '<none>' },
  ],
])
rows('apis/apps/v1/replicasets', [
  [
    'counts',
    { spec: { replicas: 3 }, status: { replicas: 2, readyReplicas: 1 } },
    { Desired: 3, Current: 2, Ready: 1 },
  ],
])

const ports = [
  { port: 80, protocol: 'TCP' },
  { port: 53, nodePort: 30053, protocol: 'UDP' },
]
const ingress = [{ ip: '192.0.2.9' }, { hostname: 'b.example.com' }, { ip: '192.0.2.1' }]
rows('api/v1/services', [
  [
    'an inner service',
    { spec: { type: 'ClusterIP', clusterIPs: ['10.0.0.1'], ports, selector: { b: '2', a: '1' } } },
    {
      'Cluster-IP': '10.0.0.1',
      'External-IP': '<none>',
      'Port(s)': '80/TCP,53:30053/UDP',
      Selector: 'a=1,b=2',
    },
  ],
  [
    'external addresses',
    { spec: { type: 'NodePort', externalIPs: ['192.0.2.1', '192.0.2.2'] } },
    {
      'External-IP': '192.0.2.1,192.0.2.2',
      'Port(s)': '<none>',
      'Cluster-IP': '<none>',
      Selector: '<none>',
    },
  ],
  [
    'a balancer without address',
    { spec: { type: 'LoadBalancer' } },
    { 'External-IP': '<pending>' },
  ],
  [
    'a balancer with addresses, sorted',
    {
      spec: { type: 'LoadBalancer', externalIPs: ['198.51.100.1'] },
      status: { loadBalancer: { ingress } },
    },
    { 'External-IP': '192.0.2.1,192.0.2.9,b.example.com,198.51.100.1' },
  ],
  [
    'a name',
    { spec: { type: 'ExternalName', externalName: 'example.com' } },
    { 'External-IP': 'example.com' },
  ],
])

const nodeInfo = {
  kernelVersion: '6.1.0',
  osImage: 'Debian',
  containerRuntimeVersion: 'containerd://1.7.2',
  orchletVersion: 'v1.29.0',
  orchProxyVersion: 'v1.28.0',
}
const health = (status: string) => ({ conditions: [{ type: 'Ready', status }] })
rows('api/v1/nodes', [
  [
    'a ready node with roles',
    {
      metadata: {
        labels: {
          'node-role.orch.io/worker': '',
          'node-role.orch.io/control-plane': '',
          other: 'x',
        },
      },
      status: {
        ...health('True'),
        nodeInfo,
        addresses: [{ type: 'InternalIP', address: '10.0.0.9' }],
      },
    },
    {
      Status: 'Ready',
      Roles: 'control-plane,worker',
      Version: 'v1.29.0',
      'Internal-IP': '10.0.0.9',
      'External-IP': '<none>',
      'OS-Image': 'Debian',
      'Kernel-Version': '6.1.0',
      'Container-Runtime': 'containerd://1.7.2',
    },
  ],
  [
    'a cordoned node',
    { spec: { unschedulable: true }, status: health('True') },
    { Status: 'Ready,SchedulingDisabled', Roles: '<none>' },
  ],
  ['a node out of touch', { status: health('Unknown') }, { Status: 'NotReady', Version: '' }],
  [
    'a node that said nothing',
    {},
    { Status: 'Unknown', 'OS-Image': '<unknown>', 'Kernel-Version': '<unknown>' },
  ],
])

const involvedObject = { kind: 'Pod', name: 'web', fieldPath: 'spec.containers{main}' }
rows('api/v1/events', [
  [
    'an event of the older style',
    {
      involvedObject,
      message: ' said \n',
      source: { component: 'agent', host: 'n1' },
      firstTimestamp: ago(300),
      lastTimestamp: ago(60),
      count: 4,
    },
    {
      'Last Seen': '60s',
      'First Seen': '5m',
      Count: 4,
      Object: 'pod/web',
      Subobject: 'spec.containers{main}',
      Source: 'agent, n1',
      Message: 'said',
    },
  ],
  [
    'an event of the newer style happened once',
    {
      involvedObject: { kind: 'Node' },
      source: {},
      firstTimestamp: null,
      eventTime: ago(10),
      reportingComponent: 'a',
    },
    { 'Last Seen': '10s', 'First Seen': '10s', Count: 1, Object: 'node', Source: 'a' },
  ],
  [
    'a series tells when it was last',
    { eventTime: ago(100), series: { count: 7, lastObservedTime: ago(5) } },
    { 'Last Seen': '5s', 'First Seen': '100s', Count: 7 },
  ],
  ['an event without times', {}, { 'Last Seen': '<unknown>', Count: 1, Source: '', Message: '' }],
])

rows('api/v1/configmaps', [
  ['text and binary entries count', { data: { a: '' }, binaryData: { b: '', c: '' } }, { Data: 3 }],
])
rows('api/v1/secrets', [
  ['entries count', { type: 'Opaque', data: { a: '' } }, { Type: 'Opaque', Data: 1 }],
])
rows('api/v1/serviceaccounts', [['secrets count', { secrets: [{}, {}] }, { Secrets: 2 }]])
rows('api/v1/namespaces', [
  [
    'the phase',
    { metadata: { name: 'a' }, status: { phase: 'Active' } },
    { Name: 'a', Status: 'Active' },
  ],
])
rows('apis/coordination.orch.io/v1/leases', [['no holder is empty', { spec: {} }, { Holder: '' }]])

test('the order of columns is the one of the described release', () => {
  const names = (kind: { columns: readonly { name: string }[] }) =>
    kind.columns.map(({ name }) => name)
  assert.equal(names(pods).slice(0, 5), ['Name', 'Ready', 'Status', 'Restarts', 'Age'])
  assert.equal(names(deployments).slice(0, 5), ['Name', 'Ready', 'Up-to-date', 'Available', 'Age'])
})

test.run()
