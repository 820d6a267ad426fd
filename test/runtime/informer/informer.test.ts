import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { createClient, type Resource } from '../../../runtime/client/client.ts'
import { createInformer, type Informer } from '../../../runtime/informer/informer.ts'
import { type ControlPlane, startControlPlane } from '../../../runtime/testing/testing.ts'
import { type Chaos, createChaos } from '../../support/chaos.ts'
import { hangSignal } from '../../support/deadline.ts'
import { until } from '../../support/until.ts'

interface Running {
  plane: ControlPlane
  chaos: Chaos
  maps: Resource<ConfigMap>
  informer: Informer<ConfigMap>
  heard: string[]
  start: () => Promise<void>
  end: () => Promise<void>
}

const test = suite<Running>('runtime/informer')

test.before.each(async (context) => {
  context.plane = await startControlPlane()
  context.maps = context.plane.client.resource(configMaps)
  context.chaos = createChaos(context.plane.transport)
  context.informer = createInformer(createClient(context.chaos).resource(configMaps), {
    indexers: { colour: ({ data }) => (data?.colour === undefined ? [] : [data.colour]) },
    random: () => 0,
  })
  context.heard = []
  const { informer, heard } = context
  informer.on({
    added: ({ metadata }, initial) => heard.push(`${initial ? 'found' : 'added'} ${metadata.name}`),
    updated: ({ metadata, data }, before) =>
      heard.push(`updated ${metadata.name} ${before.data?.colour} ${data?.colour}`),
    deleted: ({ metadata }) => heard.push(`deleted ${metadata.name}`),
  })
  const stop = new AbortController()
  let run = Promise.resolve()
  context.start = () => {
    run = informer.run(stop.signal)
    return informer.synced
  }
  context.end = async () => {
    stop.abort()
    await run
    await context.plane.stop()
  }
})

test.after.each(({ end }) => end())

function map(name: string, colour: string) {
  return { metadata: { name }, data: { colour } }
}

test('what is there is found, what comes is added', async ({ maps, informer, heard, start }) => {
  await maps.create(map('x', 'red'))
  await start()
  await maps.create(map('y', 'red'))
  await until('y', () => heard.length === 2)
  assert.equal(heard, ['found x', 'added y'])
  assert.is(informer.state, 'watching')
  assert.is(informer.cache.index('colour', 'red').length, 2)
})

test('changes and deletions are told with what was before', async ({ maps, heard, start }) => {
  await start()
  const x = await maps.create(map('x', 'red'))
  await maps.update({ ...x, data: { colour: 'blue' } })
  await maps.delete('x')
  await until('all', () => heard.length === 3)
  assert.equal(heard, ['added x', 'updated x red blue', 'deleted x'])
})

// A4.43: a client whose watch is disconnected restarts from the last version.
test('a lost connection loses no event', async ({ maps, heard, chaos, start }) => {
  await start()
  await maps.create(map('x', 'red'))
  await until('x', () => heard.length === 1)
  chaos.down()
  await maps.create(map('y', 'red'))
  await maps.delete('x')
  chaos.heal()
  await until('the rest', () => heard.length === 3)
  assert.equal(heard, ['added x', 'added y', 'deleted x'])
  assert.is(chaos.lists, 1)
})

// A7.7: on 410 the client lists again and watches from there.
test('forgotten history is made up for by a list', async ({ maps, heard, chaos, start }) => {
  await start()
  await maps.create(map('x', 'red'))
  await maps.create(map('z', 'red'))
  await until('both', () => heard.length === 2)
  chaos.forget()
  chaos.down()
  await maps.delete('x')
  await maps.create(map('x', 'blue'))
  await maps.delete('z')
  chaos.heal()
  await until('the rest', () => heard.length === 5)
  assert.equal(heard.slice(2).sort(), ['added x', 'deleted x', 'deleted z'])
  assert.is(chaos.lists, 2)
})

test('a server that comes late is waited for', async ({ maps, informer, chaos, start }) => {
  chaos.down()
  await maps.create(map('x', 'red'))
  const synced = start()
  assert.is(informer.cache.size, 0)
  chaos.heal()
  await synced
  assert.is(informer.cache.size, 1)
})

test('a reader sees its own writes', async ({ informer, plane, start }) => {
  await start()
  const writes: Promise<void>[] = []
  const client = plane.client.scoped({
    onWrite: (write) => writes.push(informer.cache.waitForWrite(write, hangSignal())),
  })
  await client.resource(configMaps).create(map('x', 'red'))
  await Promise.all(writes)
  assert.is(informer.cache.get({ namespace: 'default', name: 'x' })?.data?.colour, 'red')
  await client.resource(configMaps).delete('x')
  await Promise.all(writes)
  assert.is(informer.cache.size, 0)
})

test('a late handler hears of what is there, and none after it left', async (context) => {
  const { maps, informer, heard, start } = context
  await maps.create(map('x', 'red'))
  await start()
  const late: string[] = []
  const leave = informer.on({ added: ({ metadata }) => late.push(metadata.name) })
  leave()
  await maps.create(map('y', 'red'))
  await until('y', () => heard.includes('added y'))
  assert.equal(late, ['x'])
})

test('a handler that throws does no harm to the others', async ({
  maps,
  informer,
  heard,
  start,
}) => {
  informer.on({
    added() {
      throw new Error('oops')
    },
  })
  await start()
  await maps.create(map('x', 'red'))
  await maps.create(map('y', 'red'))
  await until('both', () => heard.length === 2)
})

test.run()
