// Claims of devices: made of templates, given to pods, and taken back.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { resourceQuotas } from '../../../../generated/apis/core/v1/resource-quota.ts'
import { podSchedulingContexts } from '../../../../generated/apis/resource/v1alpha2/pod-scheduling-context.ts'
import { resourceClaims } from '../../../../generated/apis/resource/v1alpha2/resource-claim.ts'
import { resourceClaimTemplates } from '../../../../generated/apis/resource/v1alpha2/resource-claim-template.ts'
import {
  decideClaim,
  type PodFate,
} from '../../../../runtime/controller-manager/resource-claims/decide-claim.ts'
import {
  decidePod,
  type SeenPod,
} from '../../../../runtime/controller-manager/resource-claims/decide-pod.ts'
import type { Metrics } from '../../../../runtime/observe/observe.ts'
import { startAlphaPlane } from '../../../support/alpha-plane.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager: resource claims')

interface Given {
  readonly source?: object
  readonly made?: string
  readonly node?: string
  readonly claims?: Readonly<Record<string, object>>
  readonly templates?: readonly string[]
  readonly selected?: string
  readonly name?: string
  readonly phase?: string
}

const owned = { ownerReferences: [{ controller: true, uid: 'u', kind: 'Pod', name: 'web' }] }

function decide(given: Given) {
  const { source = { resourceClaimTemplateName: 't' }, made, node, name = 'web' } = given
  const { claims = {}, templates = ['t'], selected } = given
  const statuses =
    made === undefined ? [] : [{ name: 'gpu', ...(made && { resourceClaimName: made }) }]
  const all = Object.entries(claims).map(([called, claim]) => {
    const { metadata, ...rest } = claim as { metadata?: object }
    return { spec: {}, ...rest, metadata: { name: called, ...metadata } }
  })
  return decidePod({
    pod: {
      metadata: { name, namespace: 'ns', uid: 'u' },
      spec: { ...(node && { nodeName: node }), resourceClaims: [{ name: 'gpu', source }] },
      status: { phase: given.phase, resourceClaimStatuses: statuses },
    },
    claimOf: (called: string) => all.find(({ metadata }) => metadata.name === called),
    made: all.filter(({ metadata }) => 'ownerReferences' in metadata),
    templateOf: (called: string) =>
      templates.includes(called)
        ? { spec: { metadata: { labels: { a: 'b' } }, spec: {} } }
        : undefined,
    context: selected === undefined ? undefined : { spec: { selectedNode: selected } },
    ...{ annotation: 'x/entry', template: 'template.group' },
  } as unknown as SeenPod)
}

test('a template becomes a claim of the pod that says which entry it is for', () => {
  const plan = decide({})
  assert.is(plan.is, 'claims')
  if (plan.is !== 'claims') return
  const { generateName, labels, annotations } = (plan.create[0]?.claim.metadata ?? {}) as Readonly<
    Record<string, unknown>
  >
  assert.equal([generateName, labels, annotations], ['web-gpu-', { a: 'b' }, { 'x/entry': 'gpu' }])
})

test('long names are cut so that both halves can be told', () => {
  const plan = decide({ name: 'w'.repeat(60) })
  const metadata = plan.is === 'claims' ? plan.create[0]?.claim.metadata : undefined
  const { generateName = '' } = (metadata ?? {}) as { readonly generateName?: string }
  assert.ok(generateName.length <= 57)
  assert.match(generateName, /^w+-gp?$/)
})

test('a claim that was made and not told yet is told, not made again', () => {
  for (const metadata of [
    { ...owned, annotations: { 'x/entry': 'gpu' } },
    { ...owned, name: 'web-gpu' },
  ]) {
    const plan = decide({ claims: { one: { metadata } } })
    const name = 'name' in metadata ? metadata.name : 'one'
    assert.equal(plan, {
      is: 'claims',
      create: [],
      known: [{ name: 'gpu', resourceClaimName: name }],
    })
  }
})

test('an entry without a template or claim, or with a template that is not there, is told', () => {
  const problem = (given: Given) => {
    const plan = decide(given)
    return plan.is === 'wrong' && plan.problem
  }
  assert.is(problem({ templates: [] }), 'resource claim template "t": template.group "t" not found')
  assert.is(
    problem({ source: {} }),
    'checking for claim before creating it: pod "ns/web", spec.resourceClaim "gpu": none of the supported fields are set',
  )
})

test('an entry that has its claim, needs none, or names one is left alone', () => {
  assert.equal(decide({ made: 'one', claims: { one: { metadata: owned } } }), { is: 'nothing' })
  assert.equal(decide({ made: '' }), { is: 'nothing' })
  assert.equal(decide({ source: { resourceClaimName: 'mine' } }), { is: 'nothing' })
})

test('a pod with a node is let in by allocated claims, and drivers are told where others are needed', () => {
  const source = { resourceClaimName: 'mine' }
  const use = (claim: object, selected?: string) =>
    decide({ source, node: 'n', claims: { mine: claim }, ...(selected && { selected }) }).is
  const waits = { spec: { allocationMode: 'WaitForFirstConsumer' } }
  assert.is(use(waits), 'schedule')
  assert.is(use(waits, 'm'), 'schedule')
  assert.is(use(waits, 'n'), 'nothing')
  assert.is(use({ spec: { allocationMode: 'Immediate' } }), 'nothing')
  const reservedFor = (uid: string, shareable = false) => ({
    status: { allocation: { shareable }, reservedFor: [{ uid }] },
  })
  assert.is(use({ status: { allocation: {} } }), 'reserve')
  assert.is(use(reservedFor('u')), 'nothing')
  assert.is(use(reservedFor('other')), 'nothing')
  assert.is(use(reservedFor('other', true)), 'reserve')
  assert.is(use({ status: { allocation: {}, deallocationRequested: true } }), 'nothing')
})

test('a pod that has ended is let in by nothing: it would take back what is given back', () => {
  const claims = { mine: { status: { allocation: {} } } }
  const source = { resourceClaimName: 'mine' }
  assert.equal(decide({ source, node: 'n', claims, phase: 'Succeeded' }), { is: 'nothing' })
})

function decideFor(
  uids: readonly string[],
  fates: Readonly<Record<string, PodFate>>,
  more: object = {},
) {
  const { owner, mode = 'Immediate', resource = 'pods' } = more as Record<string, string>
  const claim = {
    spec: { allocationMode: mode },
    status: { reservedFor: uids.map((uid) => ({ resource, name: uid, uid })) },
  }
  const plan = decideClaim(claim as never, ({ uid }) => fates[uid] ?? 'runs', owner as PodFate)
  const { reservedFor, deallocationRequested } = plan.write?.status ?? {}
  return [
    reservedFor?.map(({ uid }) => uid).join(''),
    deallocationRequested,
    plan.remove,
    plan.unsupported?.resource,
  ]
}

test('consumers that are gone leave a claim, and the last of them gives back what was allocated for it', () => {
  const none = undefined
  assert.equal(decideFor(['a', 'b'], {}), [none, none, none, none])
  assert.equal(decideFor(['a', 'b'], { a: 'gone' }), ['b', none, none, none])
  assert.equal(decideFor(['a'], { a: 'done' }), ['', none, none, none])
  assert.equal(decideFor(['a'], { a: 'done' }, { mode: 'WaitForFirstConsumer' }), [
    '',
    true,
    none,
    none,
  ])
})

test('a claim that was made for a pod goes once the pod has ended, or another one has its name', () => {
  const goes = (uids: readonly string[], owner?: string) =>
    decideFor(uids, {}, { owner })[2] === true
  assert.is(goes([], 'done'), true)
  assert.is(goes([], 'gone'), true)
  assert.is(goes([], 'runs'), false)
  assert.is(goes([]), false)
  assert.is(goes(['a'], 'done'), false)
})

test('a claim with a consumer that is no pod is not written', () => {
  assert.equal(decideFor(['a'], { a: 'gone' }, { resource: 'nodes' }), [
    ...[undefined, undefined, undefined],
    'nodes',
  ])
})

/** How often claims were made of templates, and how often that failed. */
function counted({ metrics }: { readonly metrics: Metrics }): readonly string[] {
  const lines = metrics.text('prometheus').matchAll(/^resourceclaim_controller_create_(.*)$/gm)
  return [...lines].map(([, line = '']) => line)
}

for (const platform of ['orch', 'kubernetes']) {
  test(`a pod gets its claim, uses it, and leaves nothing: ${platform}`, async () => {
    await using plane = await startAlphaPlane(
      platform,
      ['resourceclaim-controller'],
      'DynamicResourceAllocation',
    )
    const { client } = plane
    const claims = client.resource(resourceClaims).in('default')
    const own = client.resource(pods).in('default')
    const pod = (name: string, spec: object = {}) => ({
      metadata: { name },
      spec: {
        containers: [{ name: 'main', image: 'work' }],
        resourceClaims: [{ name: 'gpu', source: { resourceClaimTemplateName: 'gpus' } }],
        ...spec,
      },
    })
    await own.create(pod('web', { nodeName: 'n' }))
    const told = await until('the missing template is told', async () => {
      const { items } = await client.resource(events).in('default').listAll()
      return items.find(({ reason }) => reason === 'FailedResourceClaimCreation')
    })
    const { api } = plane.platform
    assert.is(
      told.message,
      `PodResourceClaim gpu: resource claim template "gpus": resourceclaimtemplate.resource.${api} "gpus" not found`,
    )
    await client
      .resource(resourceClaimTemplates)
      .in('default')
      .create({
        metadata: { name: 'gpus' },
        spec: { spec: { resourceClassName: 'gpu', allocationMode: 'WaitForFirstConsumer' } },
      })
    const name = await until('the pod says which claim is its own', async () => {
      const { status } = await own.get('web')
      return status?.resourceClaimStatuses?.[0]?.resourceClaimName
    })
    const made = await claims.get(name)
    assert.equal(counted(plane), ['attempts_total 1', 'failures_total 0'])
    assert.is(made.metadata.ownerReferences?.[0]?.name, 'web')
    const context = await until('drivers are told', () =>
      client.resource(podSchedulingContexts).in('default').find('web'),
    )
    assert.is(context.spec.selectedNode, 'n')
    const allocation = { resourceHandles: [{ driverName: 'd' }] }
    await claims.mergePatch(name, { metadata: { finalizers: ['example.com/driver'] } })
    const status = { driverName: 'd', allocation }
    await claims.mergePatch(name, { status } as never, { subresource: 'status' })
    await until('the pod is let in', async () => {
      const { status: now } = await claims.get(name)
      return now?.reservedFor?.[0]?.name === 'web'
    })
    await client
      .resource(resourceQuotas)
      .in('default')
      .create({
        metadata: { name: 'none' },
        spec: { hard: { [`count/resourceclaims.resource.${api}`]: '1' } },
      })
    await own.create(pod('second'))
    await until(
      'a claim that is refused is counted',
      () => counted(plane)[1] !== 'failures_total 0',
    )
    assert.ok(Number(counted(plane)[0]?.split(' ')[1]) > 1)
    await own.mergePatch('web', { status: { phase: 'Succeeded' } }, { subresource: 'status' })
    await until('it is given back', async () => {
      const { status: now, metadata } = await claims.get(name)
      const isFree = (now?.reservedFor ?? []).length === 0 && now?.deallocationRequested === true
      return isFree && metadata.deletionTimestamp !== undefined
    })
  })
}

test.run()
