/**
 * Files in volumes, mounts and devices: what is refused, at which place and in which order. Expectations were seen on a server of
 * release 1.29 (findings Wire 17 and Clients 2).
 */
import { pods } from '../../../../support/registry.ts'
import type { Given } from '../../outcome.ts'
import { refusals, writing } from '../../tables.ts'

const test = writing('runtime/apis: files in the volumes of a pod')

const pod = (volume: object, more: object = {}): Given => ({
  spec: {
    containers: [{ name: 'a', image: 'x' }],
    volumes: [{ name: 'v', ...volume }],
    ...more,
  },
})
const at = 'spec.volumes[0]'
const projected = `${at}.projected`
const octal = 'must be a number between 0 and 0777 (octal), both inclusive'
const inside = "must not contain '..'"
const apart = "must not start with '..'"
const nobody = 'Forbidden: must not be specified when serviceAccountName is not set'
const short = 'may not specify a duration less than 10 minutes'
const single = 'Forbidden: may not specify more than 1 volume type'
const taken = 'conflicting duplicate paths'
const name = { fieldRef: { fieldPath: 'metadata.name' } }

// A4.12 I-01
refusals(test, pods, [
  [
    'several wrong tokens are told of part by part, and that nobody has them after all else of the pod',
    pod(
      {
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 1 } },
            { serviceAccountToken: { path: '../a' } },
            { serviceAccountToken: { path: '', expirationSeconds: 4294967297 } },
          ],
        },
      },
      { containers: [{ name: 'a', image: ' x' }], restartPolicy: 'x' },
    ),
    [
      `${projected}.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 1: ${short}`,
      `${projected}.path: Required value`,
      `${projected}.sources[2].serviceAccountToken.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds`,
      `${projected}.path: Required value`,
      'spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
      ...[0, 1, 2].map((part) => `${projected}.sources[${part}].serviceAccountToken: ${nobody}`),
      'spec.containers[0].image: Invalid value: " x": must not have leading or trailing whitespace',
    ],
  ],
  [
    'parts of a volume are told of with the paths that they share, each at its file',
    pod(
      {
        projected: {
          defaultMode: 512,
          sources: [
            {
              configMap: { items: [{ key: '', path: 'b' }] },
              secret: { items: [{ key: 'k', path: 'a' }] },
            },
            {
              secret: {
                name: 's',
                items: [
                  { path: 'a', mode: -1 },
                  { key: 'k', path: '..' },
                ],
              },
            },
            { downwardAPI: { items: [{ path: 'b', ...name }, name] } },
            { serviceAccountToken: { expirationSeconds: 1 }, configMap: { name: 'c' } },
          ],
        },
      },
      { serviceAccountName: 'x' },
    ),
    [
      `${projected}.defaultMode: Invalid value: 512: ${octal}`,
      `${projected}.sources[0].secret.name: Required value`,
      `${projected}.sources[0].configMap.name: Required value`,
      `${projected}.sources[0].configMap.items[0].key: Required value`,
      `${projected}.sources[0]: ${single}`,
      `${projected}.sources[1].secret.items[0].key: Required value`,
      `${projected}.sources[1].secret.items[0].mode: Invalid value: -1: ${octal}`,
      `${projected}: Invalid value: "s": ${taken}`,
      `${projected}.sources[1].secret.items[1].path: Invalid value: "..": ${inside}`,
      `${projected}.sources[1].secret.items[1].path: Invalid value: "..": ${apart}`,
      `${projected}: Invalid value: "b": ${taken}`,
      `${projected}.sources[2].downwardAPI.path: Required value`,
      `${projected}.sources[3].serviceAccountToken.expirationSeconds: Invalid value: 1: ${short}`,
      `${projected}.path: Required value`,
      `${projected}.sources[3]: ${single}`,
    ],
  ],
  [
    'files about the pod are told of at their volume, one after the other',
    pod({
      downwardAPI: {
        defaultMode: -1,
        items: [
          { fieldRef: { fieldPath: "metadata.annotations['A B']" }, mode: 512 },
          { path: '/a', ...name, resourceFieldRef: { resource: 'x' } },
          { path: 'b', resourceFieldRef: { resource: 'limits.hugepages-2Mi', divisor: '5' } },
          {
            path: 'c',
            resourceFieldRef: {
              containerName: 'a',
              resource: 'limits.ephemeral-storage',
              divisor: '1024',
            },
          },
        ],
      },
    }),
    [
      `${at}.downwardAPI.defaultMode: Invalid value: -1: ${octal}`,
      `${at}.downwardAPI.path: Required value`,
      `${at}.downwardAPI.fieldRef: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', ` +
        "and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " +
        "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      `${at}.downwardAPI.mode: Invalid value: 512: ${octal}`,
      `${at}.downwardAPI.path: Invalid value: "/a": must be a relative path`,
      `${at}.downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously`,
      `${at}.downwardAPI.resourceFieldRef.containerName: Required value`,
      ...[
        ['limits.hugepages-2Mi', 'hugepages'],
        ['limits.ephemeral-storage', 'local ephemeral storage'],
      ].map(
        ([resource, kind]) =>
          `${at}.downwardAPI.resourceFieldRef.divisor: Invalid value: "${resource}": only divisor's values 1, 1k, 1M, 1G, 1T, ` +
          `1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the ${kind} resource`,
      ),
    ],
  ],
  ...(
    [
      ['x', 'Invalid value: "x": error converting fieldPath: field label not supported: x'],
      [
        "spec.x['a']",
        `Invalid value: "spec.x['a']": error converting fieldPath: field label does not support subscript: spec.x['a']`,
      ],
      ['spec.host', 'Unsupported value: "spec.nodeName"'],
      ['status.phase', 'Unsupported value: "status.phase"'],
    ] as const
  ).map(([fieldPath, told]): [string, Given, readonly string[]] => [
    `of a pod that has no file ${fieldPath}`,
    pod({ downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath } }] } }),
    [
      `${at}.downwardAPI.fieldRef.fieldPath: ${told}` +
        (told.startsWith('Unsupported')
          ? ': supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"'
          : ''),
    ],
  ]),
  [
    'files of a secret are told of after their mode',
    pod({ secret: { secretName: 's', defaultMode: 512, items: [{ key: 'k' }] } }),
    [
      `${at}.secret.defaultMode: Invalid value: 512: ${octal}`,
      `${at}.secret.items[0].path: Required value`,
    ],
  ],
  [
    'mounts and devices without a name or a path are compared with each other, too',
    pod(
      { emptyDir: {} },
      {
        containers: [
          {
            name: 'a',
            image: 'x',
            volumeMounts: [{ name: '', mountPath: '/d' }, {}],
            volumeDevices: [{}, { name: 'w' }],
          },
        ],
      },
    ),
    [
      'volumeMounts[0].name: Required value',
      'volumeMounts[0].name: Not found: ""',
      'volumeMounts[0].name: Invalid value: "": must not already exist in volumeDevices',
      'volumeMounts[1].name: Required value',
      'volumeMounts[1].name: Not found: ""',
      'volumeMounts[1].mountPath: Required value',
      'volumeMounts[1].name: Invalid value: "": must not already exist in volumeDevices',
      'volumeMounts[1].mountPath: Invalid value: "": must not already exist as a path in volumeDevices',
      'volumeDevices[0].name: Required value',
      'volumeDevices[0].name: Not found: ""',
      'volumeDevices[0].devicePath: Required value',
      'volumeDevices[0].name: Invalid value: "": must not already exist in volumeMounts',
      'volumeDevices[0].devicePath: Invalid value: "": must not already exist as a path in volumeMounts',
      'volumeDevices[1].name: Not found: "w"',
      'volumeDevices[1].devicePath: Required value',
      'volumeDevices[1].devicePath: Invalid value: "": must be unique',
      'volumeDevices[1].devicePath: Invalid value: "": must not already exist as a path in volumeMounts',
    ].map((told) => `spec.containers[0].${told}`),
  ],
])

test.run()
