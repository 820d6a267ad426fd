/** Requests by which `npm run compare` found a difference: what is refused, in the order in which it is told (finding Wire 17). */
import { kindAt } from '../../support/registry.ts'
import { refusals, updates, writing } from './tables.ts'

const test = writing('runtime/apis: requests that were answered otherwise')

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const single = 'Forbidden: may not specify more than 1 volume type'

refusals(test, kindAt('apis/storage.orch.io/v1/volumeattachments'), [
  [
    'an attacher that is absent is missing in both rounds, and no name in the second',
    { spec: {} },
    [
      'spec.attacher: Required value',
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      `spec.nodeName: Invalid value: "": ${subdomain}`,
      'spec.attacher: Required value',
      `spec.attacher: Invalid value: "": ${subdomain}`,
    ],
  ],
  [
    'the name of the volume is judged in the second round',
    { spec: { attacher: '..', nodeName: 'A_B', source: { persistentVolumeName: 'a/b' } } },
    [
      `spec.nodeName: Invalid value: "A_B": ${subdomain}`,
      `spec.attacher: Invalid value: "..": ${subdomain}`,
      `spec.source.persistentVolumeName: Invalid value: "a/b": ${subdomain}`,
    ],
  ],
  [
    'the secret of a volume of StorageOS has a namespace, told after its name',
    {
      spec: {
        attacher: 'disk.example.com',
        nodeName: 'n',
        source: {
          inlineVolumeSpec: {
            accessModes: ['ReadWriteOnce'],
            csi: { driver: 'disk.example.com', volumeHandle: 'v' },
            storageos: { volumeName: 'data', secretRef: { uid: 'x' } },
          },
        },
      },
    },
    [
      'spec.source.inlineVolumeSpec.storageos.secretRef.name: Required value',
      'spec.source.inlineVolumeSpec.storageos.secretRef.namespace: Required value',
      `spec.source.inlineVolumeSpec.csi: ${single}`,
    ],
  ],
])

const volume = (spec: object) => ({
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
})
refusals(test, kindAt('api/v1/persistentvolumes'), [
  [
    'a flexible volume may stand beside another source',
    volume({ hostPath: { path: '/a' }, flexVolume: { driver: 'a' } }),
    [],
  ],
  [
    'a persistent disk is told of under its short name',
    volume({ gcePersistentDisk: {}, csi: { driver: 'a', volumeHandle: 'b' } }),
    ['spec.persistentDisk.pdName: Required value', `spec.csi: ${single}`],
  ],
  [
    'the path of an NFS server is there, and absolute',
    volume({ nfs: { server: 'a' } }),
    ['spec.nfs.path: Required value', 'spec.nfs.path: Invalid value: "": must be an absolute path'],
  ],
  [
    'of a path that is absent nothing is said of its type',
    volume({ hostPath: { type: 'a/b' } }),
    ['spec.hostPath.path: Required value'],
  ],
])

updates(
  test,
  kindAt('api/v1/persistentvolumes'),
  volume({ csi: { driver: 'disk.example.com', volumeHandle: 'v' } }),
  [
    [
      'the secret for growing a volume can be named later',
      ({ spec, ...volume }) => {
        const { csi } = spec as { csi: object }
        const controllerExpandSecretRef = { name: 'keys', namespace: 'shop' }
        return {
          ...volume,
          spec: { ...(spec as object), csi: { ...csi, controllerExpandSecretRef } },
        }
      },
      [],
    ],
  ],
)

const limit = (...limits: readonly object[]) => ({ spec: { limits } })
refusals(test, kindAt('api/v1/limitranges'), [
  [
    'defaults of pods are refused after the names of bounds',
    limit({ type: 'Pod', min: { a: '1' }, default: { b: '1' } }),
    [
      'spec.limits[0].min[a]: Invalid value: a: must be a standard resource type or fully qualified',
      'spec.limits[0].min[a]: Invalid value: a: must be a standard resource for containers',
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    ],
  ],
  [
    'a ratio is compared with that of bounds below zero',
    limit({
      type: 'Container',
      max: { cpu: '2' },
      min: { cpu: '-1' },
      maxLimitRequestRatio: { cpu: '10' },
    }),
    [
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "10": ratio 10 is greater than max/min = -2.000000',
    ],
  ],
  [
    'a device is requested as often as it is limited',
    limit({
      type: 'Container',
      default: { 'a.io/b': '2' },
      defaultRequest: { 'a.io/b': '1' },
    }),
    [
      'spec.limits[0].defaultRequest[a.io/b]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in a.io/b',
    ],
  ],
])

const quota = (spec: object) => ({ spec })
refusals(test, kindAt('api/v1/resourcequotas'), [
  [
    'a requirement is told what it does not go with, at the list, before its operator',
    quota({
      hard: { services: '1' },
      scopeSelector: { matchExpressions: [{ scopeName: 'BestEffort', operator: 'In' }] },
    }),
    [
      'spec.scopeSelector.matchExpressions: Invalid value: ' +
        '{"matchExpressions":[{"scopeName":"BestEffort","operator":"In"}]}: unsupported scope applied to resource',
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be \'Exist\' when scope is any of ' +
        'ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ' +
        'ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity',
      'spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is ' +
        "'In' or 'NotIn' for scope selector",
    ],
  ],
  [
    'a name that no device can have is no number of devices',
    quota({ hard: { '/tmp/a': '500m' } }),
    [
      "spec.hard[/tmp/a]: Invalid value: /tmp/a: a qualified name must consist of alphanumeric characters, '-', '_' or '.', " +
        "and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " +
        "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. " +
        "'example.com/MyName')",
    ],
  ],
])

refusals(test, kindAt('apis/storage.orch.io/v1/storageclasses'), [
  [
    'a parameter without a name is told of at the parameters',
    { provisioner: 'a.io/b', parameters: { '': 'x' } },
    ['parameters: Invalid value: "": field can not be empty.'],
  ],
  ['an empty policy is none', { provisioner: 'a.io/b', reclaimPolicy: '' }, []],
])

refusals(test, kindAt('apis/networking.orch.io/v1/ingressclasses'), [
  [
    'what is wrong with a controller shows the part of its name',
    { spec: { controller: '../x y' } },
    [
      `spec.controller: Invalid value: "..": ${subdomain}`,
      `spec.controller: Invalid value: "x y": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
    ],
  ],
  [
    'a group of parameters that is stated has a form',
    { spec: { controller: 'a.io/b', parameters: { apiGroup: '', kind: 'A', name: '\0' } } },
    [`spec.parameters.apiGroup: Invalid value: "": ${subdomain}`],
  ],
])

refusals(test, kindAt('apis/scheduling.orch.io/v1/priorityclasses'), [
  [
    'an empty policy of a class is a missing one',
    { value: 1, preemptionPolicy: '' },
    ['preemptionPolicy: Required value'],
  ],
])

updates(test, kindAt('apis/scheduling.orch.io/v1/priorityclasses'), { value: 1 }, [
  [
    'an update of a class is told what it may not change, and nothing else',
    (object) => ({ ...object, value: 2, preemptionPolicy: 'x' }),
    [
      'value: Forbidden: may not be changed in an update.',
      'preemptionPolicy: Invalid value: "x": field is immutable',
    ],
  ],
])

updates(test, kindAt('api/v1/nodes'), { spec: { podCIDR: '10.0.0.0/24' } }, [
  [
    'ranges of a node are looked at once',
    (object) => ({ ...object, spec: { podCIDR: 'null' } }),
    [
      'spec.podCIDRs[0]: Invalid value: []string{"null"}: must be valid CIDR',
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    ],
  ],
])

const event = {
  eventTime: '2024-05-01T12:00:00.000000Z',
  regarding: { kind: 'Pod', name: 'web', namespace: 'shop' },
  reason: 'Seen',
  action: 'Look',
  type: 'Normal',
  reportingController: 'example.com/eye',
  reportingInstance: 'eye-1',
}
refusals(test, kindAt('apis/events.orch.io/v1/events'), [
  [
    'what both views of an event are judged for is told before its metadata',
    { ...event, action: '', metadata: { finalizers: ['a'] }, series: { count: 1 } },
    [
      'action: Required value',
      'metadata.finalizers[0]: Invalid value: "a": name is neither a standard finalizer name nor is it fully qualified',
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
    ],
  ],
])
updates(test, kindAt('apis/events.orch.io/v1/events'), event, [
  [
    'fields that stay are told in the order of the older view',
    (object) => ({ ...object, type: 'x', deprecatedFirstTimestamp: '2024-01-01T00:00:00Z' }),
    [
      'firstTimestamp: Invalid value: 2024-01-01 00:00:00 +0000 UTC: field is immutable',
      'type: Invalid value: "x": field is immutable',
    ],
  ],
])

const subject = (given: object) => ({
  spec: { priorityLevelConfiguration: { name: 'low' }, rules: [{ subjects: [given] }] },
})
refusals(test, kindAt('apis/flowcontrol.apiserver.orch.io/v1/flowschemas'), [
  [
    'an account is judged, name first, before what is not its own',
    subject({
      kind: 'ServiceAccount',
      user: { name: 'a' },
      serviceAccount: { namespace: 'A', name: 'A' },
    }),
    [
      `spec.rules[0].subjects[0].serviceAccount.name: Invalid value: "A": ${subdomain}`,
      `spec.rules[0].subjects[0].serviceAccount.namespace: Invalid value: "A": ${label}`,
      "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
      'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
    ],
  ],
])

const metrics = (metric: object) => ({
  spec: { scaleTargetRef: { kind: 'A', name: 'a' }, maxReplicas: 2, metrics: [metric] },
})
const target = { type: 'AverageValue', averageValue: '1' }
refusals(test, kindAt('apis/autoscaling/v2/horizontalpodautoscalers'), [
  [
    'of a metric the source that is there comes before the one that its type names',
    metrics({
      type: 'Pods',
      external: { metric: { name: 'a' }, target: { type: 'Value' } },
      containerResource: { name: 'cpu', container: 'a', target },
    }),
    [
      'spec.metrics[0].external.target.averageValue: Required value: must set either a target value for metric or a per-pod target',
      'spec.metrics[0].pods: Required value: must populate information for the given metric source',
      'spec.metrics[0].external: Forbidden: must populate the given metric source only',
      'spec.metrics[0].containerResource: Forbidden: must populate the given metric source only',
    ],
  ],
  [
    'the resource of a container is shown without quotes',
    metrics({
      type: 'ContainerResource',
      containerResource: { name: 'x', container: 'a', target },
    }),
    [
      'spec.metrics[0].containerResource.name: Invalid value: x: must be a standard resource type or fully qualified',
      'spec.metrics[0].containerResource.name: Invalid value: x: must be a standard resource for containers',
    ],
  ],
])

const signer = (signerName: string) => ({
  spec: { request: '', signerName, usages: ['client auth'] },
})
const noRequest =
  'spec.request: Invalid value: []byte{}: PEM block type must be CERTIFICATE REQUEST'
refusals(test, kindAt('apis/certificates.orch.io/v1/certificatesigningrequests'), [
  [
    'each part of a signer is judged by itself',
    signer('/'),
    [
      noRequest,
      `spec.signerName: Invalid value: "": validating label "": ${label}`,
      'spec.signerName: Invalid value: "": should be a domain with at least two segments separated by dots',
      `spec.signerName: Invalid value: "": validating label "": ${subdomain}`,
    ],
  ],
])

updates(
  test,
  kindAt('apis/autoscaling/v1/horizontalpodautoscalers'),
  { spec: { scaleTargetRef: { kind: 'A', name: 'a' }, maxReplicas: 2 } },
  [
    [
      'the status of an autoscaler counts from zero in the older version, too',
      (object) => ({ ...object, status: { currentReplicas: -1, desiredReplicas: 0 } }),
      ['status.currentReplicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
  ],
  'status',
)

test.run()
