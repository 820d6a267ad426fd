import { suite } from 'uvu'
import { ago, type Fields, type Row, rows } from '../rows.ts'

const test = suite('runtime/apis: cells of workloads, storage and policy')

const labels = { app: 'web', tier: 'front' }
const template = {
  metadata: { labels },
  spec: {
    containers: [
      { name: 'a', image: 'x/a' },
      { name: 'b', image: 'x/b' },
    ],
    nodeSelector: { disk: 'ssd' },
  },
}
const selector = { matchLabels: labels }

rows(test, 'api/v1/replicationcontrollers', [
  [
    'wanted, existing and ready pods',
    {
      spec: { replicas: 3, selector: labels, template },
      status: { replicas: 2, readyReplicas: 1 },
    },
    {
      Desired: 3,
      Current: 2,
      Ready: 1,
      Containers: 'a,b',
      Images: 'x/a,x/b',
      Selector: 'app=web,tier=front',
    },
  ],
  ['no selector', {}, { Selector: '<none>' }],
])
rows(test, 'api/v1/podtemplates', [
  ['what it makes', { template }, { Containers: 'a,b', 'Pod Labels': 'app=web,tier=front' }],
])
rows(test, 'apis/apps/v1/statefulsets', [
  ['ready of wanted', { spec: { replicas: 3 }, status: { readyReplicas: 1 } }, { Ready: '1/3' }],
])
rows(test, 'apis/apps/v1/daemonsets', [
  [
    'counts of nodes',
    {
      spec: { template, selector },
      status: {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      },
    },
    {
      Desired: 5,
      Current: 4,
      Ready: 3,
      'Up-to-date': 2,
      Available: 1,
      'Node Selector': 'disk=ssd',
      Selector: 'app=web,tier=front',
    },
  ],
])
const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'web', controller: true }
rows(test, 'apis/apps/v1/controllerrevisions', [
  [
    'of a controller',
    { metadata: { ownerReferences: [owner] }, revision: 4 },
    { Controller: 'daemonset.apps/web', Revision: 4 },
  ],
  ['of nobody', {}, { Controller: '<none>', Revision: 0 }],
])

rows(test, 'apis/batch/v1/jobs', [
  ['of a number', { spec: { completions: 4 }, status: { succeeded: 1 } }, { Completions: '1/4' }],
  ['of one', { spec: { parallelism: 1 } }, { Completions: '0/1', Duration: '' }],
  ['of several at once', { spec: { parallelism: 3 } }, { Completions: '0/1 of 3' }],
  ['while it runs', { status: { startTime: ago(90) } }, { Duration: '90s' }],
  [
    'when it is over',
    { status: { startTime: ago(100), completionTime: ago(70) } },
    { Duration: '30s' },
  ],
])
rows(test, 'apis/batch/v1/cronjobs', [
  [
    'between runs',
    {
      spec: { schedule: '@daily', suspend: false, jobTemplate: { spec: { template } } },
      status: { lastScheduleTime: ago(3600) },
    },
    {
      Schedule: '@daily',
      Suspend: 'False',
      Active: 0,
      'Last Schedule': '60m',
      Containers: 'a,b',
      Selector: '<none>',
    },
  ],
  [
    'before the first',
    { spec: { suspend: true }, status: { active: [{}] } },
    { Suspend: 'True', Active: 1, 'Last Schedule': '<none>' },
  ],
])

rows(test, 'api/v1/persistentvolumes', [
  [
    'bound',
    {
      spec: {
        capacity: { storage: '5Gi' },
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Delete',
        claimRef: { namespace: 'shop', name: 'data' },
        storageClassName: 'fast',
        volumeMode: 'Block',
      },
      status: { phase: 'Bound', reason: 'Fine' },
    },
    {
      Capacity: '5Gi',
      'Access Modes': 'RWO,RWX',
      'Reclaim Policy': 'Delete',
      Status: 'Bound',
      Claim: 'shop/data',
      StorageClass: 'fast',
      VolumeAttributesClass: '<unset>',
      Reason: 'Fine',
      VolumeMode: 'Block',
    },
  ],
  [
    'going',
    { metadata: { deletionTimestamp: ago(1) }, status: { phase: 'Released' } },
    { Status: 'Terminating', Claim: '', VolumeMode: '<unset>' },
  ],
])
rows(test, 'api/v1/persistentvolumeclaims', [
  [
    'bound',
    {
      spec: { volumeName: 'v1' },
      status: { phase: 'Bound', capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOncePod'] },
    },
    { Status: 'Bound', Volume: 'v1', Capacity: '5Gi', 'Access Modes': 'RWOP' },
  ],
  [
    'not yet',
    {
      metadata: { annotations: { 'volume.beta.orch.io/storage-class': 'older' } },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'newer' },
      status: { phase: 'Pending' },
    },
    { Status: 'Pending', Volume: '', Capacity: '', 'Access Modes': '', StorageClass: 'older' },
  ],
])
rows(test, 'apis/storage.orch.io/v1/storageclasses', [
  [
    'the default one',
    {
      metadata: {
        name: 'fast',
        annotations: { 'storageclass.orch.io/is-default-class': 'true' },
      },
      allowVolumeExpansion: true,
    },
    { Name: 'fast (default)', AllowVolumeExpansion: true },
  ],
  ['another', { metadata: { name: 'slow' } }, { Name: 'slow', AllowVolumeExpansion: false }],
])
rows(test, 'apis/storage.orch.io/v1/csinodes', [
  ['drivers are counted', { spec: { drivers: [{}, {}] } }, { Drivers: 2 }],
])
rows(test, 'apis/storage.orch.io/v1/csidrivers', [
  [
    'audiences of tokens and lifecycles of volumes',
    {
      spec: {
        tokenRequests: [{ audience: 'vault' }, { audience: '' }],
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        requiresRepublish: true,
      },
    },
    { TokenRequests: 'vault,', RequiresRepublish: true, Modes: 'Persistent,Ephemeral' },
  ],
  ['no tokens', { spec: {} }, { TokenRequests: '<unset>' }],
])

const subset = (ips: readonly string[], ...ports: number[]) => ({
  addresses: ips.map((ip) => ({ ip })),
  ports: ports.map((port) => ({ port })),
})
rows(test, 'api/v1/endpoints', [
  ['none', {}, { Endpoints: '<none>' }],
  ['without ports', { subsets: [subset(['10.0.0.1'])] }, { Endpoints: '10.0.0.1' }],
  [
    'both families',
    { subsets: [subset(['10.0.0.1', 'fd00::1'], 80)] },
    { Endpoints: '10.0.0.1:80,[fd00::1]:80' },
  ],
  [
    'the first three',
    { subsets: [subset(['10.0.0.1', '10.0.0.2'], 80, 81)] },
    { Endpoints: '10.0.0.1:80,10.0.0.2:80,10.0.0.1:81 + 1 more...' },
  ],
])
rows(test, 'apis/discovery.orch.io/v1/endpointslices', [
  ['nothing', {}, { Ports: '<unset>', Endpoints: '<unset>' }],
  [
    'a few',
    {
      addressType: 'IPv4',
      ports: [{ port: 80 }, {}],
      endpoints: [{ addresses: ['10.0.0.1'] }, { addresses: ['10.0.0.2'] }],
    },
    { AddressType: 'IPv4', Ports: '80,*', Endpoints: '10.0.0.1,10.0.0.2' },
  ],
])

rows(test, 'api/v1/resourcequotas', [
  [
    'used of allowed',
    {
      status: {
        hard: { pods: '10', 'limits.cpu': '4', cpu: '2' },
        used: { pods: '3', 'limits.cpu': '500m' },
      },
    },
    { Request: 'cpu: 0/2, pods: 3/10', Limit: 'limits.cpu: 500m/4' },
  ],
])
rows(test, 'apis/policy/v1/poddisruptionbudgets', [
  [
    'one of the two bounds',
    { spec: { minAvailable: '50%' }, status: { disruptionsAllowed: 2 } },
    { 'Min Available': '50%', 'Max Unavailable': 'N/A', 'Allowed Disruptions': 2 },
  ],
])
rows(test, 'apis/scheduling.orch.io/v1/priorityclasses', [
  ['not by default', { value: 7 }, { Value: 7, 'Global-Default': false }],
])

/** An autoscaler with metrics, wanted and measured. */
function scaler(metrics: readonly object[], currentMetrics: readonly object[] = []): Fields {
  const scaleTargetRef = { kind: 'Deployment', name: 'web' }
  return { spec: { scaleTargetRef, maxReplicas: 9, metrics }, status: { currentMetrics } }
}
const resource = (target: object) => ({ type: 'Resource', resource: { name: 'cpu', target } })
const targets = (text: string): Row => ({ Targets: text })
rows(test, 'apis/autoscaling/v2/horizontalpodautoscalers', [
  [
    'what is scaled, between which bounds',
    scaler([]),
    {
      Reference: 'Deployment/web',
      Targets: '<none>',
      MinPods: '<unset>',
      MaxPods: 9,
      Replicas: 0,
    },
  ],
  [
    'a share',
    scaler(
      [resource({ averageUtilization: 80 })],
      [{ type: 'Resource', resource: { current: { averageUtilization: 20 } } }],
    ),
    targets('20%/80%'),
  ],
  ['nothing measured yet', scaler([resource({ averageValue: '1' })]), targets('<unknown>/1')],
  [
    'an average of something outside',
    scaler(
      [{ type: 'External', external: { target: { averageValue: '5' } } }],
      [{ type: 'External', external: { current: { averageValue: '4' } } }],
    ),
    targets('4/5 (avg)'),
  ],
  [
    'the first two',
    scaler([
      resource({ averageUtilization: 80 }),
      { type: 'Object', object: { target: { value: '10' } } },
      { type: 'Pods', pods: { target: { averageValue: '1' } } },
    ]),
    targets('<unknown>/80%, <unknown>/10 + 1 more...'),
  ],
])

test.run()
