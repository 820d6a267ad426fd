/** Single edits of valid objects that are accepted, or refused at one field. */
import { createEdits } from './edits.ts'
import { writing } from './tables.ts'

const test = writing('runtime/apis: acceptance')

const labels = { app: 'web' }
const container = { name: 'main', image: 'example/app' }
const template = { metadata: { labels }, spec: { containers: [container] } }
const workload = { spec: { selector: { matchLabels: labels }, template } }

// The pods of a set are judged when they are made: what they mount may be claims of their own.
createEdits(test, 'apis/apps/v1/statefulsets', { spec: { ...workload.spec, serviceName: 's' } }, [
  ['spec.template.spec.containers.0.volumeMounts', [{ name: 'data', mountPath: '/data' }]],
  ['spec.template.spec.containers', []],
  ['spec.template.spec.restartPolicy', 'Never', 'spec.template.spec.restartPolicy'],
  ['spec.template.metadata.annotations', { 'a/b/c': '' }, 'spec.template.annotations'],
  ['spec.volumeClaimTemplates', [{ metadata: { name: 'data' }, spec: { accessModes: ['Any'] } }]],
])
createEdits(test, 'apis/apps/v1/deployments', workload, [
  ['spec.template.metadata.ownerReferences', [{}]],
  ['spec.template.metadata.annotations', { 'a/b/c': '' }, 'spec.template.annotations'],
  ['metadata.finalizers', ['x'], 'metadata.finalizers[0]'],
])

const annotations = 'metadata.annotations'
const appArmor = 'container.apparmor.security.beta.orch.io/'
const seccomp = 'seccomp.security.alpha.orch.io/pod'
createEdits(test, 'api/v1/pods', { spec: { containers: [container] } }, [
  [annotations, { [`${appArmor}main`]: 'localhost/x' }],
  [annotations, { [`${appArmor}other`]: 'unconfined' }, `${annotations}[${appArmor}other]`],
  [annotations, { [`${appArmor}main`]: 'any' }, `${annotations}[${appArmor}main]`],
  [annotations, { [seccomp]: 'docker/default' }],
  [annotations, { [seccomp]: 'any' }, `${annotations}.${seccomp}`],
])

const first = 'spec.containers.0'
const firstAt = 'spec.containers[0]'
const windows = 'spec.securityContext.windowsOptions'
const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }
createEdits(test, 'api/v1/pods', { spec: { containers: [container] } }, [
  ['spec.terminationGracePeriodSeconds', -1],
  ['spec.runtimeClassName', 'Bad_', 'spec.runtimeClassName'],
  ['spec.overhead', { cpu: '1' }],
  ['spec.overhead', { what: '1' }, 'spec.overhead.limits[what]'],
  [`${first}.image`, ' a', `${firstAt}.image`],
  [`${first}.envFrom`, [{ secretRef: { name: 'Bad_' } }], `${firstAt}.envFrom[0].secretRef.name`],
  [
    `${first}.env`,
    [{ name: 'A', valueFrom: { secretKeyRef: { name: 'Bad_', key: 'k' } } }],
    `${firstAt}.env[0].valueFrom.secretKeyRef.name`,
  ],
  [
    `${first}.env`,
    [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.name' } } }],
    `${firstAt}.env[0].valueFrom.fieldRef.fieldPath`,
  ],
  [`${windows}.runAsUserName`, '', `${windows}.runAsUserName`],
  [`${windows}.runAsUserName`, 'a/b', `${windows}.runAsUserName`],
  [`${windows}.runAsUserName`, 'DOMAIN\\user'],
  [`${windows}.gmsaCredentialSpecName`, 'Bad_', `${windows}.gmsaCredentialSpecName`],
  [`${windows}.hostProcess`, true, 'spec.hostNetwork'],
  [
    'spec.topologySpreadConstraints',
    [{ ...spread, minDomains: 0 }],
    'spec.topologySpreadConstraints[0].minDomains',
  ],
])
createEdits(test, 'apis/apps/v1/deployments', workload, [
  ['spec.template.spec.terminationGracePeriodSeconds', -1],
  ['spec.template.spec.containers.0.image', ' a'],
])

// Volumes of a pod: the source, and the field below it that is refused.
const token = { serviceAccountToken: { path: 'token' } }
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } }
const secret = (path: string) => ({ secret: { name: 's', items: [{ key: 'k', path }] } })
const disk = { diskName: 'd' }
const target = { targetPortal: 'a', lun: 0 }
const sources: readonly (readonly [source: object, refused?: string])[] = [
  [{ scaleIO: { gateway: 'g', system: 's', volumeName: 'v', secretRef: null } }],
  [{ scaleIO: { gateway: 'g', system: 's', secretRef: {} } }, 'scaleIO.volumeName'],
  [{ csi: { driver: 'A_B' } }, 'csi.driver'],
  [{ gcePersistentDisk: { pdName: 'p', partition: 300 } }, 'persistentDisk.partition'],
  [{ iscsi: { ...target, iqn: 'iqn.2015-02.example.com:test' } }],
  [{ iscsi: { ...target, iqn: 'what' } }, 'iscsi.iqn'],
  [{ fc: { targetWWNs: ['w'] } }, 'fc.lun'],
  [{ fc: { targetWWNs: ['w'], wwids: ['i'], lun: 1 } }, 'fc.targetWWNs'],
  [{ quobyte: { registry: 'a:1,[::1]:2', volume: 'v' } }],
  [{ quobyte: { registry: 'a', volume: 'v' } }, 'quobyte.registry'],
  [{ flocker: {} }, 'flocker'],
  [{ azureDisk: { ...disk, diskURI: '/subscriptions/x', kind: 'Managed' } }],
  [{ azureDisk: { ...disk, diskURI: '/subscriptions/x' } }, 'azureDisk.diskURI'],
  [{ storageos: { volumeName: 'A' } }, 'storageos.volumeName'],
  [{ cephfs: { monitors: [] } }, 'cephfs.monitors'],
  [{ ephemeral: { volumeClaimTemplate: { spec: claim } } }],
  [
    { ephemeral: { volumeClaimTemplate: { spec: {} } } },
    'ephemeral.volumeClaimTemplate.spec.accessModes',
  ],
  [
    { ephemeral: { volumeClaimTemplate: { metadata: { name: 'x' }, spec: claim } } },
    'ephemeral.volumeClaimTemplate.metadata.name',
  ],
  [{ projected: { sources: [secret('a'), secret('b')] } }],
  [{ projected: { sources: [secret('a'), secret('a')] } }, 'projected'],
  [{ projected: { sources: [token] } }, 'projected.sources[0].serviceAccountToken'],
]
createEdits(
  test,
  'api/v1/pods',
  { spec: { containers: [container] } },
  sources.map(([source, refused]) => [
    'spec.volumes',
    [{ name: 'v', ...source }],
    refused && `spec.volumes[0].${refused}`,
  ]),
)

const volume = { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'h' } }
const reference = 'csi.nodePublishSecretRef'
createEdits(test, 'api/v1/persistentvolumes', { spec: { ...volume, capacity: { storage: '1' } } }, [
  [`spec.${reference}`, { name: 's', namespace: 'n' }],
  [`spec.${reference}`, { name: 's' }, `spec.${reference}.namespace`],
  ['spec.csi.driver', 'A_B', 'spec.csi.driver'],
])
const inline = 'spec.source.inlineVolumeSpec'
createEdits(
  test,
  'apis/storage.orch.io/v1/volumeattachments',
  { spec: { attacher: 'a', nodeName: 'n', source: { inlineVolumeSpec: volume } } },
  [
    ['spec.nodeName', 'n'],
    [`${inline}.capacity`, { storage: '1' }, `${inline}.capacity`],
    [`${inline}.csi`, undefined, `${inline}.csi`],
    ['spec.source', { persistentVolumeName: '' }, 'spec.source.persistentVolumeName'],
  ],
)

createEdits(test, 'api/v1/events', { involvedObject: { namespace: 'default' } }, [
  ['metadata.name', 'system:node.17ab'],
])
createEdits(test, 'apis/policy/v1/poddisruptionbudgets', { spec: { maxUnavailable: 1 } }, [
  ['metadata.name', 'My_PDB'],
])
const job = { template: { spec: { containers: [container], restartPolicy: 'Never' } } }
createEdits(
  test,
  'apis/batch/v1/cronjobs',
  { spec: { schedule: '0 1 * * *', jobTemplate: { spec: job } } },
  [
    ['spec.timeZone', 'Europe/Berlin'],
    ['spec.timeZone', 'europe/berlin', 'spec.timeZone'],
    ['spec.timeZone', 'utc', 'spec.timeZone'],
  ],
)
createEdits(
  test,
  'apis/networking.orch.io/v1/ingresses',
  { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
  [['spec.tls', [{ secretName: 'Bad_' }], 'spec.tls[0].secretName']],
)
createEdits(test, 'apis/storage.orch.io/v1/storageclasses', { provisioner: 'example.com/disks' }, [
  [
    'allowedTopologies',
    [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'a'] }] }],
    'allowedTopologies[0].matchLabelExpressions[0].values[1]',
  ],
])
createEdits(test, 'apis/storage.orch.io/v1/csidrivers', { spec: {} }, [
  ['metadata.name', 'a'.repeat(64)],
  ['metadata.name', 'A', 'metadata.name'],
])
const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['default'] }
const flow = (more: object) => [
  { subjects: [{ kind: 'User', user: { name: '*' } }], resourceRules: [{ ...rule, ...more }] },
]
const rules = 'spec.rules[0].resourceRules[0]'
createEdits(
  test,
  'apis/flowcontrol.apiserver.orch.io/v1/flowschemas',
  { spec: { priorityLevelConfiguration: { name: 'global-default' } } },
  [
    ['spec.matchingPrecedence', 0],
    ['spec.matchingPrecedence', -1, 'spec.matchingPrecedence'],
    ['spec.matchingPrecedence', 10_001, 'spec.matchingPrecedence'],
    ['spec.rules', flow({ verbs: ['get', 'get'] })],
    ['spec.rules', flow({ verbs: ['look'] }), `${rules}.verbs`],
    ['spec.rules', flow({ namespaces: ['A'] }), `${rules}.namespaces[0]`],
  ],
)

test.run()
