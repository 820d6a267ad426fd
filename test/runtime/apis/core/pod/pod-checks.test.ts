import { pods } from '../../../../support/registry.ts'
import type { Given } from '../../outcome.ts'
import { refusals, writing } from '../../tables.ts'

const test = writing('runtime/apis: parts of pods that contradict each other')

const main = { name: 'main', image: 'example/app:1' }
const pod = (more: object): Given => ({ spec: { containers: [main], ...more } })
const container = (more: object): Given => ({ spec: { containers: [{ ...main, ...more }] } })
const at = 'spec.containers[0]'

/** Would take minutes if each bracket were looked at from each other one. */
const manyBrackets = `a${"['".repeat(500_000)}']x`
const address = 'must be valid IP address'
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
  "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const either = 'must specify a handler type'
const range = 'must be between 1 and 65535, inclusive'

// A4.12 I-01
refusals(test, pods, [
  [
    'a pod that resolves names alone says whom to ask',
    pod({ dnsPolicy: 'None' }),
    ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
  ],
  [
    'resolvers take three servers, and servers are addresses',
    pod({ dnsConfig: { nameservers: ['a', '192.0.2.1', '192.0.2.2', '::1'], options: [{}] } }),
    [
      'spec.dnsConfig.nameservers: Invalid value: []string{"a", "192.0.2.1", "192.0.2.2", "::1"}: ' +
        'must not have more than 3 nameservers',
      `spec.dnsConfig.nameservers[0]: Invalid value: "a": ${address}`,
      'spec.dnsConfig.options[0]: Required value: must not be empty',
    ],
  ],
  [
    'an alias has an address',
    pod({ hostAliases: [{ ip: 'x', hostnames: ['a.example'] }] }),
    [`spec.hostAliases.ip: Invalid value: "x": ${address}`],
  ],
  [
    'a container is named by a label',
    container({ name: 'Main' }),
    [`${at}.name: Invalid value: "Main": ${label}`],
  ],
  [
    'an image has no space around it',
    container({ image: ' a' }),
    [`${at}.image: Invalid value: " a": must not have leading or trailing whitespace`],
  ],
  [
    'ports are named by their bounds',
    container({ ports: [{ containerPort: 70000 }] }),
    [`${at}.ports[0].containerPort: Invalid value: 70000: ${range}`],
  ],
  [
    'all entries of an object become variables, of one object at a time',
    container({
      envFrom: [{}, { configMapRef: { name: 'a' }, secretRef: { name: 'b' } }, { secretRef: {} }],
    }),
    [
      `${at}.envFrom: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``,
      `${at}.envFrom: Invalid value: "": may not have more than one field specified at a time`,
      `${at}.envFrom[2].secretRef.name: Required value`,
    ],
  ],
  [
    'a path of a field is read once, however many brackets it has',
    container({
      env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: manyBrackets } } }],
    }),
    [
      `${at}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "${manyBrackets.slice(0, 1024)}...": ` +
        `error converting fieldPath: field label not supported: ${manyBrackets}`,
    ],
  ],
  [
    'a path that begins with a bracket has no key',
    container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "['a']['b']" } } }] }),
    [
      `${at}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "['a']['b']": ` +
        "error converting fieldPath: field label not supported: ['a']['b']",
    ],
  ],
  [
    'a variable is set from a field that there is',
    container({
      env: [
        { name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.other' } } },
        { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } },
        { name: 'C', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
        { name: 'D', valueFrom: { resourceFieldRef: { resource: 'limits.disk' } } },
        { name: 'E', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2' } } },
        { name: 'F', valueFrom: { secretKeyRef: { key: 'a b' } } },
      ],
    }),
    [
      `${at}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.other": ` +
        'error converting fieldPath: field label not supported: spec.other',
      `${at}.env[1].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: ` +
        '"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", ' +
        '"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      `${at}.env[3].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.disk": supported values: ` +
        '"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", ' +
        '"requests.ephemeral-storage", "requests.memory"',
      `${at}.env[4].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": ` +
        "only divisor's values 1m and 1 are supported with the cpu resource",
      `${at}.env[5].valueFrom.secretKeyRef.name: Invalid value: "": ${subdomain}`,
      `${at}.env[5].valueFrom.secretKeyRef.key: Invalid value: "a b": a valid config key must consist of ` +
        "alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used " +
        "for validation is '[-._a-zA-Z0-9]+')",
    ],
  ],
  [
    'hooks and probes do one thing, with what it needs',
    container({
      lifecycle: { preStop: {}, postStart: { exec: {}, tcpSocket: { port: 0 } } },
      livenessProbe: { httpGet: { port: 70000, httpHeaders: [{ name: 'a b', value: '' }] } },
      readinessProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 5 },
    }),
    [
      `${at}.lifecycle.postStart.exec.command: Required value`,
      `${at}.lifecycle.postStart.tcpSocket: Forbidden: may not specify more than 1 handler type`,
      `${at}.lifecycle.preStop: Required value: ${either}`,
      `${at}.livenessProbe.httpGet.port: Invalid value: 70000: ${range}`,
      `${at}.livenessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of ` +
        "alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      `${at}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes`,
    ],
  ],
  [
    'resources have names that are known or belong to somebody',
    container({ resources: { limits: { foo: '1', storage: '1', 'example.com/gpu': '1500m' } } }),
    ['limits', 'requests'].flatMap((field) => [
      `${at}.resources.${field}[example.com/gpu]: Invalid value: "1500m": must be an integer`,
      `${at}.resources.${field}[foo]: Invalid value: foo: must be a standard resource type or fully qualified`,
      `${at}.resources.${field}[foo]: Invalid value: foo: must be a standard resource for containers`,
      `${at}.resources.${field}[storage]: Invalid value: storage: must be a standard resource for containers`,
    ]),
  ],
  [
    'what cannot be promised twice is limited to what is asked for',
    container({ resources: { requests: { 'example.com/gpu': '1' } } }),
    [`${at}.resources.limits: Required value: Limit must be set for non overcommitable resources`],
  ],
  [
    'large pages come with cpu or memory',
    container({ resources: { limits: { 'hugepages-2Mi': '4Mi' } } }),
    [`${at}.resources: Forbidden: HugePages require cpu or memory`],
  ],
])

refusals(test, pods, [
  [
    'a privileged process cannot be held down',
    container({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
    [
      `${at}.securityContext: Invalid value: {"privileged":true,"allowPrivilegeEscalation":false}: ` +
        'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
    ],
  ],
  [
    'users are numbers that a system has',
    container({ securityContext: { runAsUser: -1 } }),
    [
      `${at}.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive`,
    ],
  ],
  [
    'a profile of the node is named, the others are not',
    pod({
      securityContext: { seccompProfile: { type: 'Localhost' } },
      containers: [
        {
          ...main,
          securityContext: { seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'a' } },
        },
      ],
    }),
    [
      `${at}.securityContext.seccompProfile.localhostProfile: Invalid value: "a": ` +
        'can only be set when seccomp type is Localhost',
      'spec.securityContext.seccompProfile.localhostProfile: Required value: ' +
        'must be set when seccomp type is Localhost',
    ],
  ],
  [
    'processes are shared with the pod or with the node',
    pod({ hostPID: true, shareProcessNamespace: true }),
    [
      'spec.securityContext.shareProcessNamespace: Invalid value: true: ' +
        'ShareProcessNamespace and HostPID cannot both be enabled',
    ],
  ],
  [
    'a pod for one system has no settings of the other',
    pod({ os: { name: 'windows' }, hostPID: true, securityContext: { runAsUser: 1 } }),
    [
      'spec.hostPID: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
    ],
  ],
  [
    'the parts of a toleration fit each other',
    pod({
      tolerations: [
        { key: 'a', operator: 'Exists', value: 'b' },
        { value: 'b' },
        { key: 'a', tolerationSeconds: 5, effect: 'NoSchedule' },
      ],
    }),
    [
      'spec.tolerations[0].operator: Invalid value: {"key":"a","operator":"Exists","value":"b"}: ' +
        "value must be empty when `operator` is 'Exists'",
      'spec.tolerations[1].operator: Invalid value: "": ' +
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      'spec.tolerations[2].effect: Invalid value: "NoSchedule": ' +
        "effect must be 'NoExecute' when `tolerationSeconds` is set",
    ],
  ],
  [
    'a spread that is only wished for needs no number of places',
    pod({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 },
      ],
    }),
    [
      'spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: ' +
        'can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
    ],
  ],
  [
    'a gate keeps a pod from every node',
    pod({ schedulingGates: [{ name: 'example.com/wait' }], nodeName: 'n1' }),
    ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
  ],
])

const must = 'requiredDuringSchedulingIgnoredDuringExecution'
const nodes = (term: object) =>
  pod({ affinity: { nodeAffinity: { [must]: { nodeSelectorTerms: [term] } } } })
const term = `spec.affinity.nodeAffinity.${must}.nodeSelectorTerms[0]`

refusals(test, pods, [
  [
    'nodes are chosen by one term at least',
    pod({ affinity: { nodeAffinity: { [must]: { nodeSelectorTerms: [] } } } }),
    [
      `spec.affinity.nodeAffinity.${must}.nodeSelectorTerms: Required value: ` +
        'must have at least one node selector term',
    ],
  ],
  [
    'operators take as many values as they mean',
    nodes({
      matchExpressions: [
        { key: 'a', operator: 'In' },
        { key: 'a', operator: 'Exists', values: ['b'] },
        { key: 'a', operator: 'Gt', values: ['1', '2'] },
      ],
    }),
    [
      `${term}.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      `${term}.matchExpressions[1].values: Forbidden: ` +
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      `${term}.matchExpressions[2].values: Required value: ` +
        "must be specified single value when `operator` is 'Lt' or 'Gt'",
    ],
  ],
  [
    'a node is chosen by its name and by no other field',
    nodes({ matchFields: [{ key: 'spec.x', operator: 'In', values: ['a'] }] }),
    [`${term}.matchFields[0].key: Invalid value: "spec.x": not a valid field selector key`],
  ],
  [
    'weights have bounds',
    pod({
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 101, podAffinityTerm: { topologyKey: 'zone' } },
          ],
        },
      },
    }),
    [
      'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: ' +
        'Invalid value: 101: must be in the range 1-100',
    ],
  ],
])

const volume = (source: object) => pod({ volumes: [{ name: 'data', ...source }] })
const mounted = (mount: object): Given => ({
  spec: {
    containers: [{ ...main, volumeMounts: [{ name: 'data', mountPath: '/a', ...mount }] }],
    volumes: [{ name: 'data', emptyDir: {} }],
  },
})

refusals(test, pods, [
  [
    'a path does not climb',
    volume({ hostPath: { path: '/a/../b' } }),
    [`spec.volumes[0].hostPath.path: Invalid value: "/a/../b": must not contain '..'`],
  ],
  [
    'a volume of entries says of which object, and keeps files inside',
    volume({ secret: { items: [{ key: 'k', path: '/x' }] } }),
    [
      'spec.volumes[0].secret.secretName: Required value',
      'spec.volumes[0].secret.items[0].path: Invalid value: "/x": must be a relative path',
    ],
  ],
  [
    'a file about the pod is made from one thing',
    volume({
      downwardAPI: {
        items: [{ path: 'a' }, { path: 'b', fieldRef: { fieldPath: 'status.podIP' } }],
      },
    }),
    [
      'spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
      'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "status.podIP": supported values: ' +
        '"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
    ],
  ],
  [
    'a part of a volume has one source',
    volume({ projected: { sources: [{ secret: { name: 'a' }, configMap: { name: 'b' } }] } }),
    ['spec.volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    'a volume of its own has a claim to be made from',
    volume({ ephemeral: {} }),
    ['spec.volumes[0].ephemeral.volumeClaimTemplate: Required value'],
  ],
  [
    'a part that is mounted stays inside, and is named once',
    mounted({ subPath: '../a', subPathExpr: 'b' }),
    [
      `${at}.volumeMounts.subPath: Invalid value: "../a": must not contain '..'`,
      `${at}.volumeMounts[0].subPathExpr: Invalid value: "b": subPathExpr and subPath are mutually exclusive`,
    ],
  ],
  [
    'only the privileged mount for the node',
    mounted({ mountPropagation: 'Bidirectional' }),
    [
      `${at}.volumeMounts.mountPropagation: Forbidden: ` +
        'Bidirectional mount propagation is available only to privileged containers',
    ],
  ],
  [
    'a device is there',
    container({ volumeDevices: [{ name: 'disk', devicePath: '/dev/x' }] }),
    [`${at}.volumeDevices[0].name: Not found: "disk"`],
  ],
])

test.run()
