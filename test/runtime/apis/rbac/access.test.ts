import * as assert from 'uvu/assert'
import { certificateRequest, rootCertificate } from '../../../support/certificates.ts'
import { kindAt } from '../../../support/registry.ts'
import type { Given, Stored } from '../outcome.ts'
import { creations, refusals, stored, updates, writing } from '../tables.ts'

const test = writing('runtime/apis: access and certificates')
const group = 'rbac.authorization.orch.io'
const roles = kindAt(`apis/${group}/v1/roles`)
const clusterRoles = kindAt(`apis/${group}/v1/clusterroles`)
const bindings = kindAt(`apis/${group}/v1/rolebindings`)
const clusterBindings = kindAt(`apis/${group}/v1/clusterrolebindings`)
const requests = kindAt('apis/certificates.orch.io/v1/certificatesigningrequests')
const bundles = kindAt('apis/certificates.orch.io/v1alpha1/clustertrustbundles')

const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const paths = { verbs: ['get'], nonResourceURLs: ['/healthz'] }

// I-29
refusals(test, roles, [
  ['a role grants verbs on resources', { rules: [rule] }, []],
  ['a role may grant nothing', {}, []],
  ['names may hold what a path can carry', { metadata: { name: 'system:a' }, rules: [rule] }, []],
  [
    'a rule has verbs, groups and resources',
    { rules: [{ verbs: [] }] },
    [
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ],
  ],
  [
    'other paths belong to no namespace',
    { rules: [paths] },
    [
      'rules[0].nonResourceURLs: Invalid value: []string{"/healthz"}: namespaced rules cannot apply to non-resource URLs',
    ],
  ],
])
refusals(test, clusterRoles, [
  ['a cluster role may grant other paths', { rules: [paths] }, []],
  [
    'but not in one rule with resources',
    { rules: [{ ...rule, ...paths }] },
    [
      'rules[0].nonResourceURLs: Invalid value: []string{"/healthz"}: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ],
  [
    'aggregation is from somewhere',
    { aggregationRule: {} },
    [
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
  ],
])

const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'viewer' }
const user = { kind: 'User', name: 'ann' }

// I-01
creations(test, bindings, [
  [
    'users and groups are of the group of roles',
    { roleRef, subjects: [user, { kind: 'Group', name: 'all' }] },
    (o) => (o.subjects as { apiGroup: string }[]).map(({ apiGroup }) => apiGroup),
    [group, group],
  ],
  [
    'and so is the role',
    { roleRef: { kind: 'Role', name: 'viewer' } },
    (o) => (o.roleRef as { apiGroup: string }).apiGroup,
    group,
  ],
  [
    'service accounts are of no group',
    { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'shop' }] },
    (o) => o.subjects,
    [{ kind: 'ServiceAccount', name: 'default', namespace: 'shop' }],
  ],
])
refusals(test, bindings, [
  [
    'a subject is somebody known',
    { roleRef, subjects: [{ kind: 'Robot', name: '' }] },
    [
      'subjects[0].name: Required value',
      'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
    ],
  ],
])
refusals(test, clusterBindings, [
  [
    'the whole cluster gets cluster roles only, and accounts have a namespace',
    {
      roleRef: { ...roleRef, kind: 'Role' },
      subjects: [{ kind: 'ServiceAccount', name: 'default' }],
    },
    [
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      'subjects[0].namespace: Required value',
    ],
  ],
])
updates(test, bindings, { roleRef }, [
  ['subjects change', (o) => ({ ...o, subjects: [user] }), []],
  [
    'the role does not (Z-08)',
    (o) => ({ ...o, roleRef: { ...roleRef, name: 'editor' } }),
    [
      'roleRef: Invalid value: {"apiGroup":"rbac.authorization.orch.io","kind":"ClusterRole","name":"editor"}: cannot change roleRef',
    ],
  ],
])

const spec = { request: certificateRequest, signerName: 'example.com/ca', usages: ['client auth'] }
const request = (more: object): Given => ({ spec: { ...spec, ...more } })

// I-23
creations(test, requests, [
  [
    'who asks is not for the request to say',
    request({ username: 'root', groups: ['system:masters'], uid: '1', extra: { a: ['b'] } }),
    (o) => Object.keys(o.spec as object),
    ['request', 'signerName', 'usages'],
  ],
])
// A9: signerName and usages required, no duplicates
refusals(test, requests, [
  [
    'a request is one, for a signer, for something',
    request({ request: 'aGVsbG8=', signerName: 'ca', usages: [] }),
    [
      'spec.request: Invalid value: []byte{0x68, 0x65, 0x6c, 0x6c, 0x6f}: PEM block type must be CERTIFICATE REQUEST',
      'spec.usages: Required value',
      `spec.signerName: Invalid value: "ca": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
    ],
  ],
  [
    'each use once, and known',
    request({ usages: ['client auth', 'client auth'] }),
    ['spec.usages[1]: Duplicate value: "client auth"'],
  ],
  [
    'the legacy signer is gone',
    request({ signerName: 'orch.io/legacy-unknown' }),
    [
      'spec.signerName: Invalid value: "orch.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
  ],
])

const decided = (type: string, status = 'True') => ({ type, status, reason: 'Test', message: '' })
const withConditions = (o: Stored, ...conditions: object[]): Stored => ({
  ...o,
  status: { conditions },
})
const conditionsOf = (o: Stored) =>
  ((o.status as { conditions?: { type: string }[] }).conditions ?? []).map(({ type }) => type)

test('the spec never changes', async ({ writer }) => {
  const first = stored(await writer.create(requests, request({})))
  const put = stored(await writer.put(requests, { ...first, spec: { ...spec, usages: ['any'] } }))
  assert.equal((put.spec as { usages: unknown }).usages, ['client auth'])
})

test('approval stays, and excludes denial', async ({ writer }) => {
  const first = stored(await writer.create(requests, request({})))
  const approved = await writer.put(
    requests,
    withConditions(first, decided('Approved')),
    'approval',
  )
  const object = stored(approved)
  assert.equal(conditionsOf(object), ['Approved'])
  const [condition] = (object.status as { conditions: { lastTransitionTime: unknown }[] })
    .conditions
  assert.type(condition?.lastTransitionTime, 'string')
  const both = withConditions(object, decided('Approved'), decided('Denied'))
  assert.equal(await writer.put(requests, both, 'approval'), [
    'status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
  ])
  assert.equal(await writer.put(requests, withConditions(object), 'approval'), [
    'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
  ])
})

test('the status path writes the certificate and failure, never approval', async ({ writer }) => {
  const first = stored(await writer.create(requests, request({})))
  const sneaky = await writer.put(requests, withConditions(first, decided('Approved')), 'status')
  assert.equal(sneaky, [
    'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
  ])
  const failed = await writer.put(requests, withConditions(first, decided('Failed')), 'status')
  assert.equal(conditionsOf(stored(failed)), ['Failed'])
  const certificate = Buffer.from(rootCertificate).toString('base64')
  const issued = stored(
    await writer.put(
      requests,
      { ...stored(failed), status: { conditions: [decided('Failed')], certificate } },
      'status',
    ),
  )
  assert.is((issued.status as { certificate: string }).certificate, certificate)
  const other = { conditions: [decided('Failed')], certificate: 'aGVsbG8=' }
  assert.equal(await writer.put(requests, { ...issued, status: other }, 'status'), [
    'status.certificate: Forbidden: updates may not modify existing certificate content',
  ])
})

refusals(test, bundles, [
  ['a bundle holds root certificates', { spec: { trustBundle: rootCertificate } }, []],
  [
    'at least one',
    { spec: { trustBundle: 'none' } },
    [
      'spec.trustBundle: Invalid value: "<value omitted>": at least one trust anchor must be provided',
    ],
  ],
  [
    'each once',
    { spec: { trustBundle: rootCertificate + rootCertificate } },
    ['spec.trustBundle: Invalid value: "<value omitted>": duplicate trust anchor (indices [0 1])'],
  ],
  [
    'and is named after its signer',
    {
      metadata: { name: 'other' },
      spec: { signerName: 'example.com/ca', trustBundle: rootCertificate },
    },
    [
      'metadata.name: Invalid value: "other": ClusterTrustBundle for signerName example.com/ca must be named with prefix example.com:ca:',
    ],
  ],
])

test.run()
