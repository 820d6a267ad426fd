import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import type { ApiObject } from '../../../../runtime/kernel/meta/object.ts'
import { isServed } from '../../../../runtime/registry/registry.ts'
import { fakeClock } from '../../../support/clock.ts'
import {
  body,
  dry,
  inDefault,
  kindAt,
  type OpenRegistry,
  openRegistry,
  pods,
  quiet,
} from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'

const action = suite<OpenRegistry>('runtime/registry/subresources/actions')
const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
const budgets = kindAt('apis/policy/v1/poddisruptionbudgets')

action.before(async (context) => {
  Object.assign(context, await openRegistry({ clock }))
})
action.after(({ close }) => close())

type Pod = ApiObject & {
  readonly spec: { readonly nodeName?: string }
  readonly status: { readonly phase: string; readonly conditions?: readonly object[] }
}
type Budget = ApiObject & {
  readonly status: { readonly disruptionsAllowed: number; readonly disruptedPods?: object }
}

async function pod(
  { registry }: OpenRegistry,
  name: string,
  labels = {},
  phase?: string,
): Promise<Pod> {
  const spec = { containers: [{ name: 'main', image: 'example/app:1' }] }
  const made = await registry.create(
    inDefault(pods),
    body({ metadata: { name, labels }, spec }),
    quiet,
  )
  if (phase === undefined) return made.item.object() as Pod
  const status = body({ status: { phase, conditions: [{ type: 'Ready', status: 'True' }] } })
  return (
    await registry.patch(inDefault(pods, name, 'status'), 'merge', status, quiet)
  ).item.object() as Pod
}

const read = async ({ registry }: OpenRegistry, name: string) =>
  (await registry.get(inDefault(pods, name), {})).object() as Pod

const bind = ({ registry }: OpenRegistry, name: string, binding: object, options = quiet) =>
  registry.act(inDefault(pods, name, 'binding'), body(binding), options)

const toNode = (name: string) => ({ metadata: { name }, target: { kind: 'Node', name: 'worker' } })

action('every action and every scale that a schema names is served', () => {
  const named = Object.values(scheme.routes).flatMap((kind) =>
    kind.subresources
      .filter(({ action, scale }) => action !== undefined || scale !== undefined)
      .map((one) => ({ one, kind })),
  )
  assert.ok(named.length > 4)
  assert.equal(
    named.filter(({ one, kind }) => !isServed(one, kind)),
    [],
  )
})

action('a binding gives a pod its node, once (I-05)', async (opened) => {
  await pod(opened, 'bound')
  const annotations = { 'example.com/why': 'room' }
  await bind(opened, 'bound', { ...toNode('bound'), metadata: { name: 'bound', annotations } })
  const { metadata, spec, status } = await read(opened, 'bound')
  assert.is(spec.nodeName, 'worker')
  assert.equal(metadata.annotations, annotations)
  const [scheduled] = status.conditions as readonly Record<string, unknown>[]
  assert.is(scheduled?.type, 'PodScheduled')
  assert.is(scheduled?.status, 'True')
  assert.is(scheduled?.lastTransitionTime, '2030-01-01T00:00:00Z')
  const error = await assertRejects(bind(opened, 'bound', toNode('bound')), 'Conflict')
  assert.is(
    error.message,
    'Operation cannot be fulfilled on pods/binding "bound": ' +
      'pod bound is already assigned to node "worker"',
  )
})

action('a binding is checked, and tried without effect (I-05, F-11)', async (opened) => {
  const { metadata } = await pod(opened, 'free')
  await bind(opened, 'free', toNode('free'), dry)
  assert.is((await read(opened, 'free')).metadata.resourceVersion, metadata.resourceVersion)
  const wrong = { metadata: { name: 'free' }, target: { kind: 'Pod', name: '' } }
  const { message } = await assertRejects(bind(opened, 'free', wrong), 'Invalid')
  assert.match(message, 'target.kind: Unsupported value: "Pod"')
  assert.match(message, 'target.name: Required value')
  const other = { ...toNode('free'), metadata: { name: 'free', uid: 'other' } }
  await assertRejects(bind(opened, 'free', other), 'Conflict')
  await assertRejects(bind(opened, 'free', toNode('else')), 'BadRequest')
  await assertRejects(bind(opened, 'nobody', toNode('nobody')), 'NotFound')
})

const evict = ({ registry }: OpenRegistry, name: string, eviction: object = {}, options = quiet) =>
  registry.act(
    inDefault(pods, name, 'eviction'),
    body({ metadata: { name }, ...eviction }),
    options,
  )

async function budget({ registry }: OpenRegistry, name: string, allowed: number, observed = 1) {
  const spec = { minAvailable: 1, selector: { matchLabels: { app: name } } }
  await registry.create(inDefault(budgets), body({ metadata: { name }, spec }), quiet)
  const status = {
    observedGeneration: observed,
    disruptionsAllowed: allowed,
    currentHealthy: 1,
    desiredHealthy: 2,
    expectedPods: 2,
  }
  await registry.patch(inDefault(budgets, name, 'status'), 'merge', body({ status }), quiet)
}

const budgetNow = async ({ registry }: OpenRegistry, name: string) =>
  (await registry.get(inDefault(budgets, name), {})).object() as Budget

action('a pod that no budget covers is evicted (X-19, A4.12)', async (opened) => {
  await pod(opened, 'alone', {}, 'Running')
  await evict(opened, 'alone')
  await assertRejects(read(opened, 'alone'), 'NotFound')
  await assertRejects(evict(opened, 'alone'), 'NotFound')
})

action('an eviction in the older version of its group is taken (X-19)', async (opened) => {
  await pod(opened, 'older', {}, 'Running')
  await evict(opened, 'older', { apiVersion: 'policy/v1beta1', kind: 'Eviction' })
  await assertRejects(read(opened, 'older'), 'NotFound')
})

action('an eviction pays with its budget, and an empty budget refuses (X-19)', async (opened) => {
  await budget(opened, 'paid', 1)
  await pod(opened, 'paid-1', { app: 'paid' }, 'Running')
  await pod(opened, 'paid-2', { app: 'paid' }, 'Running')
  await evict(opened, 'paid-1')
  const { status } = await budgetNow(opened, 'paid')
  assert.is(status.disruptionsAllowed, 0)
  assert.equal(status.disruptedPods, { 'paid-1': '2030-01-01T00:00:00Z' })
  const error = await assertRejects(evict(opened, 'paid-2'), 'TooManyRequests')
  assert.is(error.message, "Cannot evict pod as it would violate the pod's disruption budget.")
  assert.equal(error.details, {
    causes: [
      {
        reason: 'DisruptionBudget',
        message: 'The disruption budget paid needs 2 healthy pods and has 1 currently',
      },
    ],
  })
})

action('of evictions at the same time a budget allows as many as it can (X-19)', async (opened) => {
  await budget(opened, 'race', 2)
  const names = ['race-1', 'race-2', 'race-3', 'race-4', 'race-5']
  for (const name of names) await pod(opened, name, { app: 'race' }, 'Running')
  const results = await Promise.allSettled(names.map((name) => evict(opened, name)))
  assert.is(results.filter(({ status }) => status === 'fulfilled').length, 2)
  assert.is((await budgetNow(opened, 'race')).status.disruptionsAllowed, 0)
})

action('a budget that nobody has looked at yet says when to come again (X-19)', async (opened) => {
  await budget(opened, 'unseen', 1, 0)
  await pod(opened, 'unseen', { app: 'unseen' }, 'Running')
  const error = await assertRejects(evict(opened, 'unseen'), 'TooManyRequests')
  assert.is(error.details?.retryAfterSeconds, 10)
  assert.match(
    error.details?.causes?.[0]?.message ?? '',
    'The disruption budget unseen is still being processed by the server.',
  )
})

action('two budgets for one pod are one too many (X-19)', async (opened) => {
  for (const name of ['two-a', 'two-b']) {
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'two' } } }
    await opened.registry.create(inDefault(budgets), body({ metadata: { name }, spec }), quiet)
  }
  await pod(opened, 'two', { app: 'two' }, 'Running')
  const error = await assertRejects(evict(opened, 'two'), '')
  assert.is(error.code, 500)
  assert.match(error.message, 'This pod has more than one PodDisruptionBudget')
})

action('a pod that has not begun or is over needs no budget (X-19)', async (opened) => {
  await budget(opened, 'none', 0)
  await pod(opened, 'none-pending', { app: 'none' })
  await pod(opened, 'none-over', { app: 'none' }, 'Succeeded')
  await evict(opened, 'none-pending')
  await evict(opened, 'none-over')
  await assertRejects(read(opened, 'none-pending'), 'NotFound')
  await assertRejects(read(opened, 'none-over'), 'NotFound')
})

action(
  'an evicted pod on a node says why it goes, and has its grace (X-14, X-19)',
  async (opened) => {
    const { metadata } = await pod(opened, 'grace')
    await bind(opened, 'grace', toNode('grace'))
    const running = body({ status: { phase: 'Running' } })
    await opened.registry.patch(inDefault(pods, 'grace', 'status'), 'merge', running, quiet)
    const wrong = { deleteOptions: { preconditions: { uid: 'other' } } }
    await assertRejects(evict(opened, 'grace', wrong), 'Conflict')
    await evict(opened, 'grace', {
      deleteOptions: { gracePeriodSeconds: 5, preconditions: { uid: metadata.uid } },
    })
    const gone = await read(opened, 'grace')
    assert.is(gone.metadata.deletionTimestamp, '2030-01-01T00:00:05Z')
    const target = gone.status.conditions?.at(-1) as Record<string, unknown>
    assert.is(target.type, 'DisruptionTarget')
    assert.is(target.reason, 'EvictionByEvictionAPI')
    assert.is(target.lastProbeTime, null, 'T-23')
  },
)

action('a dry eviction takes nothing from the budget and leaves the pod (F-11)', async (opened) => {
  await budget(opened, 'dry', 1)
  await pod(opened, 'dry', { app: 'dry' }, 'Running')
  await evict(opened, 'dry', {}, dry)
  await evict(opened, 'dry', { deleteOptions: { dryRun: ['All'] } })
  assert.is((await budgetNow(opened, 'dry')).status.disruptionsAllowed, 1)
  assert.is((await read(opened, 'dry')).metadata.deletionTimestamp, undefined)
})

action('delete options of an eviction are checked like any (X-02)', async (opened) => {
  await pod(opened, 'options', {}, 'Running')
  const odd = { deleteOptions: { propagationPolicy: 'Nobody' } }
  const { message } = await assertRejects(evict(opened, 'options', odd), 'Invalid')
  assert.match(message, 'propagationPolicy: Unsupported value: "Nobody"')
})

action('ephemeral containers are added through their own path only (I-04)', async (opened) => {
  const { registry } = opened
  await pod(opened, 'debug')
  const target = inDefault(pods, 'debug', 'ephemeralcontainers')
  const added = (image: string) =>
    body({ spec: { ephemeralContainers: [{ name: 'shell', image }] } })
  const refused = await assertRejects(
    registry.patch(inDefault(pods, 'debug'), 'merge', added('a'), quiet),
    'Invalid',
  )
  assert.match(refused.message, 'pod updates may not change fields other than')
  await registry.patch(target, 'merge', added('a'), quiet)
  const stored = (await read(opened, 'debug')).spec as { ephemeralContainers?: { image: string }[] }
  assert.is(stored.ephemeralContainers?.[0]?.image, 'a')
  const changed = await assertRejects(registry.patch(target, 'merge', added('b'), quiet), 'Invalid')
  assert.match(changed.message, 'existing ephemeral containers "shell" may not be changed')
  const none = body({ spec: { ephemeralContainers: null } })
  await assertRejects(registry.patch(target, 'merge', none, quiet), 'Invalid')
})

action.run()
