/** A small and a rich object of each kind, as a user would write them. */

export interface Sample {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string } & object
  readonly [field: string]: unknown
}

const labels = { app: 'web' }
const container = { name: 'main', image: 'example/app:1' }
const template = { metadata: { labels }, spec: { containers: [container] } }
const selector = { matchLabels: labels }
const finite = { spec: { containers: [container], restartPolicy: 'Never' } }

const richTemplate = {
  metadata: { labels, annotations: { note: 'rich' } },
  spec: {
    containers: [
      {
        ...container,
        command: ['/app'],
        args: ['--fast'],
        env: [{ name: 'MODE', value: 'fast' }],
        ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
        resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
        readinessProbe: { httpGet: { path: '/ready', port: 'http', scheme: 'HTTP' } },
      },
    ],
    nodeSelector: { disk: 'ssd' },
    volumes: [{ name: 'data', emptyDir: {} }],
    tolerations: [{ key: 'slow', operator: 'Exists', effect: 'NoSchedule' }],
  },
}

/** Names of the groups with a suffix of the platform's own. */
export function samplesOf(api: string): readonly Sample[] {
  const namespaced = (apiVersion: string, kind: string, rest: object, more: object): Sample[] =>
    [rest, more].map((fields, index) => ({
      apiVersion,
      kind,
      metadata: { name: index === 0 ? 'small' : 'rich', namespace: 'shop', ...metadataOf(fields) },
      ...fieldsOf(fields),
    }))
  const cluster = (apiVersion: string, kind: string, rest: object, more: object): Sample[] =>
    namespaced(apiVersion, kind, rest, more).map(({ metadata, ...fields }) => {
      const { namespace, ...kept } = metadata
      return { ...fields, metadata: kept } as Sample
    })
  return [
    ...core(namespaced, cluster),
    ...workloads(namespaced),
    ...policies(namespaced, cluster, api),
    ...storage(namespaced, cluster, `storage.${api}`),
  ]
}

type Make = (apiVersion: string, kind: string, small: object, rich: object) => readonly Sample[]

function metadataOf(fields: object): object {
  return (fields as { readonly metadata?: object }).metadata ?? {}
}

function fieldsOf(fields: object): object {
  const { metadata, ...rest } = fields as { readonly metadata?: object }
  return rest
}

function core(namespaced: Make, cluster: Make): readonly Sample[] {
  const capacity = { storage: '5Gi' }
  const accessModes = ['ReadWriteOnce']
  const resources = { requests: { storage: '1Gi' } }
  return [
    ...cluster(
      'v1',
      'PersistentVolume',
      { spec: { capacity, accessModes, hostPath: { path: '/tmp/small' } } },
      {
        spec: {
          capacity,
          csi: {
            driver: 'disk.example.com',
            volumeHandle: 'v-1',
            fsType: 'ext4',
            volumeAttributes: { tier: 'gold' },
            nodeStageSecretRef: { name: 'keys', namespace: 'shop' },
          },
          accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
          claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'rich' },
          persistentVolumeReclaimPolicy: 'Delete',
          storageClassName: 'fast',
          mountOptions: ['noatime'],
          volumeMode: 'Filesystem',
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
              ],
            },
          },
        },
      },
    ),
    ...namespaced(
      'v1',
      'PersistentVolumeClaim',
      { spec: { accessModes, resources } },
      {
        spec: {
          accessModes,
          selector: { matchLabels: { tier: 'gold' } },
          resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } },
          storageClassName: 'fast',
          volumeMode: 'Block',
          dataSource: { kind: 'PersistentVolumeClaim', name: 'before' },
        },
      },
    ),
    ...namespaced(
      'v1',
      'Endpoints',
      { subsets: [{ addresses: [{ ip: '10.0.0.1' }] }] },
      {
        subsets: [
          {
            addresses: [
              {
                ip: '10.0.0.1',
                hostname: 'one',
                nodeName: 'n1',
                targetRef: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
              },
            ],
            notReadyAddresses: [{ ip: '2001:db8::1' }],
            ports: [
              { name: 'http', port: 80, protocol: 'TCP', appProtocol: 'http' },
              { name: 'dns', port: 53, protocol: 'UDP' },
            ],
          },
        ],
      },
    ),
    ...namespaced(
      'v1',
      'LimitRange',
      { spec: { limits: [{ type: 'Pod', max: { cpu: '2' } }] } },
      {
        spec: {
          limits: [
            {
              type: 'Container',
              max: { cpu: '2', memory: '1Gi' },
              min: { cpu: '10m' },
              default: { cpu: '500m' },
              defaultRequest: { cpu: '100m' },
              maxLimitRequestRatio: { cpu: '10' },
            },
            { type: 'PersistentVolumeClaim', max: { storage: '10Gi' } },
          ],
        },
      },
    ),
    ...namespaced(
      'v1',
      'ResourceQuota',
      { spec: { hard: { pods: '10' } } },
      {
        spec: {
          hard: { 'limits.cpu': '4', pods: '10', 'requests.memory': '1Gi' },
          scopes: ['NotTerminating'],
          scopeSelector: {
            matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
          },
        },
      },
    ),
    ...namespaced(
      'v1',
      'ReplicationController',
      { spec: { template } },
      { spec: { replicas: 3, minReadySeconds: 5, selector: labels, template: richTemplate } },
    ),
    ...namespaced('v1', 'PodTemplate', { template }, { template: richTemplate }),
  ]
}

function workloads(namespaced: Make): readonly Sample[] {
  return [
    ...namespaced(
      'apps/v1',
      'StatefulSet',
      { spec: { selector, template, serviceName: 'web' } },
      {
        spec: {
          replicas: 3,
          selector,
          template: richTemplate,
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: {
                accessModes: ['ReadWriteOnce'],
                resources: { requests: { storage: '1Gi' } },
              },
            },
          ],
          serviceName: 'web',
          podManagementPolicy: 'Parallel',
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
          revisionHistoryLimit: 3,
          minReadySeconds: 5,
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
          ordinals: { start: 1 },
        },
      },
    ),
    ...namespaced(
      'apps/v1',
      'DaemonSet',
      { spec: { selector, template } },
      {
        spec: {
          selector,
          template: richTemplate,
          updateStrategy: {
            type: 'RollingUpdate',
            rollingUpdate: { maxUnavailable: 0, maxSurge: '10%' },
          },
          minReadySeconds: 5,
          revisionHistoryLimit: 3,
        },
      },
    ),
    ...namespaced(
      'apps/v1',
      'ControllerRevision',
      { data: {}, revision: 1 },
      { data: { spec: { template: { any: ['thing', 1, null] } } }, revision: 7 },
    ),
    ...namespaced(
      'batch/v1',
      'Job',
      { spec: { template: finite } },
      {
        spec: {
          parallelism: 2,
          completions: 4,
          activeDeadlineSeconds: 60,
          podFailurePolicy: {
            rules: [
              {
                action: 'FailIndex',
                onExitCodes: { containerName: 'main', operator: 'In', values: [1, 42] },
              },
              {
                action: 'Ignore',
                onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }],
              },
            ],
          },
          backoffLimitPerIndex: 1,
          maxFailedIndexes: 2,
          template: { metadata: { labels }, ...finite },
          ttlSecondsAfterFinished: 100,
          completionMode: 'Indexed',
          suspend: true,
          podReplacementPolicy: 'Failed',
        },
      },
    ),
    ...namespaced(
      'batch/v1',
      'CronJob',
      { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: finite } } } },
      {
        spec: {
          schedule: '0 9-17/2 * jan-jun mon-fri',
          timeZone: 'Europe/Berlin',
          startingDeadlineSeconds: 30,
          concurrencyPolicy: 'Forbid',
          suspend: true,
          jobTemplate: { metadata: { labels }, spec: { backoffLimit: 2, template: finite } },
          successfulJobsHistoryLimit: 5,
          failedJobsHistoryLimit: 0,
        },
      },
    ),
  ]
}

function policies(namespaced: Make, cluster: Make, api: string): readonly Sample[] {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
  const policy = { type: 'Pods', value: 2, periodSeconds: 60 }
  return [
    ...namespaced(
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      { spec: { scaleTargetRef, maxReplicas: 5 } },
      {
        spec: {
          scaleTargetRef,
          minReplicas: 2,
          maxReplicas: 9,
          metrics: [
            {
              type: 'Resource',
              resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
            },
            {
              type: 'Pods',
              pods: {
                metric: { name: 'requests', selector },
                target: { type: 'AverageValue', averageValue: '100' },
              },
            },
            {
              type: 'Object',
              object: {
                describedObject: { kind: 'Service', name: 'web', apiVersion: 'v1' },
                target: { type: 'Value', value: '10k' },
                metric: { name: 'hits' },
              },
            },
          ],
          behavior: {
            scaleDown: {
              stabilizationWindowSeconds: 60,
              selectPolicy: 'Min',
              policies: [policy],
            },
          },
        },
      },
    ),
    ...namespaced(
      'policy/v1',
      'PodDisruptionBudget',
      { spec: { maxUnavailable: 1, selector } },
      { spec: { minAvailable: '50%', selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
    ),
    ...namespaced(
      `discovery.${api}/v1`,
      'EndpointSlice',
      { addressType: 'IPv4', endpoints: [] },
      {
        addressType: 'IPv6',
        endpoints: [
          {
            addresses: ['2001:db8::1'],
            conditions: { ready: true, serving: true, terminating: false },
            hostname: 'one',
            targetRef: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
            nodeName: 'n1',
            zone: 'a',
            hints: { forZones: [{ name: 'a' }] },
          },
        ],
        ports: [{ name: 'http', protocol: 'TCP', port: 80, appProtocol: 'http' }],
      },
    ),
    ...cluster(
      `node.${api}/v1`,
      'RuntimeClass',
      { handler: 'runc' },
      {
        handler: 'sandbox',
        overhead: { podFixed: { cpu: '100m', memory: '64Mi' } },
        scheduling: {
          nodeSelector: { sandbox: 'yes' },
          tolerations: [{ key: 'sandbox', operator: 'Exists' }],
        },
      },
    ),
    ...cluster(
      `scheduling.${api}/v1`,
      'PriorityClass',
      { value: 0 },
      {
        value: 1000,
        globalDefault: true,
        description: 'What customers see.',
        preemptionPolicy: 'Never',
      },
    ),
  ]
}

function storage(namespaced: Make, cluster: Make, group: string): readonly Sample[] {
  const attachment = { attacher: 'disk.example.com', nodeName: 'n1' }
  return [
    ...cluster(
      `${group}/v1`,
      'StorageClass',
      { provisioner: 'disk.example.com' },
      {
        provisioner: 'disk.example.com',
        parameters: { tier: 'gold' },
        reclaimPolicy: 'Retain',
        mountOptions: ['noatime'],
        allowVolumeExpansion: true,
        volumeBindingMode: 'WaitForFirstConsumer',
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
      },
    ),
    ...cluster(
      `${group}/v1`,
      'CSIDriver',
      { spec: {} },
      {
        spec: {
          attachRequired: false,
          fsGroupPolicy: 'File',
          podInfoOnMount: true,
          requiresRepublish: true,
          storageCapacity: true,
          tokenRequests: [{ audience: 'disk', expirationSeconds: 3600 }],
          volumeLifecycleModes: ['Ephemeral', 'Persistent'],
        },
      },
    ),
    ...cluster(
      `${group}/v1`,
      'CSINode',
      { spec: { drivers: [] } },
      {
        spec: {
          drivers: [
            {
              name: 'disk.example.com',
              nodeID: 'node-1',
              topologyKeys: ['zone'],
              allocatable: { count: 16 },
            },
          ],
        },
      },
    ),
    ...namespaced(
      `${group}/v1`,
      'CSIStorageCapacity',
      { storageClassName: 'small' },
      {
        nodeTopology: { matchLabels: { zone: 'a' } },
        storageClassName: 'rich',
        capacity: '10Gi',
        maximumVolumeSize: '1Gi',
      },
    ),
    ...cluster(
      `${group}/v1`,
      'VolumeAttachment',
      { spec: { ...attachment, source: { persistentVolumeName: 'small' } } },
      {
        spec: {
          ...attachment,
          source: {
            inlineVolumeSpec: {
              accessModes: ['ReadWriteOnce'],
              csi: { driver: 'disk.example.com', volumeHandle: 'v-2' },
            },
          },
        },
      },
    ),
    ...cluster(
      `${group}/v1alpha1`,
      'VolumeAttributesClass',
      { driverName: 'disk.example.com', parameters: { iops: '100' } },
      { driverName: 'disk.example.com', parameters: { iops: '100', tier: 'gold' } },
    ),
  ]
}
