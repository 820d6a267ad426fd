/** Objects that leave to the server every value that it fills in by itself. */

const container = {
  name: 'main',
  image: 'example/app:1',
  ports: [{ containerPort: 80 }],
  env: [
    { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
    { name: 'KEY', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } },
  ],
  resources: { limits: { cpu: '1', memory: '64Mi' } },
  livenessProbe: { httpGet: { port: 80 } },
  readinessProbe: { tcpSocket: { port: 80 } },
  startupProbe: { grpc: { port: 80 } },
  lifecycle: { preStop: { httpGet: { port: 80 } } },
  volumeMounts: [{ name: 'facts', mountPath: '/facts' }],
}

const monitors = ['10.0.0.1']
const iqn = 'iqn.2001-04.com.example:storage'

/** Volumes whose sources have defaults. */
const sources = {
  facts: {
    downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] },
  },
  all: {
    projected: {
      sources: [
        { serviceAccountToken: { path: 'token' } },
        { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
        { configMap: { name: 'settings' } },
      ],
    },
  },
  plain: {},
  settings: { configMap: { name: 'settings' } },
  passwords: { secret: { secretName: 'passwords' } },
  host: { hostPath: { path: '/data' } },
  iscsi: { iscsi: { targetPortal: '10.0.0.1:3260', iqn, lun: 0 } },
  blocks: { rbd: { monitors, image: 'image' } },
  azure: { azureDisk: { diskName: 'disk', diskURI: 'https://account.blob.example.com/disk.vhd' } },
  own: {
    ephemeral: {
      volumeClaimTemplate: {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    },
  },
}

const podSpec = {
  serviceAccountName: 'default',
  containers: [container],
  initContainers: [{ name: 'before', image: 'example/app:1' }],
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
  ],
  volumes: Object.entries(sources).map(([name, source]) => ({ name, ...source })),
}

const labels = { app: 'web' }
const selector = { matchLabels: labels }
const template = { metadata: { labels }, spec: podSpec }
const finite = { spec: { ...podSpec, restartPolicy: 'Never' } }
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const hook = {
  name: 'hook.example.com',
  clientConfig: { service: { namespace: 'shop', name: 'hook' } },
  rules: [
    {
      apiGroups: ['example.com'],
      apiVersions: ['v1'],
      operations: ['CREATE'],
      resources: ['dots'],
    },
  ],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
}
const target = { type: 'Utilization', averageUtilization: 50 }

/** A manifest without a name. */
export interface SparseObject {
  readonly apiVersion: string
  readonly kind: string
  readonly [field: string]: unknown
}

/** An object of each kind whose defaults depend on what is given. Groups of the platform end in `api`. */
export function sparseObjects(api: string): readonly SparseObject[] {
  const of = (apiVersion: string, kind: string, fields: object): SparseObject => ({
    apiVersion,
    kind,
    ...fields,
  })
  return [
    of('v1', 'Pod', { spec: podSpec }),
    of('v1', 'PodTemplate', { template }),
    of('v1', 'ReplicationController', { spec: { selector: labels, template } }),
    of('apps/v1', 'Deployment', { spec: { selector, template } }),
    of('apps/v1', 'DaemonSet', { spec: { selector, template } }),
    of('apps/v1', 'ReplicaSet', { spec: { selector, template } }),
    of('apps/v1', 'StatefulSet', {
      spec: {
        selector,
        template,
        serviceName: 'web',
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
      },
    }),
    of('batch/v1', 'Job', { spec: { template: finite } }),
    of('batch/v1', 'CronJob', {
      spec: { schedule: '* * * * *', jobTemplate: { spec: { template: finite } } },
    }),
    of('v1', 'Service', { spec: { selector: labels, ports: [{ port: 80 }] } }),
    of('v1', 'Service', {
      spec: { type: 'NodePort', sessionAffinity: 'ClientIP', ports: [{ port: 80 }] },
    }),
    of('v1', 'Endpoints', {
      subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }],
    }),
    of('v1', 'PersistentVolume', {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        iscsi: { targetPortal: '10.0.0.1:3260', iqn, lun: 0 },
      },
    }),
    of('v1', 'PersistentVolumeClaim', { spec: claim }),
    of('v1', 'LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } }),
    of('v1', 'Secret', { stringData: { a: 'b' } }),
    of('v1', 'Namespace', {}),
    of('v1', 'Node', { spec: { podCIDR: '10.9.0.0/24' } }),
    of('autoscaling/v2', 'HorizontalPodAutoscaler', {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 3,
        behavior: { scaleUp: { stabilizationWindowSeconds: 0 } },
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
      },
    }),
    of('autoscaling/v1', 'HorizontalPodAutoscaler', {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 3,
      },
    }),
    of(`networking.${api}/v1`, 'NetworkPolicy', {
      spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }], egress: [{}] },
    }),
    of(`networking.${api}/v1`, 'IngressClass', {
      spec: { controller: 'example.com/x', parameters: { kind: 'Settings', name: 'a' } },
    }),
    of(`rbac.authorization.${api}/v1`, 'RoleBinding', {
      roleRef: { kind: 'Role', name: 'reader' },
      subjects: [
        { kind: 'User', name: 'jane' },
        { kind: 'ServiceAccount', name: 'worker', namespace: 'shop' },
      ],
    }),
    of(`storage.${api}/v1`, 'StorageClass', { provisioner: 'example.com/disk' }),
    of(`storage.${api}/v1`, 'CSIDriver', { spec: {} }),
    of(`admissionregistration.${api}/v1`, 'ValidatingWebhookConfiguration', { webhooks: [hook] }),
    of(`admissionregistration.${api}/v1`, 'MutatingWebhookConfiguration', { webhooks: [hook] }),
    of(`flowcontrol.apiserver.${api}/v1`, 'PriorityLevelConfiguration', {
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
    }),
    of(`flowcontrol.apiserver.${api}/v1`, 'FlowSchema', {
      spec: { priorityLevelConfiguration: { name: 'exempt' } },
    }),
  ]
}
