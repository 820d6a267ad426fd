/** What plugins say for the audit event: annotations, also of requests that they refuse. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { createAdmission, type PluginContext } from '../../../../runtime/admission/admission.ts'
import { alwaysAllow } from '../../../../runtime/auth/auth.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { defaultEnabledGates } from '../../../../runtime/kernel/descriptors/enabled-gates.ts'
import type { ApiObject } from '../../../../runtime/kernel/meta/object.ts'
import { noMetrics, silentLog } from '../../../../runtime/observe/observe.ts'
import { pluginLister } from '../../../../runtime/registry/plugin-storage.ts'
import { make, pod } from '../../../support/admission.ts'
import { kindAt, type OpenRegistry } from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'
import {
  allow,
  answered,
  configuration,
  configurations,
  deny,
  openWithWebhooks,
  patching,
  type RegistryWithWebhooks,
  type Review,
  withHooks,
} from '../../../support/webhooks.ts'

const test = suite<RegistryWithWebhooks>('runtime/admission: told')

test.before(async (context) => {
  Object.assign(context, await openWithWebhooks())
})
test.after(({ close }) => close())

const maps = 'api/v1/configmaps'

/** The annotations of one creation, and what it was refused with. */
async function annotations(
  { store }: OpenRegistry,
  only: readonly string[],
  path: string,
  object: { readonly metadata: object },
  dryRun = false,
) {
  const unused = () => {
    throw new Error('not needed here')
  }
  const world: PluginContext = {
    scheme,
    clock: systemClock,
    random: Math.random as never,
    uid: () => 'u',
    gates: defaultEnabledGates,
    log: silentLog,
    metrics: noMetrics(),
    lister: pluginLister({ store }),
    writer: { changeStatus: unused },
    convert: unused,
    authorizer: alwaysAllow,
    resolve: unused,
    settings: {},
  }
  const admission = createAdmission(world, { only })
  const kind = kindAt(path)
  const user = { username: 'ann', groups: [] }
  const { namespace = 'default' } = object.metadata as { namespace?: string }
  const way = admission.begin({
    operation: 'CREATE',
    resource: kind,
    kind,
    namespace,
    user,
    dryRun,
    options: {},
  })
  try {
    const whole = { apiVersion: 'v1', kind: kind.kind, ...object } as unknown as ApiObject
    await way?.validate(await way.mutate(whole))
    return { told: Object.fromEntries(way?.annotations ?? []) }
  } catch (error) {
    return { told: Object.fromEntries(way?.annotations ?? []), error }
  } finally {
    admission.close()
  }
}

test('levels say what they would refuse and what they refused (Q-20)', async (opened) => {
  const labels = {
    'pod-security.orch.io/enforce': 'baseline',
    'pod-security.orch.io/audit': 'restricted',
    'pod-security.orch.io/audit-version': 'v1.18',
  }
  await make(opened, 'api/v1/namespaces', { metadata: { name: 'audited', labels } })
  const given = pod('p', { hostIPC: true }, { namespace: 'audited' })
  const { told, error } = await annotations(opened, ['PodSecurity'], 'api/v1/pods', given)
  assert.match(String(error), 'violates PodSecurity "baseline:latest": host namespaces')
  assert.equal(told, {
    'pod-security.orch.io/enforce-policy': 'baseline:latest',
    'pod-security.orch.io/audit-violations':
      'would violate PodSecurity "restricted:v1.18": host namespaces (hostIPC=true), ' +
      'allowPrivilegeEscalation != false (container "main" must set securityContext.allowPrivilegeEscalation=false), ' +
      'runAsNonRoot != true (pod or container "main" must set securityContext.runAsNonRoot=true)',
  })
})

const record = (name: string, mutated: boolean) =>
  JSON.stringify({ configuration: name, webhook: `${name}.example.com`, mutated })

test('mutating webhooks are noted with what they changed (Q-10)', async (opened) => {
  const answer = (review: Review) => ({
    ...patching({ op: 'add', path: '/data', value: { a: 'b' } })(review),
  })
  const noted = (review: Review) =>
    answered(review, { allowed: true, auditAnnotations: { why: 'because' } })
  const hooks = [
    { name: 'a', mutating: true as const, answer: noted },
    { name: 'b', mutating: true as const, answer },
  ]
  await withHooks(opened, hooks, async () => {
    const { told } = await annotations(opened, ['MutatingAdmissionWebhook'], maps, {
      metadata: { name: 'm' },
    })
    assert.equal(told, {
      'a.example.com/why': 'because',
      'mutation.webhook.admission.orch.io/round_0_index_0': record('a', false),
      'mutation.webhook.admission.orch.io/round_0_index_1': record('b', true),
    })
  })
})

test('a mutating webhook that refuses, or cannot be asked, is noted as one that changed nothing (Q-10)', async (opened) => {
  for (const answer of [deny({ message: 'no' }), () => null]) {
    await withHooks(opened, [{ name: 'bad', mutating: true, answer }], async () => {
      const { told, error } = await annotations(opened, ['MutatingAdmissionWebhook'], maps, {
        metadata: { name: 'm' },
      })
      assert.instance(error, Error)
      assert.equal(told, {
        'mutation.webhook.admission.orch.io/round_0_index_0': record('bad', false),
      })
    })
  }
})

test('a webhook that failed and is ignored is noted (Q-06)', async (opened) => {
  const fields = { failurePolicy: 'Ignore' }
  const answer = () => null
  for (const [mutating, plugin, sort] of [
    [true, 'MutatingAdmissionWebhook', 'mutation'],
    [false, 'ValidatingAdmissionWebhook', 'validating'],
  ] as const) {
    const hook = { name: 'bad', answer, fields, ...(mutating && { mutating }) }
    await withHooks(opened, [hook], async () => {
      const { told, error } = await annotations(opened, [plugin], maps, { metadata: { name: 'm' } })
      assert.is(error, undefined)
      const key = `${sort}.webhook.admission.orch.io/round_0_index_0`
      assert.equal(told, {
        [`failed-open.${key}`]: 'bad.example.com',
        ...(mutating && { [key]: record('bad', false) }),
      })
    })
  }
})

test('one that may leave something behind fails a dry run, whatever its policy is (A7.9, A4.69, D-23, F-12)', async (opened) => {
  const path = configurations('validating')
  const fields = { sideEffects: 'NoneOnDryRun', failurePolicy: 'Ignore' }
  opened.answers.set('/older', allow as never)
  const { object } = await make<ApiObject>(opened, path, configuration(opened, 'older', fields))
  const key = '/admissionregistration.orch.io/validatingwebhookconfigurations/older'
  const entry = await opened.store.get(key)
  assert.ok(entry && object)
  const { resourceVersion, ...metadata } = object.metadata
  const older = JSON.stringify({ ...object, metadata }).replace('NoneOnDryRun', 'Unknown')
  await opened.store.update(key, entry.revision, Buffer.from(older))
  const { error } = await annotations(
    opened,
    ['ValidatingAdmissionWebhook'],
    maps,
    { metadata: { name: 'm' } },
    true,
  )
  const refused = await assertRejects(Promise.reject(error), 'BadRequest')
  assert.is(refused.message, 'admission webhook "older.example.com" does not support dry run')
  await opened.registry.delete({ kind: kindAt(path), name: 'older' }, { dryRun: false })
})

test.run()
