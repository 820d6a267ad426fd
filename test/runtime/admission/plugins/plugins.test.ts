/** The smaller plugins, by what they make of objects and by the exact words of their refusals. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { change, make, openAdmitted, pod } from '../../../support/admission.ts'
import { body, inDefault, kindAt, type OpenRegistry, quiet } from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'

const test = suite<OpenRegistry>('runtime/admission: plugins')

test.before(async (context) => {
  Object.assign(context, await openAdmitted())
})
test.after(({ close }) => close())

const pods = 'api/v1/pods'
const claims = 'api/v1/persistentvolumeclaims'
const storageClasses = 'apis/storage.orch.io/v1/storageclasses'
const priorities = 'apis/scheduling.orch.io/v1/priorityclasses'
const runtimes = 'apis/node.orch.io/v1/runtimeclasses'

interface PodLike {
  readonly spec: Record<string, unknown>
}

test('a new pod gets account, priority and tolerations (Q-15, Q-17, Q-18)', async (opened) => {
  const { object } = await make<PodLike>(opened, pods, pod('plain'))
  const { serviceAccountName, serviceAccount, priority, preemptionPolicy, tolerations } =
    object.spec
  assert.is(serviceAccountName, 'default')
  assert.is(serviceAccount, 'default')
  assert.is(priority, 0)
  assert.is(preemptionPolicy, 'PreemptLowerPriority')
  const stays = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }
  assert.equal(tolerations, [
    { key: 'node.orch.io/not-ready', ...stays },
    { key: 'node.orch.io/unreachable', ...stays },
  ])
})

test('a toleration of everything needs no others (Q-18)', async (opened) => {
  const given = [{ operator: 'Exists' }]
  const { object } = await make<PodLike>(opened, pods, pod('tolerant', { tolerations: given }))
  assert.equal(object.spec.tolerations, given)
})

test('a named account has to be there and lends its pull secrets (Q-15)', async (opened) => {
  const named = pod('named', { serviceAccountName: 'builder' })
  const error = await assertRejects(make(opened, pods, named), 'Forbidden')
  assert.is(
    error.message,
    'pods "named" is forbidden: error looking up service account default/builder: serviceaccount "builder" not found',
  )
  assert.equal(JSON.parse(JSON.stringify(error.details)), { name: 'named', kind: 'pods' })
  const imagePullSecrets = [{ name: 'registry' }]
  await make(opened, 'api/v1/serviceaccounts', {
    metadata: { name: 'builder' },
    imagePullSecrets,
  })
  const { object } = await make<PodLike>(opened, pods, named)
  assert.equal(object.spec.imagePullSecrets, imagePullSecrets)
})

test('an account may insist that its pods use only its secrets (Q-15)', async (opened) => {
  const annotations = { 'orch.io/enforce-mountable-secrets': 'true' }
  const account = { metadata: { name: 'strict', annotations }, secrets: [{ name: 'mine' }] }
  await make(opened, 'api/v1/serviceaccounts', account)
  const volumes = [{ name: 'v', secret: { secretName: 'other' } }]
  const spec = { serviceAccountName: 'strict', volumes }
  const error = await assertRejects(make(opened, pods, pod('taker', spec)), 'Forbidden')
  assert.is(
    error.message,
    'pods "taker" is forbidden: volume with secret.secretName="other" is not allowed because service account strict does not reference that secret',
  )
})

test('a priority is what its class says (Q-17, O-06)', async (opened) => {
  const critical = { priorityClassName: 'system-node-critical' }
  const { object } = await make<PodLike>(opened, pods, pod('critical', critical))
  assert.is(object.spec.priority, 2_000_001_000)
  const cases: readonly [object, string][] = [
    [{ priorityClassName: 'gone' }, 'no PriorityClass with name gone was found'],
    [
      { priority: 7 },
      'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      { preemptionPolicy: 'Never' },
      'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    ],
  ]
  for (const [spec, why] of cases) {
    const error = await assertRejects(make(opened, pods, pod('wrong', spec)), 'Forbidden')
    assert.is(error.message, `pods "wrong" is forbidden: ${why}`)
  }
})

test('one class is the default, and only one (Q-17)', async (opened) => {
  const standard = { metadata: { name: 'standard' }, value: 100, globalDefault: true }
  await make(opened, priorities, standard)
  const again = { ...standard, metadata: { name: 'other' } }
  const error = await assertRejects(make(opened, priorities, again), 'Forbidden')
  assert.is(
    error.message,
    'priorityclasses.scheduling.orch.io "other" is forbidden: PriorityClass standard is already marked as default. Only one default can exist',
  )
  const { object } = await make<PodLike>(opened, pods, pod('standard'))
  assert.is(object.spec.priority, 100)
  assert.is(object.spec.priorityClassName, 'standard')
  await opened.registry.delete({ kind: kindAt(priorities), name: 'standard' }, { dryRun: false })
})

test('a claim without a class gets the newest default (Q-19)', async (opened) => {
  const claim = (name: string, storageClassName?: string) => ({
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  })
  const none = await make<PodLike>(opened, claims, claim('none'))
  assert.is(none.object.spec.storageClassName, undefined)
  const annotations = { 'storageclass.orch.io/is-default-class': 'true' }
  for (const name of ['slow', 'fast']) {
    const made = { metadata: { name, annotations }, provisioner: 'example.com/disk' }
    await make(opened, storageClasses, made)
  }
  const some = await make<PodLike>(opened, claims, claim('some'))
  assert.is(some.object.spec.storageClassName, 'fast', 'of the same age, the first name')
  const empty = await make<PodLike>(opened, claims, claim('empty', ''))
  assert.is(empty.object.spec.storageClassName, '', 'no class is a class')
})

test('an ingress without a class gets the default (Q-19)', async (opened) => {
  const annotations = { 'ingressclass.orch.io/is-default-class': 'true' }
  await make(opened, 'apis/networking.orch.io/v1/ingressclasses', {
    metadata: { name: 'edge', annotations },
    spec: { controller: 'example.com/edge' },
  })
  const backend = { service: { name: 'web', port: { number: 80 } } }
  const ingress = { metadata: { name: 'web' }, spec: { defaultBackend: backend } }
  const path = 'apis/networking.orch.io/v1/ingresses'
  const { object } = await make<PodLike>(opened, path, ingress)
  assert.is(object.spec.ingressClassName, 'edge')
})

test('a new node is tainted until it is ready (Q-22)', async (opened) => {
  const { object } = await make<PodLike>(opened, 'api/v1/nodes', { metadata: { name: 'n1' } })
  assert.equal(object.spec.taints, [{ key: 'node.orch.io/not-ready', effect: 'NoSchedule' }])
})

test('claims grow when they are bound and their class allows it (Q-23)', async (opened) => {
  for (const [name, allowVolumeExpansion] of [
    ['rigid', false],
    ['elastic', true],
  ] as const) {
    await make(opened, storageClasses, {
      metadata: { name },
      provisioner: 'example.com/disk',
      allowVolumeExpansion,
    })
    await make(opened, claims, {
      metadata: { name },
      spec: {
        storageClassName: name,
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
      },
    })
  }
  const grown = { spec: { resources: { requests: { storage: '2Gi' } } } }
  const bind = (name: string) =>
    change(opened, claims, name, { status: { phase: 'Bound' } }, { subresource: 'status' })
  await bind('rigid')
  const rigid = await assertRejects(change(opened, claims, 'rigid', grown), 'Forbidden')
  assert.is(
    rigid.message,
    'persistentvolumeclaims "rigid" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  )
  await bind('elastic')
  const { object } = await change<PodLike>(opened, claims, 'elastic', grown)
  assert.equal(object.spec.resources, grown.spec.resources)
})

test('a runtime class lends its overhead and its place (Q-24)', async (opened) => {
  const sandboxed = pod('sandboxed', { runtimeClassName: 'sandbox' })
  const missing = await assertRejects(make(opened, pods, sandboxed), 'Forbidden')
  assert.is(
    missing.message,
    'pods "sandboxed" is forbidden: pod rejected: RuntimeClass "sandbox" not found',
  )
  const toleration = { key: 'sandbox', operator: 'Exists' }
  await make(opened, runtimes, {
    metadata: { name: 'sandbox' },
    handler: 'sandbox',
    overhead: { podFixed: { memory: '64Mi' } },
    scheduling: { nodeSelector: { kind: 'sandbox' }, tolerations: [toleration] },
  })
  const covered = { key: 'sandbox', operator: 'Equal', value: 'small', effect: 'NoSchedule' }
  const own = { key: 'own', operator: 'Exists' }
  const { object } = await make<PodLike>(
    opened,
    pods,
    pod('sandboxed', { runtimeClassName: 'sandbox', tolerations: [covered, own] }),
  )
  assert.equal(object.spec.overhead, { memory: '64Mi' })
  assert.equal(object.spec.nodeSelector, { kind: 'sandbox' })
  const [first, ...others] = object.spec.tolerations as readonly unknown[]
  assert.equal([first, others.at(-1), others.length], [own, toleration, 3])
  const elsewhere = pod('elsewhere', {
    runtimeClassName: 'sandbox',
    nodeSelector: { kind: 'bare' },
  })
  const conflict = await assertRejects(make(opened, pods, elsewhere), 'Forbidden')
  assert.is(
    conflict.message,
    'pods "elsewhere" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[kind] = sandbox; pod.spec.nodeSelector[kind] = bare',
  )
  const alone = pod('alone', { overhead: { memory: '64Mi' } })
  const stray = await assertRejects(make(opened, pods, alone), 'Forbidden')
  assert.is(
    stray.message,
    'pods "alone" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  )
})

test('a namespace of the system stays (Q-13, X-16)', async ({ registry }) => {
  const target = { kind: kindAt('api/v1/namespaces'), name: 'default' }
  const error = await assertRejects(registry.delete(target, { dryRun: false }), 'Forbidden')
  assert.is(error.message, 'namespaces "default" is forbidden: this namespace may not be deleted')
})

test('an object that waits for its name is refused under its prefix (Q-03)', async (opened) => {
  const unnamed = pod('', { priorityClassName: 'gone' }, { generateName: 'web-' })
  const error = await assertRejects(make(opened, pods, unnamed), 'Forbidden')
  assert.is(error.message, 'pods "web-" is forbidden: no PriorityClass with name gone was found')
})

test('what a plugin sets is managed by nobody (W-14)', async ({ registry }) => {
  const written = await registry.create(inDefault(kindAt(pods)), body(pod('unmanaged')), quiet)
  const { managedFields } = written.item.object().metadata as {
    readonly managedFields?: readonly { readonly fieldsV1: object }[]
  }
  const text = JSON.stringify(managedFields)
  assert.match(text, 'f:containers')
  assert.not.match(text, 'f:tolerations')
  assert.not.match(text, 'f:serviceAccountName')
})

test.run()
