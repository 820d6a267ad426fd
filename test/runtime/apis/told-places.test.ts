/** Errors that stand elsewhere than at their value, or whose texts clients compare (finding Wire 17). */
import * as assert from 'uvu/assert'
import { kindAt } from '../../support/registry.ts'
import { isRefused } from './outcome.ts'
import { creations, refusals, stored, writing } from './tables.ts'

const test = writing('runtime/apis: places and texts of errors')

refusals(test, kindAt('apis/storage.orch.io/v1/csidrivers'), [
  [
    'a mode that is none is told of at the list',
    { spec: { volumeLifecycleModes: ['Persistent', 'x'] } },
    [
      'spec.volumeLifecycleModes: Unsupported value: "x": supported values: "Persistent", "Ephemeral"',
    ],
  ],
])

const modes = '"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'
refusals(test, kindAt('api/v1/persistentvolumeclaims'), [
  [
    'so is a mode of access',
    { spec: { accessModes: ['x'], resources: { requests: { storage: '1' } } } },
    [`spec.accessModes: Unsupported value: "x": supported values: ${modes}`],
  ],
])

refusals(test, kindAt('api/v1/persistentvolumes'), [
  [
    'options of a mount are told of at their annotation, of volumes that no plugin mounts',
    {
      metadata: { annotations: { 'volume.beta.orch.io/mount-options': 'ro' } },
      spec: {
        ...{ accessModes: ['ReadWriteOnce'], capacity: { storage: '1' } },
        hostPath: { path: '/a' },
      },
    },
    [
      'metadata.annotations.volume.beta.orch.io/mount-options: Forbidden: may not specify mount options for this volume type',
    ],
  ],
])

refusals(test, kindAt('api/v1/services'), [
  [
    'ranges of clients are told of in capitals',
    { spec: { ports: [{ port: 80 }], loadBalancerSourceRanges: ['a', 'b'] } },
    [
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
      'spec.LoadBalancerSourceRanges: Invalid value: "[a b]": must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ',
    ],
  ],
])

const pod = (spec: object) => ({ spec: { containers: [{ name: 'a', image: 'a' }], ...spec } })
const token = (serviceAccountToken: object) =>
  pod({
    serviceAccountName: 'a',
    volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken }] } }],
  })
const volume = (sources: object) => pod({ volumes: [{ name: 'v', emptyDir: {}, ...sources }] })
refusals(test, kindAt('api/v1/pods'), [
  [
    'names of an alias are told of at all aliases',
    pod({ hostAliases: [{ ip: '10.0.0.1', hostnames: ['A'] }] }),
    [
      'spec.hostAliases.hostnames: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric ' +
        "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for " +
        "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    'a second source of a volume goes by its public name',
    volume({ cephfs: { monitors: ['a'] }, downwardAPI: {} }),
    ['cephFS', 'downwarAPI'].map(
      (name) => `spec.volumes[0].${name}: Forbidden: may not specify more than 1 volume type`,
    ),
  ],
  [
    'a partition is told of below the older name of its disk',
    pod({ volumes: [{ name: 'v', gcePersistentDisk: { pdName: 'a', partition: 300 } }] }),
    [
      'spec.volumes[0].persistentDisk.partition: Invalid value: 300: must be between 1 and 255, inclusive',
    ],
  ],
  [
    'a token without a path is told of at all sources',
    token({ path: '' }),
    ['spec.volumes[0].projected.path: Required value'],
  ],
  [
    'the time of a token is told of in words of its own, and its path may lead anywhere',
    token({ path: '../a', expirationSeconds: 5 }),
    [
      'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
    ],
  ],
  [
    'a profile of the node is told of by its path alone',
    {
      ...pod({}),
      metadata: {
        annotations: { 'container.seccomp.security.alpha.orch.io/a': 'localhost/../b' },
      },
    },
    [
      'metadata.annotations.container.seccomp.security.alpha.orch.io/a: Invalid value: "../b": must not contain \'..\'',
    ],
  ],
])

creations(test, kindAt('api/v1/persistentvolumes'), [
  [
    'a namespace that is not given is null where it is always written',
    {
      spec: {
        ...{ accessModes: ['ReadWriteOnce'], capacity: { storage: '1' } },
        azureFile: { secretName: 'a', shareName: 'b' },
      },
    },
    (made) => JSON.stringify(made).includes('"secretNamespace":null'),
    true,
  ],
])

test('the generation of a sender stays where the kind counts none, and is not negative', async ({
  writer,
}) => {
  const kind = kindAt('api/v1/configmaps')
  const made = stored(await writer.create(kind, { metadata: { generation: 7 } }))
  assert.is(made.metadata.generation, 7)
  const refused = await writer.create(kind, { metadata: { generation: -1 } })
  assert.ok(isRefused(refused))
  assert.equal(refused, [
    'metadata.generation: Invalid value: -1: must be greater than or equal to 0',
  ])
})

test.run()
