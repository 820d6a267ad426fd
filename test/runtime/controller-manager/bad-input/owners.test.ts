// Owners that do not exist, owners of each other, finalizers that nobody removes: what is told, and how often the server is asked.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { namespaces } from '../../../../generated/apis/core/v1/namespace.ts'
import { type CountedPlane, startCountedPlane } from '../../../support/api-calls.ts'

const owners = suite<CountedPlane>('runtime/controller-manager: bad owners (T-08, T-09)')

owners.before(async (context) => {
  Object.assign(context, await startCountedPlane())
})
owners.after((context) => context[Symbol.asyncDispose]())

const unknownUid = '00000000-0000-0000-0000-000000000001'

owners(
  'what owners that do not exist leave is collected, or told, without a loop',
  async (world) => {
    const { client } = world.plane
    const idle = await world.callsPerMinute(5)
    const own = client.resource(configMaps).in('default')
    const map = { apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: unknownUid }
    await own.create({ metadata: { name: 'orphan', ownerReferences: [map] } })
    const unheard = { ...map, apiVersion: 'no.example/v1', kind: 'Unheard' }
    await own.create({ metadata: { name: 'unheard', ownerReferences: [unheard] } })
    const { metadata } = await own.create({ metadata: { name: 'elsewhere' } })
    const elsewhere = { ...map, name: 'elsewhere', uid: metadata.uid }
    await client
      .resource(configMaps)
      .in('orch-public')
      .create({ metadata: { name: 'far', ownerReferences: [elsewhere] } })
    const busy = await world.callsPerMinute(10)
    assert.ok(busy.perMinute < idle.perMinute + 5, busy.most)
    assert.is(await own.find('orphan'), undefined)
    assert.ok(await own.find('unheard'), 'what cannot be asked for is not gone')
    const told = (await client.resource(events).listAll()).items
    const [found] = told.filter(({ reason }) => reason === 'OwnerRefInvalidNamespace')
    assert.is(found?.involvedObject.name, 'far')
  },
)

owners('objects that own each other go together, whichever is deleted', async (world) => {
  const { client } = world.plane
  const idle = await world.callsPerMinute(5)
  const own = client.resource(configMaps).in('default')
  const reference = (uid: string, name: string) => ({
    metadata: {
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true },
      ],
    },
  })
  for (const propagationPolicy of ['Foreground', 'Background'] as const) {
    const first = await own.create({ metadata: { name: 'first' } })
    const second = await own.create({ metadata: { name: 'second' } })
    await own.mergePatch('first', reference(second.metadata.uid, 'second'))
    await own.mergePatch('second', reference(first.metadata.uid, 'first'))
    const kept = await world.callsPerMinute(10)
    assert.ok(kept.perMinute < idle.perMinute + 5, kept.most)
    assert.ok(await own.find('first'), 'a circle stays while nobody deletes')
    await own.delete('first', { propagationPolicy })
    const gone = await world.callsPerMinute(10)
    assert.ok(gone.perMinute < idle.perMinute + 5, gone.most)
    assert.is(await own.find('first'), undefined)
    assert.is(await own.find('second'), undefined)
  }
})

owners(
  'a dependent that nobody lets go holds its owner, and is not asked for again and again',
  async (world) => {
    const { client } = world.plane
    const idle = await world.callsPerMinute(5)
    const own = client.resource(configMaps).in('default')
    const { metadata } = await own.create({ metadata: { name: 'owner' } })
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid }
    const ownerReferences = [{ ...reference, blockOwnerDeletion: true }]
    const finalizers = ['example.com/never']
    await own.create({ metadata: { name: 'held', finalizers, ownerReferences } })
    await own.delete('owner', { propagationPolicy: 'Foreground' })
    const busy = await world.callsPerMinute(10)
    assert.ok(busy.perMinute < idle.perMinute + 5, busy.most)
    assert.equal((await own.get('owner')).metadata.finalizers, ['foregroundDeletion'])
    await own.mergePatch('held', { metadata: { finalizers: null } })
    await world.callsPerMinute(1)
    assert.is(await own.find('owner'), undefined)
  },
)

owners(
  'a namespace whose content nobody lets go says so, and only that content is asked for',
  async (world) => {
    const { client } = world.plane
    const all = client.resource(namespaces)
    const idle = await world.callsPerMinute(5)
    await all.create({ metadata: { name: 'stuck' } })
    const own = client.resource(configMaps).in('stuck')
    await own.create({ metadata: { name: 'held', finalizers: ['example.com/never'] } })
    await all.delete('stuck')
    await world.callsPerMinute(10)
    const busy = await world.callsPerMinute(10)
    assert.ok(busy.perMinute < idle.perMinute + 60, busy.most)
    const { status } = await all.get('stuck')
    const remaining = status?.conditions?.find(
      ({ type }) => type === 'NamespaceFinalizersRemaining',
    )
    assert.is(
      remaining?.message,
      'Some content in the namespace has finalizers remaining: example.com/never in 1 resource instances',
    )
    await own.mergePatch('held', { metadata: { finalizers: null } })
    await world.callsPerMinute(1)
    assert.is(await all.find('stuck'), undefined)
  },
)

owners.run()
