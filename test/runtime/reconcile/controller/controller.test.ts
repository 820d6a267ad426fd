import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { horizontalPodAutoscalers as autoscalersV1 } from '../../../../generated/apis/autoscaling/v1/horizontal-pod-autoscaler.ts'
import { horizontalPodAutoscalers as autoscalersV2 } from '../../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { type ConfigMap, configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { secrets } from '../../../../generated/apis/core/v1/secret.ts'
import { clusterRoles } from '../../../../generated/apis/rbac/v1.ts'
import type { Resource } from '../../../../runtime/client/client.ts'
import { yieldToEventLoop } from '../../../../runtime/kernel/async/slices.ts'
import type { AnyKind } from '../../../../runtime/kernel/descriptors/kind.ts'
import type { ApiObject } from '../../../../runtime/kernel/meta/object.ts'
import { type Log, type LogFields, silentLog } from '../../../../runtime/observe/observe.ts'
import { isOutcome } from '../../../../runtime/reconcile/controller/outcome.ts'
import {
  again,
  type Controller,
  createManager,
  defineController,
  done,
  failed,
  type Manager,
  ownedBy,
  terminal,
  watching,
} from '../../../../runtime/reconcile/reconcile.ts'
import { type ControlPlane, startControlPlane } from '../../../../runtime/testing/testing.ts'
import { fakeClock } from '../../../support/clock.ts'
import { assertRejects } from '../../../support/rejects.ts'
import { until } from '../../../support/until.ts'

interface Running {
  plane: ControlPlane
  maps: Resource<ConfigMap>
  /** Runs a controller over ConfigMaps of the default namespace, until the test ends. */
  run: (controller: Omit<Controller<ConfigMap>, 'name' | 'for'>) => Promise<Manager>
  end: () => Promise<void>
}

const test = suite<Running>('runtime/reconcile: controller')

test.before.each(async (context) => {
  context.plane = await startControlPlane()
  const { client } = context.plane
  const stop = new AbortController()
  let running = Promise.resolve()
  context.maps = client.resource(configMaps)
  context.run = async (rest) => {
    const controller = defineController({ name: 'test', for: configMaps, ...rest })
    const queue = { backoff: { baseMs: 5, maxMs: 20 } }
    const manager = createManager({
      client,
      controllers: [controller],
      namespace: 'default',
      queue,
    })
    running = manager.run(stop.signal)
    await manager.ready
    return manager
  }
  context.end = async () => {
    stop.abort()
    await running
    await context.plane.stop()
  }
})

test.after.each(({ end }) => end())

const x = { metadata: { name: 'x' } }

test('a run that failed or threw is run again until it works', async ({ maps, run }) => {
  let runs = 0
  const manager = await run({
    async reconcile() {
      runs++
      if (runs === 1) throw new Error('first')
      return runs < 4 ? failed(new Error('more')) : done
    },
  })
  await maps.create(x)
  await until('done', () => manager.stats().test?.runs.done === 1)
  assert.equal(manager.stats().test?.runs, { done: 1, again: 0, failed: 3, terminal: 0 })
})

test('a terminal run is not run again before the object changes', async ({ maps, run }) => {
  let runs = 0
  const manager = await run({
    async reconcile({ data }) {
      runs++
      return data?.good === 'yes' ? done : terminal('not good')
    },
  })
  await maps.create(x)
  await until('terminal', () => manager.stats().test?.runs.terminal === 1)
  assert.equal([manager.stats().test?.depth, manager.stats().test?.delayed], [0, 0])
  await maps.mergePatch('x', { data: { good: 'yes' } })
  await until('done', () => manager.stats().test?.runs.done === 1)
  assert.is(runs, 2)
})

test('a run that is not through comes again after its time', async ({ maps, run }) => {
  let runs = 0
  const manager = await run({
    async reconcile() {
      return ++runs < 3 ? again(1) : done
    },
  })
  await maps.create(x)
  await until('done', () => manager.stats().test?.runs.done === 1)
  assert.is(manager.stats().test?.runs.again, 2)
})

test('a run that asks for another at once leaves room for others', async ({ maps, run, end }) => {
  let runs = 0
  const manager = await run({
    async reconcile() {
      runs++
      return again(0)
    },
  })
  await maps.create(x)
  await until('two runs', () => (manager.stats().test?.runs.again ?? 0) > 1)
  await end()
  assert.ok(runs > 1)
})

for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY, '10' as never]) {
  test(`a run cannot ask for another in ${ms} ms`, () => {
    assert.throws(() => again(ms), /milliseconds are a finite number from 0 on/)
  })
}

test('what a run gives that is no time to come again has failed', () => {
  for (const ms of [undefined, -1, Number.NaN, '10']) assert.not(isOutcome({ is: 'again', ms }))
  assert.ok(isOutcome({ is: 'again', ms: 10 }))
})

test('a run that gives no outcome has failed, and is run again', async ({ maps, run }) => {
  let runs = 0
  const manager = await run({
    reconcile: (async () => (++runs < 2 ? undefined : done)) as Controller<ConfigMap>['reconcile'],
  })
  await maps.create(x)
  await until('done', () => manager.stats().test?.runs.done === 1)
  assert.is(manager.stats().test?.runs.failed, 1)
})

test('a run that never ends holds its object and nothing else', async ({ plane }) => {
  const { client } = plane
  const clock = fakeClock()
  const seen: string[] = []
  const controller = defineController({
    name: 'stuck',
    for: configMaps,
    concurrency: 1,
    timeoutMs: 1000,
    reconcile(map) {
      seen.push(map.metadata.name)
      return map.metadata.name === 'x' ? new Promise(() => {}) : Promise.resolve(done)
    },
  })
  const told: LogFields[] = []
  const log: Log = { ...silentLog, error: (_, fields = {}) => void told.push(fields) }
  const manager = createManager({
    ...{ client, controllers: [controller], clock, log },
    namespace: 'default',
  })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  await manager.ready
  await client.resource(configMaps).create(x)
  await until('the run that hangs', () => seen.includes('x'))
  await client.resource(configMaps).create({ metadata: { name: 'y' } })
  await until('the other waits', () => manager.stats().stuck?.depth === 1)
  await until('the other runs', () => {
    clock.advance(1000)
    return seen.includes('y')
  })
  await client.resource(configMaps).mergePatch('x', { data: { changed: 'yes' } })
  stop.abort()
  let ended = false
  void running.then(() => {
    ended = true
  })
  await until('the end', () => {
    clock.advance(1000)
    return ended
  })
  assert.equal(seen, ['x', 'y'])
  const { controller: name, key, remedy } = told[0] ?? {}
  assert.equal([name, key], ['stuck', 'default/x'])
  assert.match(String(remedy), 'pass the signal of the context')
})

test('one object is worked on by one worker, several objects by several', async ({ maps, run }) => {
  const active = new Set<string>()
  let most = 0
  let clashes = 0
  const manager = await run({
    concurrency: 3,
    async reconcile({ metadata: { name } }) {
      if (active.has(name)) clashes++
      active.add(name)
      most = Math.max(most, active.size)
      await until('three at a time', () => most === 3)
      await maps.mergePatch(name, { data: { seen: 'yes' } })
      active.delete(name)
      return done
    },
  })
  for (const name of ['a', 'b', 'c', 'd']) await maps.create({ metadata: { name } })
  for (const name of ['a', 'b', 'c', 'd']) await maps.mergePatch(name, { data: { n: '1' } })
  await until('all', () => {
    const stats = manager.stats().test
    return stats !== undefined && stats.runs.done >= 4 && stats.active + stats.depth === 0
  })
  assert.is(clashes, 0)
  assert.is(most, 3)
})

test('a run sees what its predecessor wrote', async ({ plane, maps, run }) => {
  const manager = await run({
    owns: [secrets],
    async reconcile(map, { client, owned }) {
      if (owned(secrets).length > 0) return done
      const metadata = { generateName: 'child-', ownerReferences: [ownedBy(map)] }
      await client.resource(secrets).create({ metadata })
      await client.resource(configMaps).mergePatch('x', { data: { made: 'yes' } })
      return again(0)
    },
  })
  await maps.create(x)
  await until('done', () => (manager.stats().test?.runs.done ?? 0) > 0)
  const { items } = await plane.client.resource(secrets).in('default').listAll()
  assert.is(items.length, 1)
})

test('an owned object wakes its owner', async ({ plane, maps, run }) => {
  await run({
    owns: [secrets],
    async reconcile(_, { ensure }) {
      await ensure(secrets, { metadata: { name: 'child' }, data: { a: 'MQ==' } })
      return done
    },
  })
  await maps.create(x)
  const children = plane.client.resource(secrets)
  await until('child', () => children.find('child'))
  await children.mergePatch('child', { data: { a: 'Mg==', b: 'Mw==' } })
  await until('as the draft says', async () => (await children.get('child')).data?.a === 'MQ==')
  assert.is((await children.get('child')).data?.b, 'Mw==', 'a field of somebody else stays')
})

test('ensure does not touch what belongs to somebody else', async ({ plane, maps, run }) => {
  const manager = await run({
    owns: [secrets],
    async reconcile(_, { ensure }) {
      await ensure(secrets, { metadata: { name: 'child' }, data: { a: 'MQ==' } })
      return done
    },
  })
  const mine = await plane.client.resource(secrets).create({ metadata: { name: 'child' } })
  await maps.create(x)
  await until('failure', () => (manager.stats().test?.runs.failed ?? 0) > 1)
  const { metadata } = await plane.client.resource(secrets).get('child')
  assert.is(metadata.resourceVersion, mine.metadata.resourceVersion)
})

test('ensure writes only what is not yet so', async ({ plane, maps, run }) => {
  const manager = await run({
    owns: [secrets],
    async reconcile(_, { ensure }) {
      const metadata = { name: 'child', labels: { app: 'x' } }
      await ensure(secrets, { metadata, data: { a: 'MQ==' } })
      return done
    },
  })
  await maps.create(x)
  const first = await until('child', () => plane.client.resource(secrets).find('child'))
  for (const n of ['1', '2', '3']) {
    const before = manager.stats().test?.runs.done ?? 0
    await maps.mergePatch('x', { data: { n } })
    await until('a run', () => (manager.stats().test?.runs.done ?? 0) > before)
  }
  const { metadata } = await plane.client.resource(secrets).get('child')
  assert.is(metadata.resourceVersion, first.metadata.resourceVersion)
})

test('ensure asks once about defaults that only the server knows', async ({ plane, maps }) => {
  const writes: string[] = []
  const client = plane.client.scoped({ onWrite: ({ kind }) => writes.push(kind.plural) })
  const controller = defineController({
    name: 'test',
    for: configMaps,
    owns: [deployments],
    async reconcile(_, { ensure }) {
      const labels = { app: 'x' }
      const containers = [{ name: 'web', image: 'nginx' }]
      const template = { metadata: { labels }, spec: { containers } }
      const spec = { selector: { matchLabels: labels }, template }
      await ensure(deployments, { metadata: { name: 'child' }, spec })
      return done
    },
  })
  const stop = new AbortController()
  const manager = createManager({ client, controllers: [controller], namespace: 'default' })
  const running = manager.run(stop.signal)
  await maps.create(x)
  for (const n of ['1', '2', '3', '4', '5']) {
    const before = manager.stats().test?.runs.done ?? 0
    await maps.mergePatch('x', { data: { n } })
    await until('a run', () => (manager.stats().test?.runs.done ?? 0) > before)
  }
  stop.abort()
  await running
  assert.ok(writes.length <= 3, `it wrote ${writes.length} times`)
})

test('a watched object wakes whom its keys name', async ({ plane, maps, run }) => {
  let runs = 0
  await run({
    watches: [watching(secrets, () => [{ namespace: 'default', name: 'x' }])],
    async reconcile() {
      runs++
      return done
    },
  })
  await maps.create(x)
  await until('first', () => runs === 1)
  await plane.client.resource(secrets).create({ metadata: { name: 'any' } })
  await until('second', () => runs === 2)
})

test('a finalizer stays until its cleanup is done', async ({ maps, run }) => {
  const tries: string[] = []
  await run({
    async reconcile() {
      return done
    },
    cleanup: {
      finalizer: 'example.com/held',
      async run() {
        tries.push('try')
        if (tries.length === 1) throw new Error('not yet')
        return tries.length === 2 ? again(1) : done
      },
    },
  })
  await maps.create(x)
  await until('finalizer', async () => {
    return (await maps.get('x')).metadata.finalizers?.includes('example.com/held')
  })
  await maps.delete('x')
  await until('gone', async () => (await maps.find('x')) === undefined)
  assert.is(tries.length, 3)
})

test('the end of the manager waits for the run under way', async ({ maps, run, end }) => {
  let finish: (() => void) | undefined
  let through = false
  await run({
    async reconcile(_, { signal }) {
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      through = !signal.aborted
      return done
    },
  })
  await maps.create(x)
  await until('begun', () => finish !== undefined)
  let ended = false
  const ending = end().then(() => {
    ended = true
  })
  for (let turn = 0; turn < 100; turn++) await yieldToEventLoop()
  assert.is(ended, false)
  finish?.()
  await ending
  assert.ok(through)
})

test('a run past its deadline is told, and run again', async ({ maps, run }) => {
  const manager = await run({
    timeoutMs: 10,
    async reconcile(_, { signal, client }) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      await client.resource(configMaps).get('x')
      return done
    },
  })
  await maps.create(x)
  await until('failures', () => (manager.stats().test?.runs.failed ?? 0) > 1)
})

test('a run that goes on writing has its time anew with each write, ten times at most', async ({
  plane,
}) => {
  const { client } = plane
  const clock = fakeClock()
  let writes = 0
  let over = false
  const controller = defineController({
    ...{ name: 'busy', for: configMaps, timeoutMs: 1000 },
    async reconcile(map, { client: own, signal }) {
      if (map.metadata.name !== 'busy' || over) return done
      while (!signal.aborted && writes < 40) {
        const maps = own.resource(configMaps).in('default')
        await maps.mergePatch('busy', { data: { writes: `${writes++}` } })
        clock.advance(600)
      }
      over = true
      return done
    },
  })
  const manager = createManager({
    ...{ client, controllers: [controller], clock, log: silentLog },
    namespace: 'default',
  })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  await manager.ready
  await client.resource(configMaps).create({ metadata: { name: 'busy' } })
  await until('the run ends', () => over)
  assert.is(writes, 17)
  stop.abort()
  await running
})

test('a manager whose kind is not served says so, and works once it is', async ({ plane }) => {
  const unknown = { ...configMaps, group: 'shop.example.com', plural: 'parts', kind: 'Part' }
  const controller = defineController({ name: 'parts', for: unknown, reconcile: async () => done })
  const manager = createManager({ client: plane.client, controllers: [controller] })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  const error = await assertRejects(manager.ready, 'NotFound')
  assert.match(error.message, /does not serve parts \(kind Part\) of shop.example.com\/v1/)
  stop.abort()
  await running
})

test('two versions of a kind in one manager are two caches', async ({ plane }) => {
  const { client } = plane
  const seen: string[] = []
  const controllers = [autoscalersV1, autoscalersV2].map((kind) =>
    defineController<ApiObject>({
      name: kind.version,
      for: kind as AnyKind,
      async reconcile({ apiVersion }) {
        seen.push(`${kind.version} sees ${apiVersion}`)
        return done
      },
    }),
  )
  await client
    .resource(autoscalersV2)
    .in('default')
    .create({
      metadata: { name: 'web' },
      spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
    })
  const stop = new AbortController()
  const running = createManager({ client, controllers }).run(stop.signal)
  await until('two runs', () => seen.length >= 2)
  stop.abort()
  await running
  assert.equal(seen.sort(), ['v1 sees autoscaling/v1', 'v2 sees autoscaling/v2'])
})

test('an object of another namespace, or of none, cannot be owned', async ({ maps, run }) => {
  const errors: string[] = []
  await run({
    owns: [secrets, clusterRoles],
    async reconcile({ metadata }, { ensure }) {
      if (metadata.name !== 'parent') return done
      for (const made of [
        () => ensure(secrets, { metadata: { name: 'child', namespace: 'elsewhere' } }),
        () => ensure(clusterRoles, { metadata: { name: 'child' }, rules: [] }),
      ]) {
        await made().catch((error: Error) => errors.push(error.message))
      }
      return done
    },
  })
  await maps.in('default').create({ metadata: { name: 'parent' } })
  await until('two errors', () => errors.length >= 2)
  const who = 'ConfigMap "parent" of namespace "default" cannot own'
  assert.match(errors[0] ?? '', `${who} Secret "child" in namespace "elsewhere": `)
  assert.match(errors[1] ?? '', `${who} ClusterRole "child" in no namespace: `)
})

test.run()
