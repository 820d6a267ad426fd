// What wakes a controller, and what its caches hold.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { replicaSets } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { type ConfigMap, configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { type Secret, secrets } from '../../../../generated/apis/core/v1/secret.ts'
import { type Client, createClient, type Key } from '../../../../runtime/client/client.ts'
import type { CacheReader } from '../../../../runtime/informer/informer.ts'
import type { Clock } from '../../../../runtime/kernel/async/clock.ts'
import { withoutManagedFields } from '../../../../runtime/kernel/meta/managed-fields.ts'
import {
  again,
  type Controller,
  createManager,
  defineController,
  done,
  every,
  type KeyController,
  type Manager,
  type ManagerOptions,
  owning,
  type WatchScope,
  watching,
} from '../../../../runtime/reconcile/reconcile.ts'
import { type ControlPlane, startControlPlane } from '../../../../runtime/testing/testing.ts'
import { createChaos } from '../../../support/chaos.ts'
import { fakeClock } from '../../../support/clock.ts'
import { assertRejects } from '../../../support/rejects.ts'
import { until } from '../../../support/until.ts'

interface Running {
  plane: ControlPlane
  client: Client
  runs: string[]
  /** Runs a controller over ConfigMaps until the test ends; `runs` gets the name of each object that it runs over. */
  run: (
    rest: Partial<Controller<ConfigMap>>,
    settings?: Pick<ManagerOptions, 'defaultTransform'>,
  ) => Promise<Manager>
  end: () => Promise<void>
}

const test = suite<Running>('runtime/reconcile: watching')

test.before.each(async (context) => {
  const plane = await startControlPlane()
  const { client } = plane
  const runs: string[] = []
  const stop = new AbortController()
  const running: Promise<void>[] = []
  Object.assign(context, { plane, client, runs })
  context.run = async (rest, settings) => {
    const controller = defineController<ConfigMap>({
      name: 'test',
      for: configMaps,
      async reconcile({ metadata }) {
        runs.push(metadata.name)
        return done
      },
      ...rest,
    })
    const queue = { backoff: { baseMs: 5, maxMs: 20 } }
    const manager = createManager({ client, queue, controllers: [controller], ...settings })
    running.push(manager.run(stop.signal))
    await manager.ready
    return manager
  }
  context.end = async () => {
    stop.abort()
    await Promise.all(running)
    await plane.stop()
  }
})

test.after.each(({ end }) => end())

const named = (name: string) => ({ metadata: { name } })
const x: Key = { namespace: 'default', name: 'x' }
const keyOfX = (): readonly Key[] => [x]

/** Waits until a later change, which wakes for sure, has woken. */
async function settled(client: Client, runs: readonly string[], name: string): Promise<void> {
  await client.resource(configMaps).create(named(name))
  await until(name, () => runs.includes(name))
}

test('only changes that are asked for wake', async ({ client, runs, run }) => {
  const all = client.resource(secrets)
  await run({
    watches: [watching(secrets, keyOfX, { when: ({ type }) => type === 'deleted' })],
  })
  await client.resource(configMaps).create(named('x'))
  await until('x', () => runs.includes('x'))
  const before = runs.length
  await all.create(named('s'))
  await all.mergePatch('s', { metadata: { labels: { a: 'b' } } })
  await settled(client, runs, 'other')
  assert.equal(runs.slice(before), ['other'])
  await all.delete('s')
  await until('a deletion wakes', () => runs.slice(before + 1).includes('x'))
})

test('only a change of the fields that are read wakes', async ({ client, runs, run }) => {
  const maps = client.resource(configMaps)
  await run({ scope: { fields: ['data'] } })
  await maps.create(named('x'))
  await until('first', () => runs.includes('x'))
  await maps.mergePatch('x', { metadata: { labels: { a: 'b' } } })
  await settled(client, runs, 'y')
  assert.equal(runs, ['x', 'y'])
  await maps.mergePatch('x', { data: { a: 'b' } })
  await until('third', () => runs.length === 3)
})

test('an entry of a map is a field that wakes, and that objects are found by', async (context) => {
  const { client, runs, run } = context
  const maps = client.resource(configMaps)
  let cache: CacheReader<ConfigMap> | undefined
  await run({
    scope: {
      fields: ['metadata.annotations[example.com/a.b]'],
      indexes: { tier: 'metadata.labels[example.com/tier]' },
    },
    async reconcile({ metadata }, { cached }) {
      cache = cached(configMaps)
      runs.push(metadata.name)
      return done
    },
  })
  await maps.create({ metadata: { name: 'x', labels: { 'example.com/tier': 'front' } } })
  await until('first', () => runs.includes('x'))
  await maps.mergePatch('x', { metadata: { annotations: { 'example.com/other': 'b' } } })
  await settled(client, runs, 'y')
  assert.equal(runs, ['x', 'y'])
  await maps.mergePatch('x', { metadata: { annotations: { 'example.com/a.b': 'c' } } })
  await until('third', () => runs.length === 3)
  assert.equal(
    cache?.index('tier', 'front').map(({ metadata }) => metadata.name),
    ['x'],
  )
})

test('only objects that a condition holds for wake, before or after a change', async (context) => {
  const { client, runs, run } = context
  const maps = client.resource(configMaps)
  await run({ scope: { where: ({ data }) => data?.on === 'yes' } })
  await maps.create(named('x'))
  await maps.create({ ...named('y'), data: { on: 'yes' } })
  await until('y', () => runs.length === 1)
  await maps.mergePatch('y', { data: { on: 'no' } })
  await until('y again', () => runs.length === 2)
  assert.equal(runs, ['y', 'y'])
})

test('a watch that names fields caches only these', async ({ client, run }) => {
  let cache: CacheReader<Secret> | undefined
  await client.resource(secrets).create({ ...named('s'), type: 'a/b', data: { a: 'MQ==' } })
  await run({
    watches: [watching(secrets, keyOfX, { fields: ['type'] })],
    async reconcile(_, { cached }) {
      cache = cached(secrets)
      return done
    },
  })
  await client.resource(configMaps).create(named('x'))
  const seen = await until('cache', () => cache?.get({ namespace: 'default', name: 's' }))
  assert.equal([seen.type, seen.data, seen.metadata.name], ['a/b', undefined, 's'])
})

test('a watch of metadata requests no more than that', async ({ plane, client, run }) => {
  let cache: CacheReader<Secret> | undefined
  await client.resource(secrets).create({ ...named('s'), data: { a: 'MQ==' } })
  await run({
    watches: [watching(secrets, keyOfX, { metadataOnly: true })],
    async reconcile(_, { cached }) {
      cache = cached(secrets)
      return done
    },
  })
  await client.resource(configMaps).create(named('x'))
  const key = { namespace: 'default', name: 's' }
  await until('cache', () => cache?.get(key))
  await client.resource(secrets).mergePatch('s', { metadata: { labels: { a: 'b' } } })
  const seen = await until('label', () => {
    const secret = cache?.get(key)
    return secret?.metadata.labels?.a === 'b' ? secret : undefined
  })
  assert.equal(Object.keys(seen).sort(), ['apiVersion', 'kind', 'metadata'])
  assert.equal([seen.kind, seen.metadata.managedFields], ['Secret', undefined])
  assert.ok(plane)
})

test('a manager says what its caches keep where a watch does not', async ({ client, run }) => {
  let cache: CacheReader<Secret> | undefined
  await client.resource(secrets).create({ ...named('s'), data: { a: 'MQ==' } })
  const looking: Partial<Controller<ConfigMap>> = {
    watches: [watching(secrets, keyOfX)],
    async reconcile(_, { cached }) {
      cache = cached(secrets)
      return done
    },
  }
  await run(looking, { defaultTransform: withoutManagedFields })
  await client.resource(configMaps).create(named('x'))
  const seen = await until('cache', () => cache?.get({ namespace: 'default', name: 's' }))
  assert.equal([seen.data, seen.metadata.managedFields], [{ a: 'MQ==' }, undefined])
  assert.ok((await client.resource(secrets).get('s')).metadata.managedFields)
})

test('keys may come of an index, and later', async ({ client, runs, run }) => {
  const maps = client.resource(configMaps)
  await run({
    scope: { indexes: { secret: 'data', user: ({ data }) => [data?.secret ?? ''] } },
    watches: [
      watching(secrets, async ({ metadata }, { cached }) =>
        cached(configMaps)
          .index('user', metadata.name)
          .map((map) => map.metadata),
      ),
    ],
  })
  await maps.create({ ...named('x'), data: { secret: 's' } })
  await maps.create({ ...named('y'), data: { secret: 'other' } })
  await until('both', () => runs.length === 2)
  await client.resource(secrets).create(named('s'))
  await until('x again', () => runs.length === 3)
  assert.is(runs.at(-1), 'x')
})

test("what another wrote is not lost behind one's own write that the cache shows at once", async (context) => {
  const { client, plane } = context
  const chaos = createChaos(plane.transport)
  const maps = client.resource(configMaps).in('default')
  const seen: (string | undefined)[] = []
  const controller = defineController<ConfigMap>({
    name: 'test',
    for: configMaps,
    async reconcile({ metadata, data }, run) {
      seen.push(data?.colour)
      if (data?.colour !== 'red') return done
      chaos.down()
      await maps.mergePatch('x', { data: { colour: 'blue' } })
      await run.client
        .resource(configMaps)
        .mergePatch(metadata, { metadata: { labels: { a: 'b' } } })
      return done
    },
  })
  const stop = new AbortController()
  const manager = createManager({
    ...{ client: createClient(chaos), clientOf: () => client, controllers: [controller] },
    namespace: 'default',
  })
  const running = manager.run(stop.signal)
  await manager.ready
  await maps.create({ metadata: { name: 'x' }, data: { colour: 'red' } })
  await until('blue', () => seen.includes('blue'))
  assert.equal(seen, ['red', 'blue'])
  stop.abort()
  await running
})

test('a run after a write that no cache follows waits for nothing, and sets no time for it', async ({
  client,
}) => {
  const clock = fakeClock()
  const waits: number[] = []
  const after: Clock['after'] = (ms, run) => {
    waits.push(ms)
    return clock.after(ms, run)
  }
  const timeoutMs = 123
  let runs = 0
  const controller: KeyController = {
    name: 'writer',
    timeoutMs,
    seeds: [named('s').metadata],
    async reconcile({ name }, context) {
      const all = context.client.resource(secrets)
      if (runs++ === 0) await all.create(named(name))
      return runs < 3 ? again(1000) : done
    },
  }
  const stop = new AbortController()
  const options = { client, controllers: [controller], namespace: 'default' }
  const manager = createManager({ ...options, clock: { ...clock, after } })
  const running = manager.run(stop.signal)
  await until('three runs', async () => {
    await clock.advanceAsync(1000)
    return runs === 3
  })
  assert.equal(waits, [timeoutMs, 1000, timeoutMs, 1000, timeoutMs])
  stop.abort()
  await running
})

test('watches of parts of objects read the cache of a watch of the wholes, whichever comes first', async (context) => {
  const { client, plane } = context
  const chaos = createChaos(plane.transport)
  const woken: string[] = []
  const seen = new Map<string, unknown>()
  const controller = (name: string, scope: WatchScope<Secret>): KeyController => ({
    name,
    watches: [watching(secrets, keyOfX, scope)],
    async reconcile(_, { cached }) {
      woken.push(name)
      seen.set(name, cached(secrets).get(named('s').metadata)?.data)
      return done
    },
  })
  const controllers = [
    controller('metadata', {
      metadataOnly: true,
      fields: ['metadata.labels'],
      namespace: 'default',
    }),
    controller('whole', { namespace: 'default' }),
    controller('part', { fields: ['type'], namespace: 'default' }),
    controller('elsewhere', { fields: ['type'], namespace: 'other' }),
    controller('own', { transform: (secret) => secret, namespace: 'default' }),
  ]
  const stop = new AbortController()
  const manager = createManager({ client: createClient(chaos), controllers })
  const running = manager.run(stop.signal)
  await manager.ready
  await until('three watches', () => chaos.watches === 3)
  const all = client.resource(secrets).in('default')
  await all.create({ ...named('s'), data: { a: 'MQ==' } })
  await until('four', () => seen.size === 4)
  woken.length = 0
  await all.mergePatch('s', { data: { a: 'Mg==' } })
  await until('two', () => woken.length === 2)
  assert.equal(woken.sort(), ['own', 'whole'])
  assert.is(chaos.watches, 3)
  stop.abort()
  await running
})

test('keys that fail are asked for again', async ({ client, runs, run }) => {
  let asked = 0
  await run({
    watches: [
      watching(secrets, () => {
        if (++asked === 1) throw new Error('not yet')
        return [x]
      }),
    ],
  })
  await client.resource(configMaps).create(named('x'))
  await until('first', () => runs.length === 1)
  await client.resource(secrets).create(named('s'))
  await until('second', () => runs.length === 2)
  assert.is(asked, 2)
})

test('several namespaces are one cache', async ({ client, runs, run }) => {
  for (const name of ['one', 'two', 'three']) await createNamespace(client, name)
  let names: string[] = []
  await run({
    scope: { namespaces: ['one', 'two'] },
    async reconcile({ metadata }, { cached }) {
      runs.push(`${metadata.namespace}/${metadata.name}`)
      names = cached(configMaps)
        .list()
        .map((map) => map.metadata.namespace)
      return done
    },
  })
  for (const each of ['three', 'two', 'one']) {
    await client.resource(configMaps).in(each).create(named('x'))
  }
  await until('two', () => runs.length === 2)
  assert.equal(runs.sort(), ['one/x', 'two/x'])
  assert.equal([...new Set(names)].sort(), ['one', 'two'])
})

async function createNamespace(client: Client, name: string): Promise<void> {
  const { namespaces } = await import('../../../../generated/apis/core/v1/namespace.ts')
  await client.resource(namespaces).create(named(name))
}

test('a run for an object that is gone is for those that want it', async ({ client, run }) => {
  const gone: Key[] = []
  await run({
    async deleted(key) {
      gone.push(key)
      return done
    },
  })
  await client.resource(configMaps).create(named('x'))
  await client.resource(configMaps).delete('x')
  await until('gone', () => gone.length > 0)
  assert.equal(gone[0], x)
})

test('events from elsewhere wake; a source that fails is begun again', async (context) => {
  const { client, runs, run } = context
  let begun = 0
  await client.resource(configMaps).create(named('x'))
  await run({
    sources: [
      async function* ({ signal }) {
        if (++begun === 1) throw new Error('not connected')
        if (begun === 2) yield [x]
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    ],
  })
  await until('two runs', () => runs.length === 2)
  assert.is(begun, 2)
})

test('a timer wakes in intervals, and a resync after each run that was done', async (context) => {
  const { client } = context
  const clock = fakeClock()
  const runs: string[] = []
  const over = async ({ metadata }: { metadata: { name: string } }, name: string) => {
    runs.push(`${name} ${metadata.name}`)
    return done
  }
  await client.resource(configMaps).create(named('x'))
  const timed = defineController<ConfigMap>({
    ...{ name: 'timed', for: configMaps, sources: [every(1000, keyOfX)] },
    reconcile: (map) => over(map, 'timed'),
  })
  const renewed = defineController<ConfigMap>({
    ...{
      name: 'renewed',
      for: configMaps,
      resyncMs: 1000,
      scope: { where: ({ metadata }) => metadata.name === 'x' },
    },
    reconcile: (map) => over(map, 'renewed'),
  })
  const manager = createManager({
    client,
    clock,
    random: () => 0.5,
    controllers: [timed, renewed],
    namespace: 'default',
  })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  await until('first runs', () => runs.includes('timed x') && runs.includes('renewed x'))
  const countOf = (text: string) => runs.filter((one) => one === text).length
  for (const times of [2, 3]) {
    await until(`run ${times}`, () => {
      if (manager.stats().renewed?.delayed === 1) clock.advance(1000)
      return countOf('timed x') >= times && countOf('renewed x') >= times
    })
  }
  stop.abort()
  await running
})

test('a watch for a time ends with its signal', async ({ client, runs, run }) => {
  const ending = new AbortController()
  let cache: CacheReader<Secret> | undefined
  await run({
    async reconcile({ metadata }, { watch }) {
      runs.push(metadata.name)
      cache ??= await watch(secrets, keyOfX, {}, ending.signal)
      return done
    },
  })
  await client.resource(configMaps).create(named('x'))
  await until('watched', () => cache)
  await client.resource(secrets).create(named('s'))
  await until('woken', () => runs.length === 2)
  ending.abort()
  await client.resource(secrets).create(named('t'))
  await settled(client, runs, 'y')
  assert.equal(runs, ['x', 'x', 'y'])
  assert.is(cache?.size, 1)
})

test('a run sees in the cache what it has just written', async ({ client, run }) => {
  const seen: unknown[] = []
  await run({
    owns: [secrets],
    async reconcile(map, { ensure, owned, cached }) {
      await ensure(secrets, { ...named('child'), data: { a: 'MQ==' } })
      seen.push(owned(secrets).length, cached(secrets).get({ ...x, name: 'child' })?.data)
      assert.is(map.metadata.name, 'x')
      return done
    },
  })
  await client.resource(configMaps).create(named('x'))
  await until('seen', () => seen.length > 1)
  assert.equal(seen.slice(0, 2), [1, { a: 'MQ==' }])
})

test('a kind that a controller does not declare is refused, with words', async ({
  client,
  run,
}) => {
  const failures: string[] = []
  await run({
    reads: [secrets],
    async reconcile({ metadata }, { client: own }) {
      await own.resource(configMaps).mergePatch(metadata.name, { data: { seen: 'yes' } })
      await own.resource(secrets).find('s')
      const write = own.resource(secrets).in('default').create(named('s'))
      failures.push((await assertRejects(write, 'Forbidden')).message)
      try {
        own.resource(pods)
      } catch (error) {
        failures.push(String(error))
      }
      return done
    },
  })
  await client.resource(configMaps).create(named('x'))
  await until('both', () => failures.length > 1)
  assert.match(
    failures[0]!,
    /controller test \(create\) writes Secret \(secrets\) without declaring/,
  )
  assert.match(failures[1]!, /uses Pod \(pods\) without declaring it: name the kind in `reads`/)
})

test('the scale of a kind is written where the controller declares that it does', async ({
  client,
  run,
}) => {
  const failures: string[] = []
  await run({
    reads: [deployments],
    scales: [replicaSets],
    async reconcile(_, { client: own }) {
      const patch = { spec: { replicas: 2 } }
      const size = own.resource(deployments).scale('x').patch(patch)
      failures.push((await assertRejects(size, 'Forbidden')).message)
      const missing = own.resource(replicaSets).in('default').scale('x').patch(patch)
      failures.push((await assertRejects(missing, 'NotFound')).message)
      const whole = own.resource(replicaSets).delete('x')
      failures.push((await assertRejects(whole, 'Forbidden')).message)
      return done
    },
  })
  await client.resource(configMaps).create(named('x'))
  await until('all', () => failures.length > 2)
  assert.match(
    failures[0]!,
    /\(scale\) writes Deployment \(deployments.apps\) without declaring it: name the kind in `scales`/,
  )
  assert.match(failures[2]!, /\(delete\) writes ReplicaSet/)
})

test('what a controller owns is cached and wakes within its scope only', async ({
  client,
  runs,
  run,
}) => {
  let cache: CacheReader<Secret> | undefined
  const owned = client.resource(secrets)
  await run({
    owns: [owning(secrets, { labelSelector: 'in=yes', fields: ['data'] })],
    async reconcile({ metadata }, { cached, ensure }) {
      runs.push(metadata.name)
      cache = cached(secrets)
      const labels = { in: metadata.name === 'x' ? 'yes' : 'no' }
      await ensure(secrets, { metadata: { name: metadata.name, labels } })
      return done
    },
  })
  await client.resource(configMaps).create(named('x'))
  await settled(client, runs, 'y')
  await until('owned', async () => (await owned.find('y')) !== undefined)
  assert.equal(
    cache?.list().map(({ metadata }) => metadata.name),
    ['x'],
  )
  await owned.mergePatch('x', { data: { a: 'MA==' } })
  await until('a change of another is seen', () => cache?.get(x)?.data?.a === 'MA==')
  await settled(client, runs, 'w')
  const before = runs.length
  await owned.mergePatch('y', { data: { a: 'MQ==' } })
  await owned.mergePatch('x', { metadata: { annotations: { a: 'b' } } })
  await settled(client, runs, 'z')
  assert.equal(runs.slice(before), ['z'])
  await owned.mergePatch('x', { data: { a: 'MQ==' } })
  await until('woken', () => runs.at(-1) === 'x')
})

test.run()
