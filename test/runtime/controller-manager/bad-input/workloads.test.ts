// Workloads that cannot become what they ask for: what is told, and how often the server is asked.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { daemonSets } from '../../../../generated/apis/apps/v1/daemon-set.ts'
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { replicaSets } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { statefulSets } from '../../../../generated/apis/apps/v1/stateful-set.ts'
import { horizontalPodAutoscalers } from '../../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { namespaces } from '../../../../generated/apis/core/v1/namespace.ts'
import { persistentVolumeClaims } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { replicationControllers } from '../../../../generated/apis/core/v1/replication-controller.ts'
import { resourceQuotas } from '../../../../generated/apis/core/v1/resource-quota.ts'
import { podDisruptionBudgets } from '../../../../generated/apis/policy/v1.ts'
import { type Calls, type CountedPlane, startCountedPlane } from '../../../support/api-calls.ts'

/** A control plane with everything below in it, and how often it was asked before and after that came to rest. */
interface World extends CountedPlane {
  readonly idle: Calls
  readonly busy: Calls
  /** Restarts a minute of the crashing pods while `busy` was counted. */
  readonly restarts: number
}

const workloads = suite<World>('runtime/controller-manager: bad workloads')

workloads.before(async (context) => {
  const world = await startCountedPlane()
  Object.assign(context, world, { idle: await world.callsPerMinute(5) })
  const below = await startBelowQuota(world)
  await startFullQuota(world)
  await world.callsPerMinute(1)
  await below()
  await startWithoutPods(world)
  await startSharedSelectors(world)
  await startLacking(world)
  await startCrashing(world)
  await world.callsPerMinute(20)
  const before = await restartsOf(world)
  const busy = await world.callsPerMinute(10)
  Object.assign(context, { busy, restarts: ((await restartsOf(world)) - before) / 10 })
})
workloads.after((context) => context[Symbol.asyncDispose]())

const containers = [{ name: 'main', image: 'work' }]

/** Labels, a selector of them, and a template that has them. */
function labelled(app: string, spec: object = {}, annotations: Record<string, string> = {}) {
  const labels = { app }
  return {
    selector: { matchLabels: labels },
    template: { metadata: { labels, annotations }, spec: { containers, ...spec } },
  }
}

/** A namespace of its own. */
async function namespaceOf({ plane }: CountedPlane, name: string): Promise<string> {
  await plane.client.resource(namespaces).create({ metadata: { name } })
  return name
}

/** What is told in a namespace: the object, the reason and the text of each event. */
async function told({ plane }: CountedPlane, namespace: string) {
  const { items } = await plane.client.resource(events).in(namespace).listAll()
  return items.map(({ involvedObject: { kind, name }, reason, message }) => ({
    of: `${kind}/${name}`,
    reason: reason ?? '',
    message: message ?? '',
  }))
}

async function startFullQuota(world: CountedPlane): Promise<void> {
  const namespace = await namespaceOf(world, 'full')
  const quota = { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } }
  await world.plane.client.resource(resourceQuotas).in(namespace).create(quota)
}

/** One of each kind of workload, under the quota of `full`. */
async function startWithoutPods({ plane: { client } }: CountedPlane): Promise<void> {
  const metadata = { name: 'web' }
  const spec = { replicas: 3, ...labelled('web') }
  const { selector: _, ...unselected } = labelled('controller')
  await client.resource(deployments).in('full').create({ metadata, spec })
  await client
    .resource(statefulSets)
    .in('full')
    .create({ metadata, spec: { replicas: 3, serviceName: 'web', ...labelled('state') } })
  await client
    .resource(daemonSets)
    .in('full')
    .create({ metadata, spec: labelled('daemon') })
  await client
    .resource(replicationControllers)
    .in('full')
    .create({ metadata, spec: { replicas: 3, ...unselected } })
}

workloads(
  'workloads above a quota are told why they have no pods, ever more rarely',
  async (world) => {
    const { client } = world.plane
    assert.ok(world.busy.perMinuteOf('/namespaces/full/') < 4, world.busy.most)
    const refused = (await told(world, 'full')).filter(({ reason }) => reason === 'FailedCreate')
    for (const kind of ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController']) {
      const own = refused.filter(({ of }) => of.startsWith(`${kind}/`))
      assert.ok(own.length > 0, kind)
      for (const { message } of own) {
        assert.match(
          message,
          'exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0',
        )
      }
    }
    const { status } = await client.resource(deployments).in('full').get('web')
    const failure = status?.conditions?.find(({ type }) => type === 'ReplicaFailure')
    assert.equal([failure?.status, failure?.reason], ['True', 'FailedCreate'])
  },
)

/** Five pods; what it returns puts a quota of three over them, and asks for a sixth. */
async function startBelowQuota(world: CountedPlane): Promise<() => Promise<void>> {
  const { client } = world.plane
  const namespace = await namespaceOf(world, 'below')
  const all = client.resource(replicaSets).in(namespace)
  await all.create({ metadata: { name: 'web' }, spec: { replicas: 5, ...labelled('web') } })
  return async () => {
    const quota = { metadata: { name: 'few' }, spec: { hard: { pods: '3' } } }
    await client.resource(resourceQuotas).in(namespace).create(quota)
    await all.mergePatch('web', { spec: { replicas: 6 } })
  }
}

workloads('a quota below what is used says so, and stops what comes on top', async (world) => {
  const { client } = world.plane
  assert.ok(world.busy.perMinuteOf('/namespaces/below/') < 2, world.busy.most)
  const { status } = await client.resource(resourceQuotas).in('below').get('few')
  assert.equal([status?.hard?.pods, status?.used?.pods], ['3', '5'])
  const set = await client.resource(replicaSets).in('below').get('web')
  assert.is(set.status?.replicas, 5)
  assert.match(
    set.status?.conditions?.find(({ type }) => type === 'ReplicaFailure')?.message ?? '',
    'exceeded quota: few, requested: pods=1, used: pods=5, limited: pods=3',
  )
})

async function startSharedSelectors(world: CountedPlane): Promise<void> {
  const { client } = world.plane
  const namespace = await namespaceOf(world, 'shared')
  for (const name of ['one', 'other']) {
    const spec = { replicas: 2, ...labelled('shared') }
    const metadata = { name }
    await client.resource(replicaSets).in(namespace).create({ metadata, spec })
    await client.resource(deployments).in(namespace).create({ metadata, spec })
    await client
      .resource(podDisruptionBudgets)
      .in(namespace)
      .create({ metadata, spec: { minAvailable: 1, selector: spec.selector } })
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'one' }
    await client
      .resource(horizontalPodAutoscalers)
      .in(namespace)
      .create({ metadata, spec: { scaleTargetRef, maxReplicas: 3 } })
  }
}

workloads(
  'workloads and budgets that select the same pods leave each other alone',
  async (world) => {
    assert.ok(world.busy.perMinuteOf('/namespaces/shared/') < 16, world.busy.most)
    const { items } = await world.plane.client.resource(pods).in('shared').listAll()
    assert.is(items.length, 8)
    const all = await told(world, 'shared')
    const reasons = new Set(all.map(({ of, reason }) => `${of.split('/')[0]} ${reason}`))
    assert.ok(reasons.has('Pod MultiplePodDisruptionBudgets'), [...reasons].join('; '))
    assert.ok(reasons.has('HorizontalPodAutoscaler AmbiguousSelector'), [...reasons].join('; '))
  },
)

/** What names a service account, a storage class and a target that nobody has. */
async function startLacking(world: CountedPlane): Promise<void> {
  const { client } = world.plane
  const namespace = await namespaceOf(world, 'lacking')
  const metadata = { name: 'lost' }
  await client
    .resource(deployments)
    .in(namespace)
    .create({
      metadata,
      spec: { replicas: 5, ...labelled('lost', { serviceAccountName: 'nobody' }) },
    })
  const claim = {
    accessModes: ['ReadWriteOnce' as const],
    storageClassName: 'none',
    resources: { requests: { storage: '1Gi' } },
  }
  await client.resource(persistentVolumeClaims).in(namespace).create({ metadata, spec: claim })
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' }
  await client
    .resource(horizontalPodAutoscalers)
    .in(namespace)
    .create({ metadata, spec: { scaleTargetRef, maxReplicas: 3 } })
}

workloads(
  'what a workload needs and nobody has is told, and looked for at a steady rate',
  async (world) => {
    assert.ok(world.busy.perMinuteOf('/namespaces/lacking/') < 9, world.busy.most)
    const all = await told(world, 'lacking')
    const texts = all.map(({ of, reason, message }) => `${of} ${reason}: ${message}`)
    for (const text of [
      /^ReplicaSet\/lost-\w+ FailedCreate: .*serviceaccount "nobody" not found$/,
      /^PersistentVolumeClaim\/lost ProvisioningFailed: storageclass\.storage\.orch\.io "none" not found$/,
      /^HorizontalPodAutoscaler\/lost FailedGetScale: deployments\/scale\.apps "none" not found$/,
    ]) {
      assert.ok(
        texts.some((one) => text.test(one)),
        `${text} in\n${texts.join('\n')}`,
      )
    }
  },
)

const crashing = 24

async function startCrashing(world: CountedPlane): Promise<void> {
  const namespace = await namespaceOf(world, 'crashing')
  const crash = { 'simulation.orch.io/exit-code': '1', 'simulation.orch.io/duration': '1s' }
  const spec = { replicas: crashing, ...labelled('web', {}, crash) }
  const metadata = { name: 'web' }
  await world.plane.client.resource(deployments).in(namespace).create({ metadata, spec })
}

async function restartsOf({ plane }: CountedPlane): Promise<number> {
  const { items } = await plane.client.resource(pods).in('crashing').listAll()
  assert.is(items.length, crashing)
  const counts = items.map(({ status }) => status?.containerStatuses?.[0]?.restartCount ?? 0)
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Three writes of the agent about each restart, one of the set and one of the deployment. */
const callsOfRestarts = ({ restarts }: World): number => 5 * restarts + 5

workloads(
  'crashing pods are restarted ever more rarely, and written about once each time',
  (world) => {
    const { busy, restarts } = world
    const most = crashing / 5
    assert.ok(restarts > 0 && restarts <= most, `${restarts} a minute: each waits five minutes`)
    assert.ok(
      busy.perMinuteOf('/namespaces/crashing/') < callsOfRestarts(world),
      `${restarts} restarts:\n${busy.most}`,
    )
  },
)

workloads('all of them together keep no controller and no node busy', (world) => {
  const { idle, busy } = world
  const most = idle.perMinute + 4 + 2 + 16 + 9 + callsOfRestarts(world)
  assert.ok(busy.perMinute < most, busy.most)
})

workloads.run()
