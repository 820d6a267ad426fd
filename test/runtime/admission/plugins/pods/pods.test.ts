/** What may come in as a pod, plugin by plugin: what is given, and the exact words of the refusal. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { change, make, openAdmitted, pod } from '../../../../support/admission.ts'
import type { OpenRegistry } from '../../../../support/registry.ts'
import { assertRejects } from '../../../../support/rejects.ts'

const test = suite<OpenRegistry>('runtime/admission: pods')

const pods = 'api/v1/pods'
const image = 'example/app:1'
const annotations = { 'orch.io/enforce-mountable-secrets': 'true' }

test.before(async (context) => {
  const opened = await openAdmitted({ enable: ['StorageObjectInUseProtection'] })
  Object.assign(context, opened)
  await make(opened, 'api/v1/serviceaccounts', {
    metadata: { name: 'strict', annotations },
    secrets: [{ name: 'mine' }],
    imagePullSecrets: [{ name: 'registry' }],
  })
  await make(opened, 'apis/node.orch.io/v1/runtimeclasses', {
    metadata: { name: 'heavy' },
    handler: 'heavy',
    overhead: { podFixed: { cpu: '100m' } },
  })
  await make(opened, 'apis/node.orch.io/v1/runtimeclasses', {
    metadata: { name: 'light' },
    handler: 'light',
  })
})
test.after(({ close }) => close())

const strict = { serviceAccountName: 'strict' }
const container = (more: object) => [{ name: 'main', image, ...more }]
const mirror = { annotations: { 'orch.io/config.mirror': 'x' } }
const token = { projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }
const key = (name: string) => ({ secretKeyRef: { name, key: 'k' } })
const unlisted = (kind: string) =>
  `is not allowed because service account strict does not reference that ${kind}`

const refused: readonly [string, object, object, string][] = [
  [
    'a variable from a secret of somebody else (Q-15)',
    { ...strict, containers: container({ env: [{ name: 'PASS', valueFrom: key('other') }] }) },
    {},
    `container main with envVar PASS referencing secret.secretName="other" ${unlisted('secret')}`,
  ],
  [
    'all variables of such a secret (Q-15)',
    { ...strict, containers: container({ envFrom: [{ secretRef: { name: 'other' } }] }) },
    {},
    `container main with envFrom referencing secret.secretName="other" ${unlisted('secret')}`,
  ],
  [
    'such a secret in a container that runs before (Q-15)',
    {
      ...strict,
      initContainers: [{ name: 'first', image, env: [{ name: 'P', valueFrom: key('other') }] }],
    },
    {},
    `init container first with envVar P referencing secret.secretName="other" ${unlisted('secret')}`,
  ],
  [
    'another pull secret (Q-15)',
    { ...strict, imagePullSecrets: [{ name: 'registry' }, { name: 'other' }] },
    {},
    `imagePullSecrets[1].name="other" ${unlisted('imagePullSecret')}`,
  ],
  [
    'an account, by a mirror (Q-15)',
    { serviceAccountName: 'strict', nodeName: 'n' },
    mirror,
    'a mirror pod may not reference service accounts',
  ],
  [
    'a secret, by a mirror (Q-15)',
    { nodeName: 'n', volumes: [{ name: 'v', secret: { secretName: 's' } }] },
    mirror,
    'a mirror pod may not reference secrets',
  ],
  [
    'a token, by a mirror (Q-15)',
    { nodeName: 'n', volumes: [{ name: 'v', ...token }] },
    mirror,
    'a mirror pod may not use ServiceAccountToken volume projections',
  ],
  [
    'another overhead than that of its class (Q-24)',
    { runtimeClassName: 'heavy', overhead: { cpu: '1' } },
    {},
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
  [
    'an overhead that its class does not have (Q-24)',
    { runtimeClassName: 'light', overhead: { cpu: '1' } },
    {},
    'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  ],
  [
    'a class that is not there (Q-17)',
    { priorityClassName: 'none' },
    {},
    'no PriorityClass with name none was found',
  ],
  [
    'a class that cannot be there (Q-17)',
    { priorityClassName: '100%' },
    {},
    'no PriorityClass with name 100% was found',
  ],
  [
    'a number that its class does not say (Q-17)',
    { priorityClassName: 'system-node-critical', priority: 5 },
    {},
    'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 2000001000 from the given PriorityClass name',
  ],
]

for (const [what, spec, metadata, why] of refused) {
  test(`a pod does not get in that asks for ${what}`, async (opened) => {
    const error = await assertRejects(make(opened, pods, pod('p', spec, metadata)), 'Forbidden')
    assert.is(error.message, `pods "p" is forbidden: ${why}`)
    assert.is(error.code, 403)
  })
}

test('what an account has, its pods may use (Q-15)', async (opened) => {
  const spec = {
    ...strict,
    volumes: [{ name: 'v', secret: { secretName: 'mine' } }],
    containers: container({ env: [{ name: 'A', valueFrom: key('mine') }] }),
    imagePullSecrets: [{ name: 'registry' }],
  }
  await make(opened, pods, pod('rightful', spec))
})

interface PodLike {
  readonly spec: Readonly<Record<string, unknown>>
}

test('a mirror is what its node says (Q-15)', async (opened) => {
  const { object } = await make<PodLike>(opened, pods, pod('mirror', { nodeName: 'n' }, mirror))
  assert.is(object.spec.serviceAccountName, undefined)
})

test('what a class lends, a pod may also say (Q-24, Q-17)', async (opened) => {
  const spec = {
    runtimeClassName: 'heavy',
    overhead: { cpu: '100m' },
    priorityClassName: 'system-node-critical',
    priority: 2_000_001_000,
  }
  const { object } = await make<PodLike>(opened, pods, pod('said', spec))
  assert.equal(object.spec.overhead, { cpu: '100m' })
})

const stays = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }
const keys = ['node.orch.io/not-ready', 'node.orch.io/unreachable']
const tolerations: readonly [string, readonly object[], readonly (string | undefined)[]][] = [
  ['nothing', [], keys],
  ['one of them', [{ key: keys[0], operator: 'Exists', effect: 'NoExecute' }], [keys[1]]],
  [
    'one of them with another effect',
    [{ key: keys[0], operator: 'Exists', effect: 'NoSchedule' }],
    keys,
  ],
  ['every effect of one', [{ key: keys[1], operator: 'Exists' }], [keys[0]]],
  ['another taint', [{ key: 'a', operator: 'Exists' }], keys],
]

for (const [what, given, added] of tolerations) {
  test(`a pod that tolerates ${what} gets the rest (Q-18)`, async (opened) => {
    const name = `t-${what.replaceAll(' ', '-')}`
    const { object } = await make<PodLike>(opened, pods, pod(name, { tolerations: given }))
    const rest = added.map((one) => ({ key: one, ...stays }))
    assert.equal(object.spec.tolerations, [...given, ...rest])
  })
}

test('a change of a pod keeps what was resolved (Q-17, Q-18)', async (opened) => {
  await make(opened, pods, pod('kept'))
  const labels = { a: 'b' }
  const { object } = await change<PodLike>(opened, pods, 'kept', { metadata: { labels } })
  assert.is(object.spec.priority, 0)
  assert.is((object.spec.tolerations as readonly unknown[]).length, 2)
})

const taint = { key: 'node.orch.io/not-ready', effect: 'NoSchedule' }

test('a node that says its taint itself gets no second one (Q-22)', async (opened) => {
  const own = { key: 'own', effect: 'NoExecute' }
  for (const [name, given, want] of [
    ['tainted', [taint], [taint]],
    ['owned', [own], [own, taint]],
  ] as const) {
    const node = { metadata: { name }, spec: { taints: given } }
    const { object } = await make<PodLike>(opened, 'api/v1/nodes', node)
    assert.equal(object.spec.taints, want)
  }
})

const claims = 'api/v1/persistentvolumeclaims'
const claim = (name: string) => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
})

test('claims and volumes are marked as long as they are used (Q-01, X-21)', async (opened) => {
  const made = await make<{ metadata: object }>(opened, claims, claim('marked'))
  assert.equal((made.object.metadata as { finalizers?: unknown }).finalizers, [
    'orch.io/pvc-protection',
  ])
  const volume = {
    metadata: { name: 'marked' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/x' },
    },
  }
  const { object } = await make<{ metadata: object }>(opened, 'api/v1/persistentvolumes', volume)
  assert.equal((object.metadata as { finalizers?: unknown }).finalizers, ['orch.io/pv-protection'])
})

test('a claim that is bound to nothing does not grow (Q-23)', async (opened) => {
  await make(opened, claims, claim('free'))
  const grown = { spec: { resources: { requests: { storage: '2Gi' } } } }
  const error = await assertRejects(change(opened, claims, 'free', grown), 'Invalid')
  assert.match(error.message, 'spec is immutable after creation except resources.requests')
})

test.run()
