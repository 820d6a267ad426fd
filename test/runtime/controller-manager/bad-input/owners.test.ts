// Owners that do not exist, owners of each other, finalizers that nobody removes: what is told, and how often the server is asked.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { namespaces } from '../../../../generated/apis/core/v1/namespace.ts'
import { type Calls, type CountedPlane, startCountedPlane } from '../../../support/api-calls.ts'

/** A control plane with everything below in it, and how often it was asked at three times. */
interface World extends CountedPlane {
  readonly idle: Calls
  /** Once all is there. */
  readonly kept: Calls
  /** Once one of each circle was deleted. */
  readonly gone: Calls
}

const owners = suite<World>('runtime/controller-manager: bad owners (T-08, T-09)')

owners.before(async (context) => {
  const world = await startCountedPlane()
  Object.assign(context, world, { idle: await world.callsPerMinute(5) })
  await startLost(world)
  for (const policy of policies) await startCircle(world, policy.toLowerCase())
  await startHeld(world)
  await startStuck(world)
  Object.assign(context, { kept: await world.callsPerMinute(10) })
  for (const propagationPolicy of policies) {
    const own = mapsIn(world, propagationPolicy.toLowerCase())
    assert.ok(await own.find('first'), 'a circle stays while nobody deletes')
    await own.delete('first', { propagationPolicy })
  }
  Object.assign(context, { gone: await world.callsPerMinute(10) })
})
owners.after((context) => context[Symbol.asyncDispose]())

const policies = ['Foreground', 'Background'] as const
const unknownUid = '00000000-0000-0000-0000-000000000001'

const mapsIn = ({ plane }: CountedPlane, namespace: string) =>
  plane.client.resource(configMaps).in(namespace)

/** A namespace of its own. */
async function namespaceOf(world: CountedPlane, name: string): Promise<string> {
  await world.plane.client.resource(namespaces).create({ metadata: { name } })
  return name
}

/** What is owned by nobody, by a kind nobody knows, and by an object of another namespace. */
async function startLost(world: CountedPlane): Promise<void> {
  const own = mapsIn(world, await namespaceOf(world, 'lost'))
  const map = { apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: unknownUid }
  await own.create({ metadata: { name: 'orphan', ownerReferences: [map] } })
  const unheard = { ...map, apiVersion: 'no.example/v1', kind: 'Unheard' }
  await own.create({ metadata: { name: 'unheard', ownerReferences: [unheard] } })
  const { metadata } = await own.create({ metadata: { name: 'elsewhere' } })
  const elsewhere = { ...map, name: 'elsewhere', uid: metadata.uid }
  const other = mapsIn(world, await namespaceOf(world, 'other'))
  await other.create({ metadata: { name: 'far', ownerReferences: [elsewhere] } })
}

owners(
  'what owners that do not exist leave is collected, or told, without a loop',
  async (world) => {
    const asked = ['lost', 'other'].map((name) => world.kept.perMinuteOf(`/namespaces/${name}/`))
    assert.ok(Math.max(...asked) < 5, world.kept.most)
    const own = mapsIn(world, 'lost')
    assert.is(await own.find('orphan'), undefined)
    assert.ok(await own.find('unheard'), 'what cannot be asked for is not gone')
    const told = (await world.plane.client.resource(events).listAll()).items
    const [found] = told.filter(({ reason }) => reason === 'OwnerRefInvalidNamespace')
    assert.is(found?.involvedObject.name, 'far')
  },
)

/** Two that own each other. */
async function startCircle(world: CountedPlane, namespace: string): Promise<void> {
  const own = mapsIn(world, await namespaceOf(world, namespace))
  const reference = (uid: string, name: string) => ({
    metadata: {
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true },
      ],
    },
  })
  const first = await own.create({ metadata: { name: 'first' } })
  const second = await own.create({ metadata: { name: 'second' } })
  await own.mergePatch('first', reference(second.metadata.uid, 'second'))
  await own.mergePatch('second', reference(first.metadata.uid, 'first'))
}

owners('objects that own each other go together, whichever is deleted', async (world) => {
  for (const policy of policies) {
    const namespace = policy.toLowerCase()
    for (const calls of [world.kept, world.gone])
      assert.ok(calls.perMinuteOf(`/namespaces/${namespace}/`) < 5, calls.most)
    const own = mapsIn(world, namespace)
    assert.is(await own.find('first'), undefined)
    assert.is(await own.find('second'), undefined)
  }
})

/** An owner that goes in the foreground, and its dependent with a finalizer of nobody. */
async function startHeld(world: CountedPlane): Promise<void> {
  const own = mapsIn(world, await namespaceOf(world, 'held'))
  const { metadata } = await own.create({ metadata: { name: 'owner' } })
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid }
  const ownerReferences = [{ ...reference, blockOwnerDeletion: true }]
  const finalizers = ['example.com/never']
  await own.create({ metadata: { name: 'held', finalizers, ownerReferences } })
  await own.delete('owner', { propagationPolicy: 'Foreground' })
}

owners(
  'a dependent that nobody lets go holds its owner, and is not asked for again and again',
  async (world) => {
    assert.ok(world.kept.perMinuteOf('/namespaces/held/') < 5, world.kept.most)
    const own = mapsIn(world, 'held')
    assert.equal((await own.get('owner')).metadata.finalizers, ['foregroundDeletion'])
    await own.mergePatch('held', { metadata: { finalizers: null } })
    await world.callsPerMinute(1)
    assert.is(await own.find('owner'), undefined)
  },
)

/** A namespace that was deleted with a finalizer of nobody in it. */
async function startStuck(world: CountedPlane): Promise<void> {
  const own = mapsIn(world, await namespaceOf(world, 'stuck'))
  await own.create({ metadata: { name: 'held', finalizers: ['example.com/never'] } })
  await world.plane.client.resource(namespaces).delete('stuck')
}

owners(
  'a namespace whose content nobody lets go says so, and only that content is asked for',
  async (world) => {
    const all = world.plane.client.resource(namespaces)
    assert.ok(world.gone.perMinuteOf('/namespaces/stuck') < 60, world.gone.most)
    const { status } = await all.get('stuck')
    const remaining = status?.conditions?.find(
      ({ type }) => type === 'NamespaceFinalizersRemaining',
    )
    assert.is(
      remaining?.message,
      'Some content in the namespace has finalizers remaining: example.com/never in 1 resource instances',
    )
    await mapsIn(world, 'stuck').mergePatch('held', { metadata: { finalizers: null } })
    await world.callsPerMinute(1)
    assert.is(await all.find('stuck'), undefined)
  },
)

owners('all of them together keep no controller busy', ({ idle, kept, gone }) => {
  for (const calls of [kept, gone])
    assert.ok(calls.perMinute < idle.perMinute + 5 * 5 + 60, calls.most)
})

owners.run()
