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
import { type CountedPlane, startCountedPlane } from '../../../support/api-calls.ts'

const workloads = suite<CountedPlane>('runtime/controller-manager: bad workloads')

workloads.before(async (context) => {
  Object.assign(context, await startCountedPlane())
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

workloads(
  'workloads above a quota are told why they have no pods, ever more rarely',
  async (world) => {
    const idle = await world.callsPerMinute(5)
    const { client } = world.plane
    const namespace = await namespaceOf(world, 'full')
    const quota = { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } }
    await client.resource(resourceQuotas).in(namespace).create(quota)
    await world.callsPerMinute(1)
    const metadata = { name: 'web' }
    const spec = { replicas: 3, ...labelled('web') }
    const { selector: _, ...unselected } = labelled('controller')
    await client.resource(deployments).in(namespace).create({ metadata, spec })
    await client
      .resource(statefulSets)
      .in(namespace)
      .create({ metadata, spec: { replicas: 3, serviceName: 'web', ...labelled('state') } })
    await client
      .resource(daemonSets)
      .in(namespace)
      .create({ metadata, spec: labelled('daemon') })
    await client
      .resource(replicationControllers)
      .in(namespace)
      .create({ metadata, spec: { replicas: 3, ...unselected } })
    await world.callsPerMinute(10)
    const busy = await world.callsPerMinute(10)
    assert.ok(busy.perMinute < idle.perMinute + 4, busy.most)
    const refused = (await told(world, namespace)).filter(({ reason }) => reason === 'FailedCreate')
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
    const { status } = await client.resource(deployments).in(namespace).get('web')
    const failure = status?.conditions?.find(({ type }) => type === 'ReplicaFailure')
    assert.equal([failure?.status, failure?.reason], ['True', 'FailedCreate'])
  },
)

workloads('a quota below what is used says so, and stops what comes on top', async (world) => {
  const { client } = world.plane
  const namespace = await namespaceOf(world, 'below')
  const all = client.resource(replicaSets).in(namespace)
  await all.create({ metadata: { name: 'web' }, spec: { replicas: 5, ...labelled('web') } })
  await world.callsPerMinute(1)
  const idle = await world.callsPerMinute(5)
  const quotas = client.resource(resourceQuotas).in(namespace)
  await quotas.create({ metadata: { name: 'few' }, spec: { hard: { pods: '3' } } })
  await all.mergePatch('web', { spec: { replicas: 6 } })
  await world.callsPerMinute(10)
  const busy = await world.callsPerMinute(10)
  assert.ok(busy.perMinute < idle.perMinute + 2, busy.most)
  const { status } = await quotas.get('few')
  assert.equal([status?.hard?.pods, status?.used?.pods], ['3', '5'])
  const set = await all.get('web')
  assert.is(set.status?.replicas, 5)
  assert.match(
    set.status?.conditions?.find(({ type }) => type === 'ReplicaFailure')?.message ?? '',
    'exceeded quota: few, requested: pods=1, used: pods=5, limited: pods=3',
  )
})

workloads(
  'workloads and budgets that select the same pods leave each other alone',
  async (world) => {
    const idle = await world.callsPerMinute(5)
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
    await world.callsPerMinute(5)
    const busy = await world.callsPerMinute(10)
    assert.ok(busy.perMinute < idle.perMinute + 16, busy.most)
    const { items } = await client.resource(pods).in(namespace).listAll()
    assert.is(items.length, 8)
    const all = await told(world, namespace)
    const reasons = new Set(all.map(({ of, reason }) => `${of.split('/')[0]} ${reason}`))
    assert.ok(reasons.has('Pod MultiplePodDisruptionBudgets'), [...reasons].join('; '))
    assert.ok(reasons.has('HorizontalPodAutoscaler AmbiguousSelector'), [...reasons].join('; '))
  },
)

workloads(
  'what a workload needs and nobody has is told, and looked for at a steady rate',
  async (world) => {
    const idle = await world.callsPerMinute(5)
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
    await client
      .resource(horizontalPodAutoscalers)
      .in(namespace)
      .create({
        metadata,
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' },
          maxReplicas: 3,
        },
      })
    await world.callsPerMinute(10)
    const busy = await world.callsPerMinute(10)
    assert.ok(busy.perMinute < idle.perMinute + 9, busy.most)
    const all = await told(world, namespace)
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

workloads(
  'crashing pods are restarted ever more rarely, and written about once each time',
  async (world) => {
    const idle = await world.callsPerMinute(5)
    const { client } = world.plane
    const namespace = await namespaceOf(world, 'crashing')
    const crash = { 'simulation.orch.io/exit-code': '1', 'simulation.orch.io/duration': '1s' }
    await client
      .resource(deployments)
      .in(namespace)
      .create({
        metadata: { name: 'web' },
        spec: { replicas: 60, ...labelled('web', {}, crash) },
      })
    await world.callsPerMinute(20)
    const minutes = 10
    const restarts = async () => {
      const { items } = await client.resource(pods).in(namespace).listAll()
      assert.is(items.length, 60)
      return items.reduce(
        (sum, { status }) => sum + (status?.containerStatuses?.[0]?.restartCount ?? 0),
        0,
      )
    }
    const before = await restarts()
    const busy = await world.callsPerMinute(minutes)
    const again = ((await restarts()) - before) / minutes
    assert.ok(again <= 60 / 5, `${again} restarts a minute: each pod waits five minutes by now`)
    // Three writes of the agent about each, and less than one of the controllers.
    assert.ok(busy.perMinute < idle.perMinute + 4 * again + 5, `${again} restarts:\n${busy.most}`)
  },
)

workloads.run()
