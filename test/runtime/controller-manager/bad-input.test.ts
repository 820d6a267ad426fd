/** What bad input gets: a condition or an event that says so, a wait that grows, and few requests a minute. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../generated/apis/apps/v1/deployment.ts'
import { replicaSets } from '../../../generated/apis/apps/v1/replica-set.ts'
import { horizontalPodAutoscalers } from '../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { cronJobs } from '../../../generated/apis/batch/v1/cron-job.ts'
import { jobs } from '../../../generated/apis/batch/v1/job.ts'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { events } from '../../../generated/apis/core/v1/event.ts'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { resourceQuotas } from '../../../generated/apis/core/v1/resource-quota.ts'
import { podDisruptionBudgets } from '../../../generated/apis/policy/v1.ts'
import type { ControllerName } from '../../../generated/controllers.ts'
import type { Client } from '../../../runtime/client/client.ts'
import { startControlPlane, virtualClock } from '../../../runtime/testing/testing.ts'

const test = suite('runtime/controller-manager: what bad input gets')

const minuteMs = 60_000
const settledMinutes = 5
const countedMinutes = 5
const labels = { app: 'x' }
const selector = { matchLabels: labels }
const podSpec = { containers: [{ name: 'main', image: 'work' }] }
const template = { metadata: { labels }, spec: podSpec }
const absentUid = '00000000-0000-4000-8000-000000000000'

/** A case: what is made, who works on it, and what is told in the end. */
interface BadInput {
  readonly controllers: readonly ControllerName[]
  readonly simulatedNodes?: number
  readonly make: (client: Client) => Promise<unknown>
  /** Requests of controllers in a minute, some minutes after it was made. */
  readonly perMinute: number
  /** Fails if nothing says what is wrong. */
  readonly told: (client: Client) => Promise<void>
}

/** The events of a reason in the namespace `default`. */
async function toldBy(client: Client, reason: string): Promise<number> {
  const { items } = await client.resource(events).in('default').listAll()
  const count = items.filter((event) => event.reason === reason).length
  assert.ok(
    count > 0,
    `${reason} is told; told is ${items.map((event) => event.reason).join(', ')}`,
  )
  return count
}

const owner = (name: string, uid: string, more: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', name, uid },
  ...more,
})

const cases: Readonly<Record<string, BadInput>> = {
  'an owner that does not exist: what it owned goes': {
    controllers: ['garbage-collector-controller'],
    async make(client) {
      const ownerReferences = [owner('absent', absentUid)]
      await client
        .resource(configMaps)
        .in('default')
        .create({ metadata: { name: 'a', ownerReferences } })
    },
    perMinute: 4,
    async told(client) {
      assert.is(await client.resource(configMaps).in('default').find('a'), undefined)
    },
  },
  'an owner of another namespace: what it would own goes, and the event says why': {
    controllers: ['garbage-collector-controller'],
    async make(client) {
      const other = await client
        .resource(configMaps)
        .in('orch-public')
        .create({ metadata: { name: 'o' } })
      const ownerReferences = [owner('o', other.metadata.uid)]
      await client
        .resource(configMaps)
        .in('default')
        .create({ metadata: { name: 'a', ownerReferences } })
    },
    perMinute: 4,
    async told(client) {
      await toldBy(client, 'OwnerRefInvalidNamespace')
    },
  },
  'an owner of a kind that nobody serves: what it owns stays': {
    controllers: ['garbage-collector-controller'],
    async make(client) {
      const ownerReferences = [
        { apiVersion: 'no.example/v1', kind: 'Nothing', name: 'x', uid: absentUid },
      ]
      await client
        .resource(configMaps)
        .in('default')
        .create({ metadata: { name: 'a', ownerReferences } })
    },
    perMinute: 4,
    async told(client) {
      await client.resource(configMaps).in('default').get('a')
    },
  },
  'owners in a circle: the first that is deleted in the foreground takes all with it': {
    controllers: ['garbage-collector-controller'],
    async make(client) {
      const maps = client.resource(configMaps).in('default')
      const a = await maps.create({ metadata: { name: 'a' } })
      const block = { blockOwnerDeletion: true }
      const b = await maps.create({
        metadata: { name: 'b', ownerReferences: [owner('a', a.metadata.uid, block)] },
      })
      const circle = { metadata: { ownerReferences: [owner('b', b.metadata.uid, block)] } }
      await maps.mergePatch('a', circle)
      await maps.delete('a', { propagationPolicy: 'Foreground' })
    },
    perMinute: 4,
    async told(client) {
      const left = await client.resource(configMaps).in('default').listAll()
      assert.equal(
        left.items.map(({ metadata }) => metadata.name).filter((name) => name.length === 1),
        [],
      )
    },
  },
  'a finalizer that nobody removes: the namespace says who waits for it': {
    controllers: ['namespace-controller'],
    async make(client) {
      await client.resource(namespaces).create({ metadata: { name: 'held' } })
      const metadata = { name: 'a', finalizers: ['example.com/nobody'] }
      await client.resource(configMaps).in('held').create({ metadata })
      await client.resource(namespaces).delete('held')
    },
    perMinute: 100,
    async told(client) {
      const { status } = await client.resource(namespaces).get('held')
      const said = status?.conditions?.find(({ type }) => type === 'NamespaceFinalizersRemaining')
      assert.is(said?.status, 'True')
      assert.match(said?.message ?? '', 'example.com/nobody in 1 resource instances')
    },
  },
  'an owner that waits in the foreground for a finalizer that nobody removes': {
    controllers: ['garbage-collector-controller'],
    async make(client) {
      const maps = client.resource(configMaps).in('default')
      const a = await maps.create({ metadata: { name: 'a' } })
      const ownerReferences = [owner('a', a.metadata.uid, { blockOwnerDeletion: true })]
      await maps.create({
        metadata: { name: 'b', finalizers: ['example.com/nobody'], ownerReferences },
      })
      await maps.delete('a', { propagationPolicy: 'Foreground' })
    },
    perMinute: 4,
    async told(client) {
      const { metadata } = await client.resource(configMaps).in('default').get('a')
      assert.equal(metadata.finalizers, ['foregroundDeletion'])
    },
  },
  'selectors of replica sets that overlap: each keeps its own pods': {
    controllers: ['replicaset-controller'],
    async make(client) {
      const sets = client.resource(replicaSets).in('default')
      for (const name of ['a', 'b']) {
        await sets.create({ metadata: { name }, spec: { replicas: 2, selector, template } })
      }
    },
    perMinute: 2,
    async told(client) {
      assert.is((await client.resource(pods).in('default').listAll()).items.length, 4)
    },
  },
  'selectors of autoscalers that overlap: both say so': {
    controllers: [
      'horizontal-pod-autoscaler-controller',
      'deployment-controller',
      'replicaset-controller',
    ],
    async make(client) {
      await client
        .resource(deployments)
        .in('default')
        .create({ metadata: { name: 'web' }, spec: { replicas: 1, selector, template } })
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
      const scalers = client.resource(horizontalPodAutoscalers).in('default')
      for (const name of ['a', 'b']) {
        await scalers.create({ metadata: { name }, spec: { scaleTargetRef, maxReplicas: 3 } })
      }
    },
    perMinute: 40,
    async told(client) {
      assert.ok((await toldBy(client, 'AmbiguousSelector')) >= 2)
    },
  },
  'a budget of pods that no controller has': {
    controllers: ['disruption-controller'],
    async make(client) {
      await client
        .resource(pods)
        .in('default')
        .create({ metadata: { name: 'a', labels }, spec: podSpec })
      await client
        .resource(podDisruptionBudgets)
        .in('default')
        .create({ metadata: { name: 'b' }, spec: { maxUnavailable: 1, selector } })
    },
    perMinute: 4,
    async told(client) {
      const { status } = await client.resource(podDisruptionBudgets).in('default').get('b')
      assert.is(status?.disruptionsAllowed, 0)
      await toldBy(client, 'UnmanagedPods')
    },
  },
  'a job whose pods always fail waits longer each time': {
    controllers: ['job-controller'],
    simulatedNodes: 1,
    async make(client) {
      const annotations = {
        'simulation.orch.io/exit-code': '1',
        'simulation.orch.io/duration': '1s',
      }
      await client
        .resource(jobs)
        .in('default')
        .create({
          metadata: { name: 'never' },
          spec: {
            backoffLimit: 1_000_000,
            template: { metadata: { annotations }, spec: { ...podSpec, restartPolicy: 'Never' } },
          },
        })
    },
    perMinute: 10,
    async told(client) {
      const { status } = await client.resource(jobs).in('default').get('never')
      assert.ok((status?.failed ?? 0) >= 4)
      assert.ok((status?.failed ?? 0) <= 9)
    },
  },
  'a job whose pods the quota refuses': {
    controllers: ['job-controller'],
    async make(client) {
      await client
        .resource(resourceQuotas)
        .in('default')
        .create({ metadata: { name: 'none' }, spec: { hard: { pods: '0' } } })
      await client
        .resource(jobs)
        .in('default')
        .create({
          metadata: { name: 'refused' },
          spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } },
        })
    },
    perMinute: 12,
    async told(client) {
      await toldBy(client, 'FailedCreate')
    },
  },
  'hundreds of pods that crash again and again: their set writes what changed, no more often than they do':
    {
      controllers: ['deployment-controller', 'replicaset-controller'],
      simulatedNodes: 3,
      async make(client) {
        const annotations = {
          'simulation.orch.io/exit-code': '1',
          'simulation.orch.io/duration': '1s',
        }
        const crashing = { metadata: { labels, annotations }, spec: podSpec }
        await client
          .resource(deployments)
          .in('default')
          .create({
            metadata: { name: 'crash' },
            spec: { replicas: 300, selector, template: crashing },
          })
      },
      perMinute: 60,
      async told(client) {
        const { items } = await client.resource(pods).in('default').listAll()
        assert.is(items.length, 300, 'none is replaced')
        const { status } = await client.resource(deployments).in('default').get('crash')
        const available = status?.conditions?.find(({ type }) => type === 'Available')
        assert.is(available?.reason, 'MinimumReplicasUnavailable')
      },
    },
  'a schedule that never comes': {
    controllers: ['cronjob-controller'],
    async make(client) {
      const jobTemplate = {
        spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' as const } } },
      }
      await client
        .resource(cronJobs)
        .in('default')
        .create({ metadata: { name: 'never' }, spec: { schedule: '0 0 31 2 *', jobTemplate } })
    },
    perMinute: 1,
    async told(client) {
      const { status } = await client.resource(cronJobs).in('default').get('never')
      assert.is(status?.lastScheduleTime, undefined)
    },
  },
  'a quota below what is used: what is there stays, and nothing comes': {
    controllers: ['resourcequota-controller', 'deployment-controller', 'replicaset-controller'],
    async make(client) {
      const web = client.resource(deployments).in('default')
      await web.create({ metadata: { name: 'web' }, spec: { replicas: 2, selector, template } })
      await client
        .resource(resourceQuotas)
        .in('default')
        .create({
          metadata: { name: 'few' },
          spec: { hard: { 'count/replicasets.apps': '0', pods: '1' } },
        })
      await web.mergePatch('web', { spec: { replicas: 5 } })
    },
    perMinute: 30,
    async told(client) {
      const quota = await client.resource(resourceQuotas).in('default').get('few')
      assert.is(quota.status?.hard?.pods, '1')
      const { status } = await client.resource(deployments).in('default').get('web')
      const failure = status?.conditions?.find(({ type }) => type === 'ReplicaFailure')
      assert.is(failure?.reason, 'FailedCreate')
      assert.match(failure?.message ?? '', 'exceeded quota: few')
      await toldBy(client, 'FailedCreate')
    },
  },
}

for (const [name, { controllers, simulatedNodes, make, perMinute, told }] of Object.entries(
  cases,
)) {
  test(name, async () => {
    const clock = virtualClock()
    let requests: string[] = []
    await using plane = await startControlPlane({
      ...{ clock, controllers, authorization: 'RBAC' },
      ...(simulatedNodes !== undefined && { simulatedNodes, scheduler: true }),
      use: [
        (context, next) => {
          const isWatch = /\bwatch=/.test(context.querystring)
          const isOurs = context.headers['user-agent']?.includes('controller-manager') ?? false
          const isLease = context.path.includes('/leases/')
          if (isOurs && !isWatch && !isLease) requests.push(`${context.method} ${context.path}`)
          return next()
        },
      ],
    })
    await make(plane.client)
    await clock.advanceAsync(settledMinutes * minuteMs)
    requests = []
    await clock.advanceAsync(countedMinutes * minuteMs)
    const each = requests.length / countedMinutes
    assert.ok(each <= perMinute, `${each} requests a minute: ${[...new Set(requests)].join('\n')}`)
    await told(plane.client)
  })
}

test.run()
