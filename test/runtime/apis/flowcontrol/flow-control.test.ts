import * as assert from 'uvu/assert'
import { kindAt } from '../../../support/registry.ts'
import { type Given, isRefused, type Stored } from '../outcome.ts'
import { creations, refusals, updates, writing } from '../tables.ts'

const test = writing('runtime/apis: flow control, storage versions and resource claims')
const group = 'apis/flowcontrol.apiserver.orch.io/v1'
const schemas = kindAt(`${group}/flowschemas`)
const levels = kindAt(`${group}/prioritylevelconfigurations`)
const records = kindAt('apis/internal.apiserver.orch.io/v1alpha1/storageversions')
const claims = kindAt('apis/resource.orch.io/v1alpha2/resourceclaims')
const contexts = kindAt('apis/resource.orch.io/v1alpha2/podschedulingcontexts')

const level = { name: 'low' }
const resources = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true }
const rule = { subjects: [{ kind: 'User', user: { name: '*' } }], resourceRules: [resources] }
const schema = (more: object): Given => ({ spec: { priorityLevelConfiguration: level, ...more } })
const at = 'spec.rules[0]'

creations(test, schemas, [
  [
    'a schema stands in the middle',
    schema({}),
    (o) => (o.spec as { matchingPrecedence: number }).matchingPrecedence,
    1000,
  ],
])
refusals(test, schemas, [
  ['a schema matches requests', schema({ rules: [rule] }), []],
  [
    'a schema names a level',
    { spec: { priorityLevelConfiguration: { name: '' } } },
    ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level'],
  ],
  [
    'the first place is taken',
    schema({ matchingPrecedence: 1 }),
    [
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ],
  ],
  [
    'a rule is about somebody and something',
    schema({ rules: [{ subjects: [] }] }),
    [
      `${at}.subjects: Required value: subjects must contain at least one value`,
      `${at}: Required value: at least one of resourceRules and nonResourceRules has to be non-empty`,
    ],
  ],
  [
    'a subject is what its kind says',
    schema({ rules: [{ ...rule, subjects: [{ kind: 'User', group: { name: 'a' } }] }] }),
    [
      `${at}.subjects[0].user: Required value: user is required when subject kind is 'User'`,
      `${at}.subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'`,
    ],
  ],
  [
    'a star stands alone, and requests have a place',
    schema({
      rules: [
        { ...rule, resourceRules: [{ ...resources, verbs: ['*', 'get'], clusterScope: false }] },
      ],
    }),
    [
      `${at}.resourceRules[0].verbs: Invalid value: []string{"*", "get"}: if '*' is present, must not specify other verbs`,
      `${at}.resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace`,
    ],
  ],
  [
    'a star ends a path',
    schema({
      rules: [{ ...rule, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a*'] }] }],
    }),
    [
      `${at}.nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/a*": wildcard can only do suffix matching`,
    ],
  ],
])

const limited = (more: object = {}): Given => ({ spec: { type: 'Limited', limited: more } })
const reject = { limitResponse: { type: 'Reject' } }
const settings = (o: Stored) => (o.spec as { limited: unknown }).limited

creations(test, levels, [
  [
    'a level has thirty shares and lends none',
    limited(reject),
    settings,
    { nominalConcurrencyShares: 30, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
  ],
  [
    'queues have sizes',
    limited({ limitResponse: { type: 'Queue', queuing: {} } }),
    (o) => (settings(o) as { limitResponse: { queuing: unknown } }).limitResponse.queuing,
    { queues: 64, handSize: 8, queueLengthLimit: 50 },
  ],
])
const queuing = 'spec.limited.limitResponse.queuing'
refusals(test, levels, [
  [
    'only the level of that name is exempt',
    { spec: { type: 'Exempt' } },
    [`spec.type: Invalid value: "Exempt": type must be 'Exempt' if and only if name is 'exempt'`],
  ],
  [
    'a limited level says how',
    { spec: { type: 'Limited' } },
    ['spec.limited: Required value: must not be empty when type is Limited'],
  ],
  [
    'queues are for those that wait',
    limited({ limitResponse: { type: 'Reject', queuing: {} } }),
    [`${queuing}: Forbidden: must be nil if limited.limitResponse.type is not Limited`],
  ],
  [
    'a flow is dealt no more queues than there are',
    limited({ limitResponse: { type: 'Queue', queuing: { queues: 4 } } }),
    [`${queuing}.handSize: Invalid value: 8: should not be greater than queues (4)`],
  ],
])

const reported = { apiServerID: 'a', encodingVersion: 'v1', decodableVersions: ['v1'] }

test('a storage version begins empty, and servers report what they read', async ({ writer }) => {
  const report = (status: object) =>
    writer.update(records, { spec: {} }, (object) => ({ ...object, status }), 'status')
  const fine = await report({ storageVersions: [reported], commonEncodingVersion: 'v1' })
  assert.not(isRefused(fine))
  const torn = await report({ storageVersions: [{ ...reported, encodingVersion: 'v2' }] })
  assert.equal(torn, [
    'status.storageVersions[0].decodableVersions: Invalid value: []string{"v1"}: decodableVersions must include encodingVersion v2',
    'status.commonEncodingVersion: Invalid value: "null": should be the encoding version that all servers agree on',
  ])
})

const claim = { spec: { resourceClassName: 'gpu' } }

creations(test, claims, [
  [
    'a claim waits for its first pod',
    claim,
    (o) => (o.spec as { allocationMode: string }).allocationMode,
    'WaitForFirstConsumer',
  ],
])
updates(test, claims, claim, [
  [
    'what a claim asks for stays',
    (o) => ({ ...o, spec: { resourceClassName: 'tpu', allocationMode: 'Immediate' } }),
    [
      'spec: Invalid value: {"resourceClassName":"tpu","allocationMode":"Immediate"}: field is immutable',
    ],
  ],
])
refusals(test, contexts, [
  [
    'a pod has so many candidates at most',
    { spec: { potentialNodes: Array.from({ length: 129 }, (_, index) => `n${index}`) } },
    ['spec.potentialNodes: Too many: 129: must have at most 128 items'],
  ],
])

test.run()
