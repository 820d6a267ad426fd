// One manager, several clusters: each a server of its own.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leases } from '../../../generated/apis/coordination/v1.ts'
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { secrets } from '../../../generated/apis/core/v1/secret.ts'
import { metrics as table } from '../../../generated/metrics.ts'
import { createClient } from '../../../runtime/client/client.ts'
import { createMetrics, type Metrics } from '../../../runtime/observe/observe.ts'
import { printReport } from '../../../runtime/operator/print-report.ts'
import {
  type AnyController,
  type ClusterManagerOptions,
  type Clusters,
  createClusters,
  createManager,
  defineController,
  done,
  type Manager,
  owning,
  watching,
} from '../../../runtime/reconcile/reconcile.ts'
import { type ControlPlane, startControlPlane } from '../../../runtime/testing/testing.ts'
import { type Chaos, createChaos } from '../../support/chaos.ts'
import { until } from '../../support/until.ts'

type Name = 'east' | 'west'

interface Running {
  planes: Readonly<Record<Name, ControlPlane>>
  chaos: Readonly<Record<Name, Chaos>>
  clusters: Clusters<Name>
  metrics: Metrics
  /** Every run: `cluster namespace/name`. */
  runs: string[]
  stamp: AnyController
  run: (controllers: readonly AnyController[], more?: Partial<ClusterManagerOptions>) => Manager
  end: () => Promise<void>
}

const test = suite<Running>('runtime/reconcile: several clusters')

test.before.each(async (context) => {
  const [east, west] = await Promise.all([startControlPlane(), startControlPlane()])
  const planes = { east, west }
  const chaos = { east: createChaos(east.transport), west: createChaos(west.transport) }
  const clusters = createClusters({
    east: createClient(chaos.east, { manager: 'test' }),
    west: createClient(chaos.west, { manager: 'test' }),
  })
  const metrics = createMetrics(table, { release: '1.29.0', daemon: 'controller-manager' })
  const runs: string[] = []
  const stamp = defineController<ConfigMap>({
    name: 'stamp',
    for: configMaps,
    scope: { where: ({ data }) => data?.stamp !== undefined },
    owns: [owning(secrets, { namespaces: ['default'] })],
    async reconcile(map, { cluster, client, ensure }) {
      runs.push(`${cluster.name} ${map.metadata.name}`)
      await ensure(secrets, { metadata: { name: map.metadata.name } })
      if (map.data?.stamp !== cluster.name) {
        const data = { stamp: cluster.name }
        await client.resource(configMaps).mergePatch(map.metadata, { data })
      }
      return done
    },
  })
  const stop = new AbortController()
  const running: Promise<void>[] = []
  Object.assign(context, { planes, chaos, clusters, metrics, runs, stamp })
  context.run = (controllers, more = {}) => {
    const queue = { backoff: { baseMs: 5, maxMs: 20 } }
    const manager = createManager({ clusters, controllers, metrics, queue, drainMs: 100, ...more })
    running.push(manager.run(stop.signal))
    return manager
  }
  context.end = async () => {
    stop.abort()
    await Promise.all(running)
    await Promise.all([east.stop(), west.stop()])
  }
})

test.after.each(({ end }) => end())

const asked = (name: string) => ({ metadata: { name }, data: { stamp: '' } })
const stampOf = async ({ client }: ControlPlane, name: string) =>
  (await client.resource(configMaps).get(name)).data?.stamp

test('a controller works in each cluster, with its client and its caches', async ({
  planes: { east, west },
  metrics,
  run,
  stamp,
}) => {
  const manager = run([stamp])
  await manager.ready
  await east.client.resource(configMaps).create(asked('x'))
  await west.client.resource(configMaps).create(asked('x'))
  await until('east', async () => (await stampOf(east, 'x')) === 'east')
  await until('west', async () => (await stampOf(west, 'x')) === 'west')
  for (const { client } of [east, west]) {
    await until('secret', () => client.resource(secrets).find('x'))
    const { managedFields } = (await client.resource(secrets).get('x')).metadata
    assert.is(managedFields?.[0]?.manager, 'test/stamp')
  }
  assert.equal(Object.keys(manager.stats()), ['stamp@east', 'stamp@west'])
  const { clusters, synced } = manager.report()
  assert.equal(clusters?.east, { synced: true, working: true })
  assert.ok(synced)
  assert.match(printReport(manager.report()), 'clusters:\n  east  working\n  west  working\n')
  assert.match(metrics.text('prometheus'), /^cluster_caches_synced\{name="east"\} 1$/m)
  assert.match(metrics.text('prometheus'), /^workqueue_depth\{name="stamp@west"\} 0$/m)
})

test('a cluster that is down holds no other, and is worked in once it answers', async ({
  planes: { east, west },
  chaos,
  run,
  stamp,
}) => {
  chaos.west.down()
  const manager = run([stamp], { patienceMs: 20 })
  await east.client.resource(configMaps).create(asked('x'))
  await manager.ready
  await until('east', async () => (await stampOf(east, 'x')) === 'east')
  assert.equal(manager.report().clusters?.west, { synced: false, working: false })
  await west.client.resource(configMaps).create(asked('x'))
  chaos.west.heal()
  await until('west', async () => (await stampOf(west, 'x')) === 'west')
  chaos.east.down()
  await west.client.resource(configMaps).create(asked('y'))
  await until('west goes on', async () => (await stampOf(west, 'y')) === 'west')
})

test('why a cluster is not worked in is told', async ({ planes: { east }, run }) => {
  const unknown = { ...configMaps, plural: 'nothings', kind: 'Nothing' }
  const manager = run([
    defineController({ name: 'nothing', for: unknown, reconcile: async () => done }),
  ])
  const { east: told } = await until('problem', () => {
    const { clusters } = manager.report()
    return clusters?.east?.problem !== undefined && clusters
  })
  assert.match(told?.problem ?? '', /nothings/)
  assert.ok(east)
})

test('a cluster comes and goes while others are worked in', async ({
  planes: { east, west },
  clusters,
  runs,
  run,
  stamp,
}) => {
  const manager = run([stamp])
  await manager.ready
  await using north = await startControlPlane()
  await north.client.resource(configMaps).create(asked('n'))
  const gone = new AbortController()
  const cluster = clusters.add('north', north.client, gone.signal)
  assert.throws(() => clusters.add('north', north.client, gone.signal), /another one of this name/)
  await until('north', async () => (await stampOf(north, 'n')) === 'north')
  assert.equal(
    clusters.all.map(({ name }) => name),
    ['east', 'west', 'north'],
  )
  gone.abort()
  await until('gone', () => manager.report().clusters?.north === undefined)
  assert.not.ok(clusters.all.includes(cluster))
  await north.client.resource(configMaps).create(asked('later'))
  for (const { client } of [east, west]) await client.resource(configMaps).create(asked('later'))
  await until('others', async () => (await stampOf(west, 'later')) === 'west')
  await until('others', async () => (await stampOf(east, 'later')) === 'east')
  assert.not.ok(runs.includes('north later'))
})

test('an object of one cluster wakes a key of another, also of one that comes later', async ({
  planes: { east, west },
  clusters,
  run,
}) => {
  const hub = clusters.named.east
  const counting = defineController<ConfigMap>({
    name: 'count',
    for: configMaps,
    clusters: (cluster) => cluster === hub,
    scope: { where: ({ metadata }) => metadata.name === 'count' },
    watches: [
      watching(secrets, () => [hub.key({ namespace: 'default', name: 'count' })], {
        clusters: (cluster) => cluster !== hub,
        labelSelector: 'count=yes',
      }),
    ],
    async reconcile({ metadata, data }, { client, at }) {
      const members = clusters.all.filter((cluster) => cluster !== hub)
      const counts = members.map((one) => `${one.name} ${at(one).cached(secrets).size}`)
      const seen = counts.join(', ')
      if (data?.seen !== seen)
        await client.resource(configMaps).mergePatch(metadata, { data: { seen } })
      for (const one of members) {
        const found = await at(one).client.resource(configMaps).find('told')
        if (found?.data?.seen === seen) continue
        const told = { metadata: { name: 'told' }, data: { seen } }
        await at(one).client.resource(configMaps).apply(told)
      }
      return done
    },
  })
  const manager = run([counting])
  await manager.ready
  await east.client.resource(configMaps).create({ metadata: { name: 'count' } })
  const labels = { count: 'yes' }
  await west.client.resource(secrets).create({ metadata: { name: 's', labels } })
  const seen = async () => (await east.client.resource(configMaps).get('count')).data?.seen
  await until('counted', async () => (await seen()) === 'west 1')
  await until('told', async () => {
    const told = await west.client.resource(configMaps).find('told')
    return told?.data?.seen === 'west 1'
  })
  assert.equal(Object.keys(manager.stats()), ['count@east'])
  await using north = await startControlPlane()
  await north.client.resource(secrets).create({ metadata: { name: 's', labels } })
  clusters.add('north', north.client, new AbortController().signal)
  await until('counted', async () => (await seen()) === 'west 1, north 1')
})

test('the caches of a cluster that has not answered are an error, not empty', async ({
  planes: { east },
  chaos,
  clusters,
  run,
}) => {
  chaos.west.down()
  const looking = defineController<ConfigMap>({
    name: 'looking',
    for: configMaps,
    async reconcile(_, { at }) {
      at(clusters.named.west).cached(configMaps).list()
      return done
    },
  })
  const manager = run([looking], { patienceMs: 20 })
  await manager.ready
  await east.client.resource(configMaps).create(asked('x'))
  const why = await until('failed', () => {
    const keys = manager.report().controllers['looking@east']?.keys ?? []
    return keys.find(({ key }) => key === 'default/x')?.last?.why
  })
  assert.is(why, 'looking: cluster west has not answered yet: its caches are empty')
})

test('leases stand in the cluster that is said to be home', async ({
  planes: { east, west },
  clusters,
  run,
  stamp,
}) => {
  const election = { leaderElection: { name: 'test', identity: 'a' } }
  assert.throws(() => run([stamp], election), /`home` has to say/)
  const manager = run([stamp], { ...election, home: clusters.named.west })
  await east.client.resource(configMaps).create(asked('x'))
  await until('east', async () => (await stampOf(east, 'x')) === 'east')
  assert.is((await west.client.resource(leases).get('test')).spec?.holderIdentity, 'a')
  assert.is(manager.report().lease?.holder, 'a')
})

test('several processes share the keys of all clusters', async ({
  planes: { east, west },
  clusters,
  runs,
  run,
  stamp,
}) => {
  const timing = { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 100 }
  const managers = ['a', 'b'].map((identity) =>
    run([stamp], {
      home: clusters.named.east,
      sharding: { name: 'test', identity, shards: 16, ...timing },
    }),
  )
  await until('shared', () => {
    const { members = {}, shards = [] } = managers[0]?.report().sharding ?? {}
    const isHeld = shards.every(({ holder }) => holder !== undefined)
    return isHeld && Object.values(members).filter((held) => held > 2).length === 2
  })
  const names = Array.from({ length: 20 }, (_, at) => `m${at}`)
  for (const { client } of [east, west]) {
    await Promise.all(names.map((name) => client.resource(configMaps).create(asked(name))))
  }
  for (const name of names) {
    await until(name, async () => (await stampOf(east, name)) === 'east')
    await until(name, async () => (await stampOf(west, name)) === 'west')
  }
  assert.is(new Set(runs).size, 40)
  const ran = managers.map((manager) =>
    Object.values(manager.stats()).reduce((sum, { runs: { done } }) => sum + done, 0),
  )
  assert.ok(
    ran.every((count) => count > 0),
    `runs: ${ran}`,
  )
})

test.run()
