/** Autoscalers that scale (T-07): by metrics of other servers, which definitions and a handler stand in for here. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { customResourceDefinitions } from '../../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { horizontalPodAutoscalers } from '../../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import type { MetricSpec } from '../../../../generated/apis/autoscaling/v2/metrics.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { platform as own } from '../../../../generated/platform.ts'
import { createClient } from '../../../../runtime/client/client.ts'
import {
  type ControlPlane,
  startControlPlane,
  virtualClock,
} from '../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager/autoscaling: autoscalers (T-07)')

const labels = { app: 'web' }
const spec = {
  containers: [{ name: 'main', image: 'work', resources: { requests: { cpu: '100m' } } }],
}

/** Defines what a server of metrics serves: a kind with any fields. */
async function define(plane: ControlPlane, group: string, plural: string, domain: string) {
  const schema = { type: 'object', [`x-${domain.split('.')[0]}-preserve-unknown-fields`]: true }
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1)}Metric`
  const definition = {
    metadata: {
      name: `${plural}.${group}`,
      annotations: { [`api-approved.${domain}`]: 'unapproved, a test' },
    },
    spec: {
      ...{ group, scope: 'Namespaced' },
      names: { plural, singular: plural, kind, listKind: `${kind}List` },
      versions: [
        { name: 'v1beta1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
      ],
    },
  }
  const client = createClient(plane.transport, { platform: own })
  await client.resource(customResourceDefinitions).create(definition as never)
  return until('it is served', async () => {
    try {
      return await client.dynamic({ group, kind })
    } catch {
      return undefined
    }
  })
}

async function makeDeployment({ client }: ControlPlane, replicas: number) {
  const web = await client
    .resource(deployments)
    .in('default')
    .create({
      metadata: { name: 'web' },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec },
      },
    })
  for (let index = 0; index < replicas; index++) await makePod({ client }, `web-${index}`)
  return web
}

async function makePod({ client }: Pick<ControlPlane, 'client'>, name: string) {
  const all = client.resource(pods).in('default')
  await all.create({ metadata: { name, labels }, spec })
  const at = '2029-01-01T00:00:00Z'
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: at }] as const
  await all.mergePatch(
    name,
    { status: { phase: 'Running', startTime: at, conditions } },
    { subresource: 'status' },
  )
}

async function makeAutoscaler(
  { client }: ControlPlane,
  metrics: readonly MetricSpec[],
  more: object = {},
  name = 'web',
) {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
  await client
    .resource(horizontalPodAutoscalers)
    .in('default')
    .create({ metadata: { name }, spec: { scaleTargetRef, maxReplicas: 8, metrics, ...more } })
}

const replicasOf = async ({ client }: ControlPlane) =>
  (await client.resource(deployments).in('default').get('web')).spec?.replicas
const statusOf = async ({ client }: ControlPlane, name = 'web') =>
  (await client.resource(horizontalPodAutoscalers).in('default').get(name)).status
const conditionsOf = async (plane: ControlPlane, name = 'web') =>
  (await statusOf(plane, name))?.conditions?.map(({ type, status, reason }) => [
    type,
    status,
    reason,
  ])

const controllers = ['horizontal-pod-autoscaler-controller'] as const

for (const platform of ['orch', 'kubernetes']) {
  test(`a deployment grows with the CPU that its pods use, and shrinks five minutes later: ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC', controllers },
    })
    const [api, domain] = platform === 'orch' ? ['orch.io', 'orch.io'] : ['k8s.io', 'kubernetes.io']
    const measured = (await define(plane, `metrics.${api}`, 'pods', domain)).in('default')
    await makeDeployment(plane, 2)
    const measure = async (cpu: string) => {
      for (const name of ['web-0', 'web-1']) {
        const containers = [{ name: 'main', usage: { cpu } }]
        const timestamp = new Date(clock.now()).toISOString()
        const sample = { metadata: { name, labels }, timestamp, window: '30s', containers }
        await measured.apply(sample as never, { force: true })
      }
    }
    await measure('90m')
    const target = { type: 'Utilization', averageUtilization: 60 } as const
    await makeAutoscaler(plane, [{ type: 'Resource', resource: { name: 'cpu', target } }])
    const begun = clock.now()
    await clock.advanceAsync(14_000)
    assert.is(await replicasOf(plane), 2, 'it is looked at after a period')
    await clock.advanceAsync(2000)
    assert.is(await replicasOf(plane), 3)
    const status = await statusOf(plane)
    assert.equal(
      [status?.currentReplicas, status?.desiredReplicas, status?.currentMetrics],
      [
        2,
        3,
        [
          {
            type: 'Resource',
            resource: { name: 'cpu', current: { averageValue: '90m', averageUtilization: 90 } },
          },
        ],
      ],
    )
    const scaled = Date.parse(status?.lastScaleTime ?? '')
    assert.ok(scaled > begun && scaled <= clock.now())
    assert.equal(await conditionsOf(plane), [
      ['AbleToScale', 'True', 'SucceededRescale'],
      ['ScalingActive', 'True', 'ValidMetricFound'],
      ['ScalingLimited', 'False', 'DesiredWithinRange'],
    ])
    const told = await until('it is told', async () =>
      (await plane.client.resource(events).in('default').listAll()).items.find(
        ({ reason }) => reason === 'SuccessfulRescale',
      ),
    )
    assert.equal(
      [told.message, told.source?.component],
      [
        'New size: 3; reason: cpu resource utilization (percentage of request) above target',
        'horizontal-pod-autoscaler',
      ],
    )
    await measure('10m')
    await clock.advanceAsync(60_000)
    assert.is(await replicasOf(plane), 3)
    assert.equal((await conditionsOf(plane))?.[0], ['AbleToScale', 'True', 'ScaleDownStabilized'])
    await clock.advanceAsync(300_000)
    assert.is(await replicasOf(plane), 1)
  })
}

test('a metric that is not there is told, and nothing changes', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, authorization: 'RBAC', controllers })
  await makeDeployment(plane, 2)
  const target = { type: 'AverageValue', averageValue: '10' } as const
  await makeAutoscaler(plane, [
    { type: 'Pods', pods: { metric: { name: 'hits' }, target } },
    { type: 'Resource', resource: { name: 'cpu', target } },
    { type: 'External', external: { metric: { name: 'queue' }, target } },
  ])
  await clock.advanceAsync(16_000)
  assert.is(await replicasOf(plane), 2)
  const status = await statusOf(plane)
  assert.equal(status?.currentMetrics, [{ type: '' }, { type: '' }, { type: '' }] as never)
  const active = status?.conditions?.find(({ type }) => type === 'ScalingActive')
  assert.equal(
    [active?.reason, active?.message],
    [
      'FailedGetPodsMetric',
      'the HPA was unable to compute the replica count: unable to get metric hits: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.orch.io) registered',
    ],
  )
  const told = await until('all of it is told', async () => {
    const { items } = await plane.client.resource(events).in('default').listAll()
    return items.length >= 4 ? items : undefined
  })
  assert.equal(
    told.map(({ reason }) => reason),
    told.map(({ reason }) => reason).filter((reason) => reason?.startsWith('Failed')),
  )
})

test('external metrics are summed up, and shared among the pods', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, authorization: 'RBAC', controllers })
  const queue = (await define(plane, 'external.metrics.orch.io', 'queue', 'orch.io')).in('default')
  for (const [name, value] of [
    ['a', '25'],
    ['b', '30500m'],
  ])
    await queue.create({ metadata: { name, labels: { of: 'web' } }, value } as never)
  await queue.create({ metadata: { name: 'c' }, value: '900' } as never)
  await makeDeployment(plane, 2)
  await plane.client
    .resource(deployments)
    .in('default')
    .mergePatch('web', { status: { replicas: 2 } }, { subresource: 'status' })
  const metric = { name: 'queue', selector: { matchLabels: { of: 'web' } } }
  const target = { type: 'AverageValue', averageValue: '10' } as const
  await makeAutoscaler(plane, [{ type: 'External', external: { metric, target } }], {
    behavior: { scaleUp: { policies: [{ type: 'Pods', value: 2, periodSeconds: 60 }] } },
  })
  await clock.advanceAsync(16_000)
  assert.is(await replicasOf(plane), 4)
  const status = await statusOf(plane)
  const [current] = status?.currentMetrics ?? []
  assert.equal(current?.external?.current, { averageValue: '27750m' })
  assert.equal((await conditionsOf(plane))?.[2], ['ScalingLimited', 'True', 'ScaleUpLimit'])
  await clock.advanceAsync(30_000)
  assert.is(await replicasOf(plane), 4, 'two in a minute')
  await clock.advanceAsync(45_000)
  assert.is(await replicasOf(plane), 6)
})

test('metrics of pods and of objects are asked for by the names of their resources', async () => {
  const clock = virtualClock()
  const root = '/apis/custom.metrics.orch.io/v1beta2'
  const asked: string[] = []
  const answer = (items: readonly object[]) => ({ kind: 'MetricValueList', items })
  await using plane = await startControlPlane({
    ...{ clock, controllers },
    use: [
      async (context, next) => {
        const { path, querystring } = context
        if (!path.startsWith(root)) return next()
        asked.push(decodeURIComponent(`${path.slice(root.length)}?${querystring}`))
        context.body = path.includes('/pods/')
          ? answer(['web-0', 'web-1'].map((name) => ({ describedObject: { name }, value: '15' })))
          : answer([{ value: '45' }])
      },
    ],
  })
  await makeDeployment(plane, 2)
  const metric = { name: 'hits' }
  const describedObject = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
  const target = { type: 'Value', value: '10' } as const
  await makeAutoscaler(plane, [
    { type: 'Pods', pods: { metric, target: { type: 'AverageValue', averageValue: '10' } } },
    { type: 'Object', object: { metric, describedObject, target } },
    {
      type: 'Object',
      object: { metric, describedObject: { kind: 'Namespace', name: 'other' }, target },
    },
  ])
  await clock.advanceAsync(16_000)
  assert.equal(asked.slice(0, 3), [
    '/namespaces/default/pods/*/hits?labelSelector=app=web',
    '/namespaces/default/deployments.apps/web/hits?',
    '/namespaces/default/metrics/hits?',
  ])
  assert.is(await replicasOf(plane), 4)
  const message = (await statusOf(plane))?.conditions?.find(({ type }) => type === 'ScalingActive')
  assert.match(message?.message ?? '', 'from Deployment metric hits')
})

test('targets that cannot be scaled, bounds, and pods of two autoscalers are told', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, authorization: 'RBAC', controllers })
  await makeDeployment(plane, 1)
  const at = (kind: string, name: string, apiVersion = 'apps/v1') => ({
    scaleTargetRef: { apiVersion, kind, name },
  })
  await makeAutoscaler(plane, [], at('Deployment', 'gone'), 'gone')
  await makeAutoscaler(plane, [], at('Deploy', 'web'), 'unknown')
  await makeAutoscaler(plane, [], at('ConfigMap', 'x', 'v1'), 'scaleless')
  await makeAutoscaler(plane, [], { minReplicas: 3 }, 'web')
  await clock.advanceAsync(16_000)
  assert.is(await replicasOf(plane), 3)
  const messageOf = async (name: string) => (await statusOf(plane, name))?.conditions?.[0]?.message
  const why = "the HPA controller was unable to get the target's current scale: "
  assert.is(await messageOf('gone'), `${why}deployments/scale.apps "gone" not found`)
  assert.is(await messageOf('unknown'), `${why}no matches for kind "Deploy" in group "apps"`)
  assert.is(await messageOf('scaleless'), `${why}the server could not find the requested resource`)
  await makeAutoscaler(plane, [], { minReplicas: 2 }, 'another')
  await clock.advanceAsync(31_000)
  const active = (await statusOf(plane, 'another'))?.conditions?.[1]
  assert.is(active?.reason, 'AmbiguousSelector')
  assert.is(
    active?.message,
    'pods by selector app=web are controlled by multiple HPAs: [default/another default/web]',
  )
  await plane.client
    .resource(deployments)
    .in('default')
    .mergePatch('web', { spec: { replicas: 0 } })
  await clock.advanceAsync(31_000)
  assert.is(await replicasOf(plane), 0)
  assert.equal((await conditionsOf(plane))?.[1], ['ScalingActive', 'False', 'ScalingDisabled'])
})

test('scales without a selector, or with one that is none, and scales that are refused are told', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, authorization: 'RBAC', controllers })
  const { client } = plane
  const number = { type: 'integer', maximum: 3 }
  const properties = {
    spec: { type: 'object', properties: { replicas: number } },
    status: {
      type: 'object',
      properties: { replicas: { type: 'integer' }, selector: { type: 'string' } },
    },
  }
  await client.resource(customResourceDefinitions).create({
    metadata: { name: 'farms.example.com' },
    spec: {
      ...{ group: 'example.com', scope: 'Namespaced' },
      names: { plural: 'farms', kind: 'Farm' },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: { openAPIV3Schema: { type: 'object', properties } },
          subresources: {
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          },
        },
      ],
    },
  })
  const farms = await until('it is served', () =>
    client.dynamic({ group: 'example.com', kind: 'Farm' }).catch(() => undefined),
  )
  const make = async (name: string, selector: string | undefined, bounds: object) => {
    const status = { replicas: 1, ...(selector !== undefined && { selector }) }
    await farms.in('default').create({ metadata: { name }, spec: { replicas: 1 }, status } as never)
    const scaleTargetRef = { apiVersion: 'example.com/v1', kind: 'Farm', name }
    await makeAutoscaler(plane, [], { scaleTargetRef, ...bounds }, name)
  }
  await make('bare', undefined, {})
  await make('odd', 'a in', {})
  await make('small', 'a=small', { minReplicas: 5 })
  await clock.advanceAsync(16_000)
  const first = async (name: string, count: number) =>
    (await conditionsOf(plane, name))?.slice(0, count)
  const got = ['AbleToScale', 'True', 'SucceededGetScale']
  const invalid = ['ScalingActive', 'False', 'InvalidSelector']
  assert.equal(await first('bare', 2), [got, invalid])
  assert.equal(await first('odd', 2), [got, invalid])
  assert.equal(await first('small', 1), [['AbleToScale', 'False', 'FailedUpdateScale']])
  const { message } = (await statusOf(plane, 'small'))?.conditions?.[0] ?? {}
  assert.match(message ?? '', /unable to update the target scale: .*less than or equal to 3/)
})

test.run()
