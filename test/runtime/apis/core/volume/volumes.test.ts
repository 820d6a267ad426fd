import { equal } from 'uvu/assert'
import { dnsSubdomainProblems } from '../../../../../runtime/kernel/meta/names.ts'
import { kindAt } from '../../../../support/registry.ts'
import type { Given, Stored } from '../../outcome.ts'
import { creations, refusals, updates, writing } from '../../tables.ts'

const test = writing('runtime/apis: volumes, claims and storage drivers')
const volumes = kindAt('api/v1/persistentvolumes')
const claims = kindAt('api/v1/persistentvolumeclaims')
const classes = kindAt('apis/storage.orch.io/v1/storageclasses')
const attributes = kindAt('apis/storage.orch.io/v1alpha1/volumeattributesclasses')
const drivers = kindAt('apis/storage.orch.io/v1/csidrivers')
const nodes = kindAt('apis/storage.orch.io/v1/csinodes')
const capacities = kindAt('apis/storage.orch.io/v1/csistoragecapacities')
const attachments = kindAt('apis/storage.orch.io/v1/volumeattachments')

type Fields = Readonly<Record<string, unknown>>
const at = (path: string) => (object: Stored) =>
  path.split('.').reduce<unknown>((value, step) => (value as Fields)?.[step], object)
const withSpec =
  (more: object) =>
  (object: Stored): Stored => ({ ...object, spec: { ...(object.spec as object), ...more } })

const volume = (more: object = {}): Given => ({
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: '/data' },
    ...more,
  },
})

// I-01, I-19
creations(test, volumes, [
  ['what a volume is kept for', volume(), at('spec.persistentVolumeReclaimPolicy'), 'Retain'],
  ['how it is used', volume(), at('spec.volumeMode'), 'Filesystem'],
  ['it waits', { ...volume(), status: { phase: 'Bound' } }, at('status.phase'), 'Pending'],
  ['since when', volume(), (o) => typeof at('status.lastPhaseTransitionTime')(o), 'string'],
])
refusals(test, volumes, [
  [
    'a volume has a size, a way in and a place',
    { spec: {} },
    [
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: core.ResourceList(nil): supported values: "storage"',
      'spec: Required value: must specify a volume type',
    ],
  ],
  [
    'one place',
    volume({ local: { path: '/disk' }, nodeAffinity: { required: { nodeSelectorTerms: [{}] } } }),
    ['spec.local: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    'more than nothing',
    volume({ capacity: { storage: '0' } }),
    ['spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
  ],
  [
    'a size and nothing else',
    volume({ capacity: { cpu: '1' } }),
    ['spec.capacity: Unsupported value: {"cpu":"1"}: supported values: "storage"'],
  ],
  [
    'exclusive access excludes the other ways',
    volume({ accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] }),
    ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
  ],
  [
    'a disk of a node says which node',
    volume({ hostPath: undefined, local: { path: '/disk' } }),
    ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
  ],
  [
    'paths stay in their folder',
    volume({ hostPath: { path: '/data/../etc' } }),
    [`spec.hostPath.path: Invalid value: "/data/../etc": must not contain '..'`],
  ],
  [
    'nobody wipes a root folder',
    volume({ hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' }),
    [
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ],
  ],
  [
    'an external driver needs the name of the volume',
    volume({ hostPath: undefined, csi: { driver: 'disk.example.com', volumeHandle: '' } }),
    ['spec.csi.volumeHandle: Required value'],
  ],
])
updates(test, volumes, volume(), [
  ['a volume gets a class', withSpec({ storageClassName: 'fast' }), []],
  [
    'its place stays',
    withSpec({ hostPath: { path: '/other' } }),
    [
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n- hostPath.path: "/data"\n+ hostPath.path: "/other"',
    ],
  ],
  [
    'and its mode',
    withSpec({ volumeMode: 'Block' }),
    ['volumeMode: Invalid value: "Block": field is immutable'],
  ],
])

const near = (key: string) => ({
  required: {
    nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['a'] }] }],
  },
})
updates(test, volumes, volume({ nodeAffinity: near('failure-domain.beta.orch.io/zone') }), [
  [
    'a label of nodes becomes the one that stands in its place',
    withSpec({ nodeAffinity: near('topology.orch.io/zone') }),
    [],
  ],
  [
    'and no other',
    withSpec({ nodeAffinity: near('topology.orch.io/region') }),
    [
      'nodeAffinity: Invalid value: {"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"topology.orch.io/region","operator":"In","values":["a"]}]}]}}: field is immutable, except for updating from beta label to GA',
    ],
  ],
])

const claim = (more: object = {}): Given => ({
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    ...more,
  },
})
const others =
  'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
creations(test, claims, [
  ['a claim waits', claim(), at('status'), { phase: 'Pending' }],
  ['for a file system', claim(), at('spec.volumeMode'), 'Filesystem'],
  [
    'both fields for its source say the same',
    claim({ dataSource: { kind: 'PersistentVolumeClaim', name: 'old' } }),
    at('spec.dataSourceRef'),
    { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'old' },
  ],
])
refusals(test, claims, [
  [
    'a claim says how much of what',
    { spec: {} },
    [
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ],
  ],
  [
    'only claims of one’s own group are copied',
    claim({ dataSourceRef: { kind: 'Pod', name: 'old' } }),
    ['dataSource', 'dataSourceRef'].map(
      (field) =>
        `spec.${field}: Invalid value: "Pod": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
    ),
  ],
  [
    'other kinds in the field that knows claims and snapshots only are dropped',
    claim({ dataSource: { kind: 'Pod', name: 'old' } }),
    [],
  ],
])
updates(test, claims, claim({ storageClassName: 'fast' }), [
  ['a claim is bound', withSpec({ volumeName: 'v1' }), []],
  [
    'it does not grow before',
    withSpec({ resources: { requests: { storage: '2Gi' } } }),
    [`${others}\n- resources.requests.storage: "1Gi"\n+ resources.requests.storage: "2Gi"`],
  ],
  [
    'its class stays',
    withSpec({ storageClassName: 'slow' }),
    [`${others}\n- storageClassName: "fast"\n+ storageClassName: "slow"`],
  ],
])
updates(test, claims, claim(), [
  [
    'all that a claim may not change is told',
    withSpec({ volumeMode: 'Block', resources: { requests: { storage: '1Mi' } } }),
    [
      `${others}\n- resources.requests.storage: "1Gi"\n+ resources.requests.storage: "1Mi"\n- volumeMode: "Filesystem"\n+ volumeMode: "Block"`,
      'spec.resources.requests.storage: Forbidden: field can not be less than previous value',
      'volumeMode: Invalid value: "Block": field is immutable',
    ],
  ],
])
updates(test, claims, claim({ volumeName: 'v1' }), [
  ['a claim with a volume gets a class later', withSpec({ storageClassName: 'fast' }), []],
])
test('a bound claim grows, and does not shrink', async ({ writer }) => {
  // I-19
  const made = (await writer.create(claims, claim({ volumeName: 'v1' }))) as Stored
  const bound = { ...made, status: { phase: 'Bound', capacity: { storage: '1Gi' } } }
  const held = (await writer.put(claims, bound, 'status')) as Stored
  const sized = (storage: string) => withSpec({ resources: { requests: { storage } } })
  const grown = (await writer.put(claims, sized('2Gi')(held))) as Stored
  equal(at('spec.resources.requests.storage')(grown), '2Gi')
  equal(await writer.put(claims, sized('1Gi')(grown)), [
    'spec.resources.requests.storage: Forbidden: field can not be less than previous value',
  ])
})

// I-20
const provisioner = 'disk.example.com'
creations(test, classes, [
  [
    'volumes of a class are made at once and go with their claims',
    { provisioner },
    (o) => [o.reclaimPolicy, o.volumeBindingMode],
    ['Delete', 'Immediate'],
  ],
])
refusals(test, classes, [
  ['a class has a provisioner', { provisioner: '' }, ['provisioner: Required value']],
  [
    'volumes are not wiped',
    { provisioner, reclaimPolicy: 'Recycle' },
    ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
  ],
  [
    'places are told apart',
    { provisioner, allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: [] }] }] },
    ['allowedTopologies[0].matchLabelExpressions[0].values: Required value'],
  ],
])
updates(test, classes, { provisioner, parameters: { a: '1' } }, [
  ['claims may begin to grow', (o) => ({ ...o, allowVolumeExpansion: true }), []],
  [
    'the rest stays',
    (o) => ({ ...o, provisioner: 'other', parameters: {}, reclaimPolicy: 'Retain' }),
    [
      'parameters: Forbidden: updates to parameters are forbidden.',
      'provisioner: Forbidden: updates to provisioner are forbidden.',
      'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
    ],
  ],
  [
    'as does the time of binding',
    (o) => ({ ...o, volumeBindingMode: 'WaitForFirstConsumer' }),
    ['volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable'],
  ],
])
const driver = 'disk.example.com'
refusals(test, attributes, [
  [
    'a class of attributes has some',
    { driverName: driver },
    ['parameters: Required value: must contain at least one key/value pair'],
  ],
])
updates(test, attributes, { driverName: driver, parameters: { iops: '1' } }, [
  [
    'which never change',
    (o) => ({ ...o, parameters: { iops: '2' } }),
    ['parameters: Forbidden: updates to parameters are forbidden.'],
  ],
])

creations(test, drivers, [
  [
    'what most drivers want',
    { spec: {} },
    (o) => o.spec,
    {
      attachRequired: true,
      podInfoOnMount: false,
      volumeLifecycleModes: ['Persistent'],
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
    },
  ],
])
updates(test, drivers, { spec: {} }, [
  ['a driver asks for tokens', withSpec({ tokenRequests: [{ audience: 'a' }] }), []],
  [
    'and knows of pods what it knew',
    withSpec({ podInfoOnMount: true }),
    ['spec.podInfoOnMount: Invalid value: true: field is immutable'],
  ],
  [
    'but attaches as before',
    withSpec({ attachRequired: false }),
    ['spec.attachedRequired: Invalid value: false: field is immutable'],
  ],
])
refusals(test, drivers, [
  [
    'one token of each audience',
    { spec: { tokenRequests: [{ audience: 'a' }, { audience: 'a' }] } },
    ['spec.tokenRequests[1].audience: Duplicate value: "a"'],
  ],
])
const node = { name: driver, nodeID: 'n1', topologyKeys: null }
refusals(test, nodes, [
  [
    'a driver has a name and knows the node',
    { spec: { drivers: [{ name: '', nodeID: '' }] } },
    [
      'spec.drivers[0].name: Required value',
      `spec.drivers[0].name: Invalid value: "": ${dnsSubdomainProblems('')[0]}`,
      'spec.drivers[0].nodeID: Required value',
    ],
  ],
])
updates(test, nodes, { spec: { drivers: [node] } }, [
  ['drivers come', withSpec({ drivers: [node, { ...node, name: 'other' }] }), []],
  ['and go', withSpec({ drivers: [] }), []],
  [
    'but do not change',
    withSpec({ drivers: [{ ...node, nodeID: 'n2' }] }),
    [
      'CSINodeDriver: Invalid value: {"name":"disk.example.com","nodeID":"n2","topologyKeys":null}: field is immutable',
    ],
  ],
])
updates(test, capacities, { storageClassName: 'fast', capacity: '1Gi' }, [
  ['capacity changes', (o) => ({ ...o, capacity: '2Gi' }), []],
  [
    'its class does not',
    (o) => ({ ...o, storageClassName: 'slow' }),
    ['storageClassName: Invalid value: "slow": field is immutable'],
  ],
  [
    'nobody has less than nothing',
    (o) => ({ ...o, capacity: '-1' }),
    ['capacity: Invalid value: "-1": must be greater than or equal to 0'],
  ],
])
const attachment = (source: object) => ({
  spec: { attacher: driver, nodeName: 'n1', source },
})
refusals(test, attachments, [
  ['of a volume', attachment({ persistentVolumeName: 'v1' }), []],
  [
    'of none',
    attachment({}),
    [
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
    ],
  ],
])
updates(test, attachments, attachment({ persistentVolumeName: 'v1' }), [
  [
    'an attachment is of what it was made for',
    withSpec({ nodeName: 'n2' }),
    [
      'spec: Invalid value: {"attacher":"disk.example.com","source":{"persistentVolumeName":"v1"},"nodeName":"n2"}: field is immutable',
    ],
  ],
])

test.run()
