/** What a status may say that is written through its own path; nothing else is judged there. */
import { updateEdits } from './edits.ts'
import { writing } from './tables.ts'

const test = writing('runtime/apis: status')

const labels = { app: 'web' }
const pod = { containers: [{ name: 'main', image: 'example/app' }] }
const template = { metadata: { labels }, spec: pod }
const workload = { spec: { selector: { matchLabels: labels }, template } }
const nameless = [{}, { type: 'x' }]

for (const kind of ['deployments', 'replicasets', 'statefulsets']) {
  const given =
    kind === 'statefulsets' ? { spec: { ...workload.spec, serviceName: 's' } } : workload
  updateEdits(
    test,
    `apis/apps/v1/${kind}`,
    given,
    [
      ['status', { replicas: 3, readyReplicas: 2, availableReplicas: 1 }],
      ['status', { replicas: 1, readyReplicas: 2 }, 'status.readyReplicas'],
      [
        'status',
        { replicas: 3, readyReplicas: 1, availableReplicas: 2 },
        'status.availableReplicas',
      ],
      ['status', { replicas: -1 }, 'status.readyReplicas'],
      ['status', { conditions: nameless }],
      ['spec.replicas', -1],
    ],
    'status',
  )
}
updateEdits(
  test,
  'api/v1/replicationcontrollers',
  { spec: { selector: labels, template } },
  [
    ['status', { replicas: 1, fullyLabeledReplicas: 2 }, 'status.fullyLabeledReplicas'],
    ['status', { conditions: nameless }],
  ],
  'status',
)
updateEdits(
  test,
  'api/v1/pods',
  { spec: pod },
  [
    ['status.podIPs', [{ ip: 'abc' }], 'status.podIPs[0]'],
    ['status.podIPs', [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], 'status.podIPs'],
    ['status.podIPs', [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }]],
    ['status.hostIPs', [{ ip: '10.0.0.1' }], 'status.hostIPs[0].ip'],
    ['status.nominatedNodeName', 'A_b', 'status.nominatedNodeName'],
    ['status.conditions', [{ type: 'not a name' }], 'metadata.conditions[0].Type'],
    ['status.conditions', [{ type: 'Ready' }]],
    ['status.containerStatuses', [{ name: 'main' }]],
  ],
  'status',
)

const ports = [{ port: 80 }]
const ingress = 'status.loadBalancer.ingress'
updateEdits(
  test,
  'api/v1/services',
  { spec: { ports } },
  [
    [ingress, [{ ip: '10.0.0.1' }], ingress],
    ['status.conditions', nameless],
  ],
  'status',
)
updateEdits(
  test,
  'api/v1/services',
  { spec: { ports, type: 'LoadBalancer' } },
  [
    [ingress, [{ ip: '10.0.0.1', ports: [{ port: 99999 }] }, { hostname: 'a.example.com' }]],
    [ingress, [{ ip: 'abc' }], `${ingress}[0].ip`],
    [ingress, [{ hostname: '10.0.0.1' }], `${ingress}[0].hostname`],
    [ingress, [{ hostname: 'A_b' }], `${ingress}[0].hostname`],
  ],
  'status',
)
updateEdits(
  test,
  'apis/networking.orch.io/v1/ingresses',
  { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
  [
    [ingress, [{ ip: 'abc' }], `${ingress}[0].ip`],
    [ingress, [{ ip: '10.0.0.1', ports: [{}] }]],
  ],
  'status',
)
updateEdits(
  test,
  'apis/batch/v1/jobs',
  { spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } },
  [
    [
      'status.uncountedTerminatedPods',
      { succeeded: ['a'], failed: ['a'] },
      'status.uncountedTerminatedPods.failed[0]',
    ],
    ['status.conditions', nameless],
  ],
  'status',
)
updateEdits(
  test,
  'apis/policy/v1/poddisruptionbudgets',
  { spec: { maxUnavailable: 1 } },
  [
    ['status.conditions', nameless, 'status.conditions[0].type'],
    [
      'status.conditions',
      [{ type: 'a', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z', reason: 'R' }],
    ],
    ['status', { expectedPods: -2, conditions: nameless }, 'status.conditions[0].type'],
  ],
  'status',
)
updateEdits(
  test,
  'apis/apiregistration.orch.io/v1/apiservices',
  {
    metadata: { name: 'v1.example.com' },
    spec: {
      ...{ group: 'example.com', version: 'v1', insecureSkipTLSVerify: true },
      ...{ groupPriorityMinimum: 1, versionPriority: 1 },
      service: { name: 'a', namespace: 'b' },
    },
  },
  [['status.conditions', nameless, 'status.conditions[0].status']],
  'status',
)
updateEdits(
  test,
  'api/v1/namespaces',
  {},
  [
    ['status.phase', 'Terminating', 'status.Phase'],
    ['status.conditions', nameless],
  ],
  'status',
)
updateEdits(test, 'api/v1/namespaces', {}, [['spec.finalizers', ['x']]])
updateEdits(
  test,
  'api/v1/namespaces',
  {},
  [['spec.finalizers', ['x'], 'spec.finalizers[0]']],
  'finalize',
)
updateEdits(
  test,
  'api/v1/nodes',
  {},
  [
    ['status.conditions', nameless],
    ['status.nodeInfo', {}],
    [
      'status.addresses',
      [
        { type: 'a', address: 'b' },
        { type: 'a', address: 'b' },
      ],
      'status.addresses[1]',
    ],
  ],
  'status',
)
updateEdits(
  test,
  'apis/autoscaling/v2/horizontalpodautoscalers',
  { spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 3 } },
  [
    ['status.currentReplicas', -1, 'status.currentReplicas'],
    ['status.conditions', nameless],
    ['status.currentMetrics', [{}]],
  ],
  'status',
)

test.run()
