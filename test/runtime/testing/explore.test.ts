// Many orders of the same events, and the seed that repeats one of them.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { secrets } from '../../../generated/apis/core/v1/secret.ts'
import {
  again,
  createManager,
  defineController,
  done,
} from '../../../runtime/reconcile/reconcile.ts'
import {
  type ControlPlane,
  explore,
  startControlPlane,
  type World,
} from '../../../runtime/testing/testing.ts'

const test = suite<{ plane: ControlPlane }>('runtime/testing: explore')

test.before(async (context) => {
  context.plane = await startControlPlane()
})

test.after(({ plane }) => plane.stop())

/** Two clients that add one to a number, each reading it before: right only if nobody else writes in between. */
async function countTwice(world: World): Promise<void> {
  const create = { metadata: { name: 'count' }, data: { n: '0' } }
  await world.plane.client.resource(configMaps).create(create)
  const add = async (name: string): Promise<void> => {
    const maps = world.client(name).resource(configMaps)
    const { data } = await maps.get('count')
    await maps.mergePatch('count', { data: { n: String(Number(data?.n) + 1) } })
  }
  const both = Promise.all([add('one'), add('other')])
  await world.settle()
  await both
  const { data } = await world.plane.client.resource(configMaps).get('count')
  assert.is(data?.n, '2')
}

async function failure(work: Promise<void>): Promise<Error> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.instance(error, Error)
  return error as Error
}

test('a race is found, and its seed replays it', async ({ plane }) => {
  const { message } = await failure(explore(countTwice, { plane, seeds: 50 }))
  const [, seed = ''] = /seed (\d+) fails/.exec(message) ?? []
  assert.match(message, `ORCH_SEED=${seed} replays it`)
  assert.match(message, /one get configmaps count: answer 200/)
  const environment = { ORCH_SEED: seed }
  const again = await failure(explore(countTwice, { plane, environment }))
  assert.is(again.message, message)
})

/** The order in which a controller with one worker sees five objects: when it begins, and a second later again. */
async function orderOfKeys(world: World, orders: string[]): Promise<void> {
  const maps = world.plane.client.resource(configMaps)
  for (const name of ['a', 'b', 'c', 'd', 'e']) await maps.create({ metadata: { name } })
  const seen: string[] = []
  const controller = defineController({
    ...{ name: 'looks', for: configMaps, concurrency: 1 },
    async reconcile({ metadata }) {
      if (metadata.namespace !== 'default') return done
      seen.push(metadata.name)
      return seen.length <= 5 ? again(1000) : done
    },
  })
  const client = world.client()
  const manager = createManager({ client, clock: world.clock, controllers: [controller] })
  const stop = new AbortController()
  const run = manager.run(stop.signal)
  await world.until(() => seen.length === 10)
  stop.abort()
  await world.settle()
  await run
  orders.push(seen.join(''))
}

test('keys that are due at once come in an order that the seed decides', async ({ plane }) => {
  const [orders, repeated]: [string[], string[]] = [[], []]
  await explore((world) => orderOfKeys(world, orders), { plane, seeds: 8 })
  for (const half of [0, 5]) {
    const halves = orders.map((order) => order.slice(half, half + 5))
    assert.ok(new Set(halves).size > 4, halves.join(' '))
    for (const one of halves) assert.is([...one].sort().join(''), 'abcde')
  }
  await explore((world) => orderOfKeys(world, repeated), { plane, seeds: 8 })
  assert.equal(repeated, orders)
})

test('a seed that is no number is refused', async ({ plane }) => {
  const environment = { ORCH_SEED: 'x' }
  const { message } = await failure(explore(countTwice, { plane, environment }))
  assert.is(message, 'ORCH_SEED: "x" is not a whole number')
})

/** Copies each map into a secret of its name. */
const copier = defineController<ConfigMap>({
  name: 'copier',
  for: configMaps,
  owns: [secrets],
  async reconcile({ metadata, data = {} }, { ensure }) {
    await ensure(secrets, { metadata: { name: metadata.name }, stringData: data })
    return done
  },
})

test('a controller comes to the same end in every order, timers and leases of time included', async ({
  plane,
}) => {
  const ends = new Set<string>()
  await explore(
    async (world) => {
      const stop = new AbortController()
      const client = world.client('manager')
      const { clock, random } = world
      const manager = createManager({ client, clock, random, controllers: [copier] })
      const run = manager.run(stop.signal)
      const maps = world.client('user').resource(configMaps)
      const writes = ['a', 'b'].map(async (name) => {
        await maps.create({ metadata: { name }, data: { n: '1' } })
        await maps.mergePatch(name, { data: { n: '2' } })
      })
      await world.until(async () => {
        const { items } = await world.plane.client.resource(secrets).listAll()
        const values = items.map(({ data }) => data?.n).join()
        return values === 'Mg==,Mg=='
      })
      await Promise.all(writes)
      await manager.ready
      ends.add(JSON.stringify(manager.stats().copier?.runs))
      stop.abort()
      await world.advance(60_000)
      await run
    },
    { plane, seeds: 15 },
  )
  assert.ok(ends.size > 0)
})

test.run()
