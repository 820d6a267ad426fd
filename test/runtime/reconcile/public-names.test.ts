// Leases of managers at a server that calls its groups by the public names.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { platform } from '../../../generated/platform.ts'
import { type Client, createClient } from '../../../runtime/client/client.ts'
import {
  createManager,
  defineController,
  done,
  type ManagerOptions,
} from '../../../runtime/reconcile/reconcile.ts'
import { type ControlPlane, startControlPlane } from '../../../runtime/testing/testing.ts'
import { compiledScheme } from '../../../tools/orch/compiled-scheme.ts'
import { until } from '../../support/until.ts'

interface Running {
  plane: ControlPlane
  client: Client
  /** The paths of all requests about leases. */
  paths: string[]
}

const test = suite<Running>('runtime/reconcile: leases under the public names')
const scheme = await compiledScheme({ platform: 'schemas/platform/kubernetes.yaml' }, console.error)
assert.ok(scheme)

test.before.each(async (context) => {
  const plane = await startControlPlane({ scheme })
  const paths: string[] = []
  const transport = {
    ...plane.transport,
    send(request: Parameters<typeof plane.transport.send>[0]) {
      if (request.path.includes('leases')) paths.push(request.path.replace(/\?.*/, ''))
      return plane.transport.send(request)
    },
  }
  const client = createClient(transport, { platform, manager: 'test' })
  Object.assign(context, { plane, client, paths })
})

test.after.each(({ plane }) => plane.stop())

const timing = { leaseMs: 2000, renewDeadlineMs: 1000, retryMs: 50 }

/** A manager whose controller writes its name into the maps that it works on. */
function stamping(client: Client, name: string, turns: Partial<ManagerOptions>) {
  const controller = defineController({
    name: 'stamp',
    for: configMaps,
    async reconcile({ metadata, data }, context) {
      if (data?.wanted === undefined || data.seen === data.wanted) return done
      const stamp = { seen: data.wanted, holder: name }
      await context.client.resource(configMaps).mergePatch(metadata, { data: stamp })
      return done
    },
  })
  const stop = new AbortController()
  const manager = createManager({ client, controllers: [controller], ...turns })
  const running = manager.run(stop.signal)
  return {
    manager,
    async stop() {
      stop.abort()
      await running
    },
  }
}

const names = Array.from({ length: 16 }, (_, at) => `m${at}`)

async function holders(client: Client, wanted: string): Promise<readonly string[]> {
  const maps = client.resource(configMaps)
  await Promise.all(names.map((name) => maps.apply({ metadata: { name }, data: { wanted } })))
  const stamped = await until(`all ${wanted}`, async () => {
    const { items } = await maps.listAll({ fieldSelector: 'metadata.namespace=default' })
    const own = items.filter(({ data }) => data?.seen === wanted)
    return own.length === names.length && own
  })
  return [...new Set(stamped.map(({ data }) => data?.holder ?? ''))].sort()
}

test('one manager leads, and another takes the lease that it gives back', async ({
  client,
  paths,
}) => {
  const election = (identity: string) => ({ leaderElection: { name: 'test', identity, ...timing } })
  const a = stamping(client, 'a', election('a'))
  await until('a leads', () => a.manager.isLeader)
  const b = stamping(client, 'b', election('b'))
  await b.manager.ready
  assert.equal(await holders(client, '1'), ['a'])
  await a.stop()
  assert.equal(await holders(client, '2'), ['b'])
  await b.stop()
  assert.ok(paths.length > 3)
  for (const path of paths) assert.match(path, '/apis/coordination.k8s.io/v1/')
})

test('two managers share the keys, and one has all when the other stops', async ({
  client,
  paths,
}) => {
  const sharding = (identity: string) => ({
    sharding: { name: 'test', identity, shards: 8, ...timing },
  })
  const [a, b] = ['a', 'b'].map((name) => stamping(client, name, sharding(name)))
  assert.ok(a && b)
  await until('shared', () => {
    const { members = {}, shards = [] } = a.manager.report().sharding ?? {}
    const isHeld = shards.every(({ holder }) => holder !== undefined)
    return isHeld && Object.values(members).filter((held) => held > 0).length === 2
  })
  assert.equal(await holders(client, '1'), ['a', 'b'])
  await b.stop()
  assert.equal(await holders(client, '2'), ['a'])
  await a.stop()
  for (const path of paths) assert.match(path, '/apis/coordination.k8s.io/v1/')
})

test.run()
