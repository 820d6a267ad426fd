import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { features } from '../../../../generated/features.ts'
import { optionTables } from '../../../../generated/options.ts'
import {
  type ConfigSource,
  type Configuration,
  configFiles,
  parseOptions,
} from '../../../../runtime/config/config.ts'

const {
  configTemplate,
  explain,
  loadConfiguration,
  formatFindings: printFindings,
} = await configFiles()

const config = suite('runtime/config: load')

const agent = await optionTables.orchlet!()
const manager = await optionTables['orch-controller-manager']!()
const head = 'apiVersion: orchlet.config.orch.io/v1beta1\nkind: OrchletConfiguration\n'

function file(text: string, name = 'agent.yaml'): ConfigSource {
  return { name, text, origin: 'file' }
}

function fragment(text: string, name: string): ConfigSource {
  return { name, text: head + text, origin: 'fragment' }
}

function load(sources: readonly ConfigSource[], argv = '', table = agent): Promise<Configuration> {
  const line = parseOptions(
    table,
    argv.split(' ').filter((word) => word !== ''),
  )
  return loadConfiguration({ table, commandLine: line, features, sources })
}

async function mistakes(text: string, argv = ''): Promise<readonly string[]> {
  const { findings } = await load([file(head + text)], argv)
  return findings.map(({ location: place, message }) => `${place.text}: ${message}`)
}

const refused: readonly (readonly [fact: string, text: string, finding: string])[] = [
  ['an unknown field', 'maxPod: 5', '3:1: maxPod: unknown field; did you mean "maxPods"?'],
  [
    'an unknown field of a struct inside',
    'authentication:\n  webhook:\n    enable: true',
    '5:5: authentication.webhook.enable: unknown field; did you mean "enabled"?',
  ],
  ['a value of another type', 'maxPods: many', '3:10: maxPods: must be an integer, not a string'],
  [
    'a duration that is none',
    'syncFrequency: soon',
    '3:16: syncFrequency: must be a duration, not "soon"',
  ],
  [
    'a key that stands twice',
    'port: 1\nport: 2',
    '4:1: port: this key stands twice in its mapping',
  ],
  [
    'a number out of range',
    'oomScoreAdj: -2000',
    '3:14: oomScoreAdj: Invalid value: -2000: must be between -1000 and 1000, inclusive',
  ],
  [
    'a word that is none of those there are',
    'hairpinMode: loop',
    '3:14: hairpinMode: Unsupported value: "loop": supported values: "hairpin-veth", "none", "promiscuous-bridge"',
  ],
  [
    'a required field of an item',
    'reservedMemory:\n- limits: {memory: 1Gi}',
    '4:3: reservedMemory[0].numaNode: Required value',
  ],
  [
    'a threshold below the one above it',
    'imageGCLowThresholdPercent: 90',
    '3:29: imageGCLowThresholdPercent: must be at most imageGCHighThresholdPercent (85)',
  ],
  [
    'the other threshold, when it is the one that was set',
    'imageGCHighThresholdPercent: 70',
    '3:30: imageGCLowThresholdPercent: must be at most imageGCHighThresholdPercent (70)',
  ],
  [
    'two fields of which one excludes the other',
    'runOnce: true\nenableServer: true',
    '3:10: runOnce: must not be set together with enableServer',
  ],
  [
    'a word that must stand alone',
    'enforceNodeAllocatable: [none, pods]',
    '3:25: enforceNodeAllocatable: "none" must stand alone',
  ],
  [
    'a word that needs another field',
    'enforceNodeAllocatable: [pods, system-reserved]',
    '3:25: enforceNodeAllocatable: "system-reserved" needs systemReservedCgroup to be set',
  ],
  [
    'a key of a map that means nothing',
    'systemReserved: {gpu: 1}',
    '3:17: systemReserved: Unsupported value: "gpu": supported values: "cpu", "memory", "ephemeral-storage", "pid"',
  ],
  [
    'a field whose gate is off',
    'qosReserved: {memory: 50%}',
    '3:14: qosReserved: needs the feature gate QOSReserved',
  ],
  [
    'an unknown gate',
    'featureGates:\n  NodeSwp: true',
    '4:3: unrecognized feature gate: NodeSwp; did you mean "NodeSwap"?',
  ],
  [
    'a text that is no YAML',
    'a: [',
    '4:1: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
]

for (const [fact, text, finding] of refused) {
  config(`${fact} is refused with its place`, async () => {
    assert.equal(await mistakes(`${text}\n`), [`agent.yaml:${finding}`])
  })
}

const values: readonly (readonly [field: string, value: string, finding: string | undefined])[] = [
  ['address', 'localhost', '"localhost" must be an IP address'],
  [
    'podCIDR',
    '10.0.0.0/33',
    '"10.0.0.0/33" must be an address range such as 10.0.0.0/16, or one of each family',
  ],
  ['podCIDR', '10.0.0.0/8,fd00::/8', undefined],
  ['reservedSystemCPUs', '3-1', '"3-1" must be a list of CPUs such as 0-3,5'],
  ['reservedSystemCPUs', '0,2-4', undefined],
  [
    'containerLogMaxSize',
    '10Mb',
    '"10Mb" must be a quantity of 0 or more, such as 100, 1.5G or 256Mi',
  ],
  ['showHiddenMetricsForVersion', '"1"', '"1" must be MAJOR.MINOR'],
  ['iptablesDropBit', '14', 'must not be the bit of iptablesMasqueradeBit'],
  ['maxParallelImagePulls', '2', 'more than one needs serializeImagePulls to be false'],
  ['maxParallelImagePulls', '2\nserializeImagePulls: false', undefined],
  [
    'evictionSoft',
    '{pid.available: 5%}',
    'each threshold needs how long it must hold, in evictionSoftGracePeriod',
  ],
  ['evictionSoft', '{pid.available: 5%}\nevictionSoftGracePeriod: {pid.available: 1m}', undefined],
  ['imageMaximumGCAge', '1h', 'needs the feature gate ImageMaximumGCAge'],
  [
    'shutdownGracePeriod',
    '1m\nfeatureGates: {GracefulNodeShutdown: false}',
    'needs the feature gate GracefulNodeShutdown',
  ],
  [
    'reservedSystemCPUs',
    '0-1\nsystemReservedCgroup: /s',
    'must not be set together with systemReservedCgroup',
  ],
  [
    'logging',
    '{format: json, vmodule: [{filePattern: a, verbosity: 1}]}',
    'levels for files are of the text format only',
  ],
]
for (const [field, value, finding] of values) {
  config(`${field}: ${value} is ${finding === undefined ? 'fine' : 'refused'}`, async () => {
    const found = await mistakes(`${field}: ${value}\n`)
    assert.is(found.length, finding === undefined ? 0 : 1, found.join('\n'))
    if (finding !== undefined) assert.match(found[0] ?? '', finding)
  })
}

config('a value in a list or a map is refused in its own place', async () => {
  const text = `clusterDNS: [10.0.0.1, dns]
evictionHard:
  memory.available: 1Gi
  nodefs.available: 101%
systemReserved: {memory: -1Gi}
`
  assert.equal(await mistakes(text), [
    'agent.yaml:3:24: clusterDNS[1]: "dns" must be an IP address',
    'agent.yaml:6:21: evictionHard[nodefs.available]: "101%" must be a quantity, or a percentage up to 100%',
    'agent.yaml:7:26: systemReserved[memory]: "-1Gi" must be a quantity of 0 or more, such as 100, 1.5G or 256Mi',
  ])
})

const labels: readonly (readonly [label: string, finding: string | undefined])[] = [
  ['tier=web', undefined],
  ['example.com/tier=', undefined],
  ['orch.io/os=linux', undefined],
  ['node.orch.io/pool=a', undefined],
  ['gpu.node.orch.io/pool=a', undefined],
  ['topology.orch.io/zone=a', undefined],
  [
    'orch.io/pool=a',
    '--node-labels[orch.io/pool]: "orch.io/pool" is of a domain of which only labels under orchlet.orch.io, node.orch.io and known ones may be given',
  ],
  ['a_b/c=d', '--node-labels[a_b/c]: "a_b/c" is not the key of a label'],
  ['a=b/c', '--node-labels[a]: "b/c" is not the value of a label'],
]
// D2.250
for (const [label, finding] of labels) {
  config(`the node label ${label} is ${finding === undefined ? 'fine' : 'refused'}`, async () => {
    const { findings } = await load([], `--node-labels=${label}`)
    assert.is(findings[0]?.message.replace(/; did you.*/, ''), finding)
  })
}

config('a field goes with its gate, in the file or beside it', async () => {
  const text = 'qosReserved: {memory: 50%}\n'
  assert.equal(await mistakes(`${text}featureGates: {QOSReserved: true}\n`), [])
  assert.equal(await mistakes(text, '--feature-gates=QOSReserved=true'), [])
})

config('everything that is wrong is said at once, in the order of the text', async () => {
  const text = 'port: 70000\nmaxPod: 1\nsyncFrequency: 5\ncontainerLogMaxFiles: 1\n'
  const found = await mistakes(text, '--max-pods=x')
  assert.equal(
    found.map((each) => each.split(':').slice(0, 2).join(':')),
    ['agent.yaml:3', 'agent.yaml:4', 'agent.yaml:5', 'agent.yaml:6', 'command line'].map((each) =>
      each === 'command line' ? 'command line: invalid argument "x" for "--max-pods" flag' : each,
    ),
  )
})

config('a number without end hides nothing else', async () => {
  assert.equal(await mistakes('memoryThrottlingFactor: .inf\nmaxPods: x\n? [a]\n: b\n'), [
    'agent.yaml:3:25: .inf has no JSON form',
    'agent.yaml:4:10: maxPods: must be an integer, not a string',
    'agent.yaml:5:3: a key must be a scalar',
  ])
})

config('a finding shows its line with a caret', async () => {
  const text = `${head}maxPods: many\n`
  const { findings } = await load([file(text)])
  assert.is(
    printFindings(findings, [file(text)])[0],
    'agent.yaml:3:10: maxPods: must be an integer, not a string\n  3 | maxPods: many\n    |          ^',
  )
})

config('of a long line the part around the caret is shown', async () => {
  const text = `${head}clusterDNS: [${'a, '.repeat(1000)}{}, ${'b, '.repeat(1000)}]\n`
  const { findings } = await load([file(text)])
  const [, line = '', caret = ''] = printFindings(findings, [file(text)])
    .find((each) => each.includes('a mapping'))!
    .split('\n')
  assert.ok(line.length < 150)
  assert.is(line.slice(caret.length - 1, caret.length + 1), '{}')
})

config('another kind, another version and none at all are refused', async () => {
  const messages = async (text: string) =>
    (await load([file(text)])).findings.map(({ message }) => message)
  assert.equal(await messages('kind: OrchletConfiguration\n'), [
    'apiVersion: Required value: orchlet.config.orch.io/v1beta1',
  ])
  assert.equal(await messages(head.replace('v1beta1', 'v1beta2')), [
    'apiVersion: must be orchlet.config.orch.io/v1beta1, not "orchlet.config.orch.io/v1beta2"; did you mean "orchlet.config.orch.io/v1beta1"?',
  ])
  assert.equal(await messages('[]'), ['expected a OrchletConfiguration: a mapping'])
  assert.equal(await messages(''), ['expected a OrchletConfiguration: a mapping'])
})

config('a key like a prototype is an unknown field like any other', async () => {
  assert.equal(await mistakes('__proto__: {port: 1}\nconstructor: 1\n'), [
    'agent.yaml:3:1: __proto__: unknown field',
    'agent.yaml:4:1: constructor: unknown field',
  ])
})

const valuesOf = (configuration: Configuration) => configuration.value as Record<string, unknown>

// D2.187
config('flags override fragments, later ones earlier ones, and those the file', async () => {
  const sources = [
    file(`${head}maxPods: 1\nport: 1\nreadOnlyPort: 1\naddress: 10.0.0.1\n`),
    fragment('port: 2\nreadOnlyPort: 2\naddress: 10.0.0.2\n', '10.conf'),
    fragment('readOnlyPort: 3\naddress: 10.0.0.3\n', '20.conf'),
  ]
  const configuration = await load(sources, '--address=10.0.0.4')
  assert.equal(configuration.findings, [])
  const { maxPods, port, readOnlyPort, address, healthzPort } = valuesOf(configuration)
  assert.equal([maxPods, port, readOnlyPort, address], [1, 2, 3, '10.0.0.4'])
  assert.is(healthzPort, 10248)
})

// D2.188
config(
  'fragments merge as the schema says: maps by key, sets united, keyed lists by item, others replaced',
  async () => {
    const sources = [
      file(`${head}evictionHard: {memory.available: 1Gi, pid.available: 5%}
allowedUnsafeSysctls: [a, b]
clusterDNS: [10.0.0.1, 10.0.0.2]
reservedMemory:
- {numaNode: 0, limits: {memory: 1Gi}}
- {numaNode: 1, limits: {memory: 1Gi}}
`),
      fragment(
        `evictionHard: {pid.available: 10%}
allowedUnsafeSysctls: [b, c]
clusterDNS: [10.0.0.3]
reservedMemory:
- {numaNode: 1, limits: {memory: 2Gi}}
maxPods: null
`,
        '10.conf',
      ),
    ]
    const configuration = await load(sources)
    assert.equal(configuration.findings, [])
    const value = valuesOf(configuration)
    assert.equal(value.evictionHard, { 'memory.available': '1Gi', 'pid.available': '10%' })
    assert.equal(value.allowedUnsafeSysctls, ['a', 'b', 'c'])
    assert.equal(value.clusterDNS, ['10.0.0.3'])
    assert.is(value.maxPods, 110)
    assert.equal(value.reservedMemory, [
      { numaNode: 0, limits: { memory: '1Gi' } },
      { numaNode: 1, limits: { memory: '2Gi' } },
    ])
  },
)

config('each fragment is checked on its own first', async () => {
  const { findings } = await load([file(head), fragment('maxPods: -1\n', '10.conf')])
  assert.equal(
    findings.map(({ location: place }) => place.text),
    ['10.conf:3:10'],
  )
})

config('a rule that fails is reported at a field that it reads and that was set', async () => {
  const placed = async (argv: string, text: string, table = agent) => {
    const { findings } = await load(text === '' ? [] : [file(text)], argv, table)
    return findings.map(({ location: place, message }) => `${place.text}: ${message}`)
  }
  const low = 'imageGCLowThresholdPercent: must be at most imageGCHighThresholdPercent (70)'
  assert.equal(await placed('--image-gc-high-threshold=70', head), [
    `--image-gc-high-threshold: ${low}`,
  ])
  assert.equal(
    await placed('--image-gc-high-threshold=70', `${head}imageGCLowThresholdPercent: 75`),
    [`agent.yaml:3:29: ${low}`],
  )
  const lease = 'Generic.LeaderElection.renewDeadline: must be less than leaseDuration (5s)'
  assert.equal(await placed('--leader-elect-lease-duration=5s', '', manager), [
    `--leader-elect-lease-duration: ${lease}`,
  ])
})

const forms: readonly (readonly [flag: string, field: string, value: unknown])[] = [
  [
    '--eviction-hard=memory.available<1Gi,pid.available<5%',
    'evictionHard',
    { 'memory.available': '1Gi', 'pid.available': '5%' },
  ],
  [
    '--eviction-soft=memory.available<2Gi --eviction-soft-grace-period=memory.available=1m',
    'evictionSoft',
    { 'memory.available': '2Gi' },
  ],
  ['--system-reserved=cpu=100m,memory=1Gi', 'systemReserved', { cpu: '100m', memory: '1Gi' }],
  [
    '--register-with-taints=a=b:NoSchedule,c:NoExecute',
    'registerWithTaints',
    [
      { key: 'a', value: 'b', effect: 'NoSchedule' },
      { key: 'c', effect: 'NoExecute' },
    ],
  ],
  ['--manifest-url-header=a:b,a:c', 'staticPodURLHeader', { a: ['b', 'c'] }],
  [
    '--reserved-memory=0:memory=1Gi;1:memory=2Gi',
    'reservedMemory',
    [
      { numaNode: 0, limits: { memory: '1Gi' } },
      { numaNode: 1, limits: { memory: '2Gi' } },
    ],
  ],
  ['--cluster-dns=10.0.0.1,10.0.0.2', 'clusterDNS', ['10.0.0.1', '10.0.0.2']],
  ['--minimum-image-ttl-duration=90s', 'imageMinimumGCAge', '1m30s'],
]

for (const [flag, field, value] of forms) {
  config(`${flag} is ${field} of the file`, async () => {
    const configuration = await load([], flag)
    assert.equal(configuration.findings, [])
    assert.equal(valuesOf(configuration)[field], value)
  })
}

// D2.291 D2.293 D2.236 D2.237
config('flags of the log are fields of its struct', async () => {
  const configuration = await load([], '-v=4 --vmodule=gc=6,pod*=2')
  assert.equal(configuration.findings, [])
  const { logging } = valuesOf(configuration)
  assert.equal((logging as Record<string, unknown>).verbosity, 4)
  assert.equal((logging as Record<string, unknown>).vmodule, [
    { filePattern: 'gc', verbosity: 6 },
    { filePattern: 'pod*', verbosity: 2 },
  ])
  const { findings } = await load([], '--log-json-split-stream')
  assert.equal(
    findings.map(({ message }) => message),
    ['logging.options.json.splitStream: needs the feature gate LoggingAlphaOptions'],
  )
})

config('a flag that stands for a map grows when it is given again, as its type would', async () => {
  const argv =
    '--system-reserved=cpu=1,pid=5 --system-reserved=cpu=2 --reserved-memory=0:memory=1Gi --reserved-memory=1:memory=2Gi'
  const configuration = await load([], argv)
  assert.equal(configuration.findings, [])
  const { systemReserved, reservedMemory } = valuesOf(configuration)
  assert.equal(systemReserved, { cpu: '2', pid: '5' })
  assert.is((reservedMemory as readonly unknown[]).length, 2)
})

config('a flag whose text does not stand for a field is refused', async () => {
  const { findings } = await load([], '--register-with-taints=a=b:Never --eviction-hard=memory')
  assert.is(findings.length, 2)
  const { findings: twice } = await load([], '--eviction-hard=pid.available<5%,pid.available<6%')
  assert.match(twice[0]?.message ?? '', 'pid.available stands twice')
  const { findings: tainted } = await load([], '--register-with-taints=a=b:NoExecute,a:NoExecute')
  assert.match(tainted[0]?.message ?? '', 'a:NoExecute stands twice')
  const { findings: unnamed } = await load([], '--vmodule==1')
  assert.match(unnamed[0]?.message ?? '', '=1 must begin with a pattern')
})

const constraints: readonly (readonly [argv: string, finding: string | undefined])[] = [
  // D2.5
  [
    '--attach-detach-reconcile-sync-period=1s',
    'AttachDetachController.ReconcilerSyncLoopPeriod: must be more than 1s',
  ],
  ['--attach-detach-reconcile-sync-period=2s', undefined],
  // D2.21
  [
    '--cluster-cidr=10.0.0.0/8',
    'OrchCloudShared.ClusterCIDR: needs OrchCloudShared.AllocateNodeCIDRs to be set',
  ],
  ['--cluster-cidr=10.0.0.0/8 --allocate-node-cidrs', undefined],
  [
    '--service-cluster-ip-range=10.0.0.0/16',
    'NodeIPAMController.ServiceCIDR: needs OrchCloudShared.AllocateNodeCIDRs to be set',
  ],
  [
    '--node-cidr-mask-size=24 --node-cidr-mask-size-ipv6=64',
    'NodeIPAMController.NodeCIDRMaskSize: must not be set together with NodeIPAMController.NodeCIDRMaskSizeIPv6',
  ],
  // J-07
  ['--controllers=*,-jop', 'Generic.Controllers[1]: "jop" is unknown; did you mean "job"?'],
  ['--controllers=*,-job,cronjob-controller,-endpoint', undefined],
  [
    '--tls-sni-cert-key=a,b:*.example.com,example.org --tls-sni-cert-key=c',
    '--tls-sni-cert-key[1]: "c" must be CERT,KEY, with domains after a colon if need be',
  ],
  ['--bind-address=:: --allocate-node-cidrs --cluster-cidr=10.0.0.0/8,fd00::/8', undefined],
  ['--bind-address=localhost', 'Generic.Address: "localhost" must be an IP address'],
  [
    '--show-hidden-metrics-for-version=v1',
    '--show-hidden-metrics-for-version: "v1" must be MAJOR.MINOR',
  ],
  // D2.23 D2.24
  [
    '--cluster-signing-cert-file=a',
    'CSRSigningController.ClusterSigningCertFile: needs CSRSigningController.ClusterSigningKeyFile as well',
  ],
  [
    '--cluster-signing-cert-file=a --cluster-signing-key-file=b --cluster-signing-orchlet-client-cert-file=c --cluster-signing-orchlet-client-key-file=d',
    'CSRSigningController.ClusterSigningCertFile: must not be set together with CSRSigningController.OrchletClientSignerConfiguration',
  ],
  // D2.75
  [
    '--leader-elect-renew-deadline=15s',
    'Generic.LeaderElection.renewDeadline: must be less than leaseDuration (15s)',
  ],
]

for (const [argv, finding] of constraints) {
  config(`${argv} is ${finding === undefined ? 'fine' : 'refused'}`, async () => {
    const { findings } = await load([], argv, manager)
    assert.equal(
      findings.map(({ message }) => message),
      finding === undefined ? [] : [finding],
    )
  })
}

config('what one flag needs may be said in the file, and the other way round', async () => {
  const whole = configTemplate(manager.config!)
  const allocating = whole.replace('AllocateNodeCIDRs: false', 'AllocateNodeCIDRs: true')
  const { findings } = await load([file(allocating)], '--cluster-cidr=10.0.0.0/8', manager)
  assert.equal(findings, [])
  const ranged = whole.replace('ClusterCIDR: ""', 'ClusterCIDR: 10.0.0.0/8')
  const { findings: missing } = await load([file(ranged)], '', manager)
  assert.equal(
    missing.map(({ message }) => message),
    ['OrchCloudShared.ClusterCIDR: needs OrchCloudShared.AllocateNodeCIDRs to be set'],
  )
  assert.match(missing[0]?.location.text ?? '', /^agent\.yaml:\d+:\d+$/)
})

// D2.127
config('a file of the manager is whole, and fragments and flags change parts of it', async () => {
  const whole = configTemplate(manager.config!)
  const configuration = await load([file(whole)], '--concurrent-deployment-syncs=9', manager)
  assert.equal(configuration.findings, [])
  const part = whole.replace(/^ {2}ConcurrentGCSyncs: .*\n/m, '')
  const { findings } = await load([file(part)], '--concurrent-deployment-syncs=9', manager)
  assert.equal(
    findings.map(({ message }) => message),
    ['GarbageCollectorController.ConcurrentGCSyncs: Required value'],
  )
})

config('explain gives every value with its origin', async () => {
  const sources = [
    file(`${head}evictionHard: {memory.available: 1Gi}\nallowedUnsafeSysctls: [a]\n`),
    fragment('allowedUnsafeSysctls: [b]\nevictionHard: {pid.available: 5%}\n', '10.conf'),
  ]
  const configuration = await load(sources, '--max-pods=7 --root-dir=/x')
  const rows = explain(agent, configuration, {
    field: (struct, name) => `${struct.name}.${name}`,
    flag: (daemon, flag) => `${daemon} ${flag}`,
  })
  const origin = new Map(rows.map((row) => [row.name, [row.value, row.origin]]))
  assert.equal(origin.get('maxPods'), ['7', '--max-pods'])
  assert.equal(origin.get('port'), ['10250', 'default (OrchletConfiguration.port)'])
  assert.equal(origin.get('evictionHard[memory.available]'), ['1Gi', 'agent.yaml:3:34'])
  assert.equal(origin.get('evictionHard[pid.available]'), ['5%', '10.conf:4:31'])
  assert.equal(origin.get('allowedUnsafeSysctls'), ['["a","b"]', 'agent.yaml:4:24, 10.conf:3:24'])
  assert.equal(origin.get('--root-dir'), ['/x', '--root-dir'])
  assert.equal(origin.get('--cert-dir'), ['/var/lib/orchlet/pki', 'default (orchlet cert-dir)'])
  const period = explain(manager, await load([], '', manager), {
    field: () => undefined,
    flag: (_, flag) => flag,
  }).find(({ name }) => name === 'AttachDetachController.ReconcilerSyncLoopPeriod')
  assert.equal(period?.origin, 'default (attach-detach-reconcile-sync-period)')
  assert.is(period?.value, '1m0s')
})

config.run()
