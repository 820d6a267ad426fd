// Faults between a client and a real server, and the informer that gets through all of them.
import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { createClient, type Transport } from '../../../runtime/client/client.ts'
import { createInformer } from '../../../runtime/informer/informer.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import {
  type ControlPlane,
  type FaultRule,
  injectFaults,
  startControlPlane,
  virtualClock,
} from '../../../runtime/testing/testing.ts'
import { assertRejects } from '../../support/rejects.ts'

const test = suite('runtime/testing: faults')

test('a status befalls as many requests as it says, and none of them is done', async () => {
  await using plane = await startControlPlane()
  const rules = [{ verb: 'create', fault: { is: 'status', code: 500 }, times: 2 }] as const
  const client = createClient(injectFaults(plane.transport, { rules })).resource(configMaps)
  for (const name of ['a', 'b']) {
    await assertRejects(client.create({ metadata: { name } }), 'InternalError')
  }
  await client.create({ metadata: { name: 'c' } })
  const { items } = await plane.client.resource(configMaps).listAll()
  assert.equal(
    items.map(({ metadata }) => metadata.name),
    ['c'],
  )
})

test('a lost answer is that of a request that was done', async () => {
  await using plane = await startControlPlane()
  const rules = [{ verb: 'create', fault: { is: 'lost' } }] as const
  const faulty = injectFaults(plane.transport, { rules })
  const create = createClient(faulty)
    .resource(configMaps)
    .create({ metadata: { name: 'a' } })
  assert.match(String(await create.catch((error: unknown) => error)), 'connection reset')
  assert.ok(await plane.client.resource(configMaps).find('a'))
  assert.equal(
    faulty.injected.map(({ verb, resource, fault }) => [verb, resource, fault.is]),
    [['create', 'configmaps', 'lost']],
  )
})

test('rules fit by verb, kind and name, and may let some through first', async () => {
  await using plane = await startControlPlane()
  const fault = { is: 'status', code: 409 } as const
  const rules = [{ verb: 'update', resource: 'configmaps', name: 'a', skip: 1, fault }] as const
  const client = createClient(injectFaults(plane.transport, { rules })).resource(configMaps)
  const a = await client.create({ metadata: { name: 'a' } })
  const b = await client.create({ metadata: { name: 'b' } })
  const again = await client.update({ ...a, data: { x: '1' } })
  await assertRejects(client.update({ ...again, data: { x: '2' } }), 'Conflict')
  await client.update({ ...b, data: { x: '2' } })
})

test('a slow server answers when the clock says so', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock })
  const rules = [{ fault: { is: 'slow', ms: 60_000 } }] as const
  const client = createClient(injectFaults(plane.transport, { rules, clock }), { clock })
  let answered = false
  const list = client.resource(configMaps).listAll()
  void list.then(() => {
    answered = true
  })
  await clock.advanceAsync(59_000)
  assert.not.ok(answered)
  await clock.advanceAsync(1000)
  await list
})

/** What happens next: to the objects, to the connection, or to the time. */
type Step =
  | { readonly do: 'put' | 'remove' | 'replace'; readonly name: string }
  | { readonly do: 'rule'; readonly rule: FaultRule }
  | { readonly do: 'break' }
  | { readonly do: 'heal' }
  | { readonly do: 'wait'; readonly ms: number }

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const afterEvents = fc.nat({ max: 3 })
const rule: fc.Arbitrary<FaultRule> = fc.oneof(
  fc.record({
    fault: fc.record({
      is: fc.constant('status' as const),
      code: fc.constantFrom(410 as const, 429 as const, 500 as const, 503 as const),
      retryAfterSeconds: fc.constantFrom(1, 30),
    }),
    times: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({
    fault: fc.record({ is: fc.constantFrom('broken' as const, 'ended' as const), afterEvents }),
    times: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({
    fault: fc.record({ is: fc.constant('half-open' as const), afterEvents }),
    times: fc.constant(1),
  }),
  fc.record({
    fault: fc.record({
      is: fc.constant('frozen' as const),
      afterEvents,
      ms: fc.constantFrom(1000, 120_000),
    }),
    times: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({
    fault: fc.record({ is: fc.constantFrom('refused' as const, 'lost' as const) }),
    times: fc.integer({ min: 1, max: 5 }),
  }),
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('put' as const, 'remove' as const, 'replace' as const),
      name,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rule' as const), rule }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'break' }, { do: 'heal' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(10, 1000, 40_000, 120_000),
    }),
  },
)

/** What the handlers of an informer heard, held to what handlers may hear. */
class Heard {
  readonly now = new Map<string, Stored<ConfigMap>>()
  readonly versions: string[] = []

  readonly handler = {
    added: (object: Stored<ConfigMap>) => {
      assert.not.ok(this.now.has(object.metadata.name), 'what is added was not there')
      this.#set(object)
    },
    updated: (object: Stored<ConfigMap>, before: Stored<ConfigMap>) => {
      assert.is(this.now.get(object.metadata.name), before, 'what is updated was as it was heard')
      assert.is(object.metadata.uid, before.metadata.uid)
      assert.ok(version(object) > version(before), 'no change comes twice, and none goes back')
      this.#set(object)
    },
    deleted: ({ metadata }: Stored<ConfigMap>) => {
      assert.ok(this.now.delete(metadata.name), 'what is deleted was there')
    },
  }

  #set(object: Stored<ConfigMap>): void {
    this.now.set(object.metadata.name, object)
    this.versions.push(object.metadata.resourceVersion)
  }
}

function version({ metadata }: Stored<ConfigMap>): number {
  return Number(metadata.resourceVersion)
}

/** Makes a change at the server; gives the version that it made, unless something was deleted. */
async function change(
  { client }: ControlPlane,
  { do: what, name }: Extract<Step, { readonly name: string }>,
  value: string,
): Promise<string | undefined> {
  const maps = client.resource(configMaps)
  const known = await maps.find(name)
  const draft = { metadata: { name }, data: { value } }
  if (what !== 'put' && known !== undefined) await maps.delete(name)
  if (what === 'remove') return undefined
  if (what === 'put' && known !== undefined) {
    return (await maps.mergePatch(name, { data: { value } })).metadata.resourceVersion
  }
  return (await maps.create(draft)).metadata.resourceVersion
}

test('whatever goes wrong, the informer has what the server has, and tells no change twice', async () => {
  await using origin = await startControlPlane({ clock: virtualClock() })
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }),
    async (steps) => {
      const clock = virtualClock()
      await using plane = await origin.fork({ clock })
      let lists = 0
      const counting: Transport = {
        ...plane.transport,
        send(request) {
          if (request.method === 'GET' && !request.path.includes('watch=true')) lists += 1
          return plane.transport.send(request)
        },
      }
      const transport = injectFaults(counting, { rules: [], clock })
      const client = createClient(transport, { clock })
      const informer = createInformer(client.resource(configMaps), { clock, random: () => 0.5 })
      const heard = new Heard()
      informer.on(heard.handler)
      const stop = new AbortController()
      const run = informer.run(stop.signal)
      await clock.advanceAsync(0)
      await informer.synced
      const written: string[] = []
      for (const [index, one] of steps.entries()) {
        if (one.do === 'rule') transport.setRules([one.rule])
        else if (one.do === 'break') transport.breakWatches()
        else if (one.do === 'wait') await clock.advanceAsync(one.ms)
        else if (one.do === 'heal') transport.setRules([])
        else {
          const made = await change(plane, one, `${index}`)
          if (made !== undefined) written.push(made)
        }
      }
      transport.setRules([])
      await clock.advanceAsync(15 * 60_000)
      const { items } = await plane.client.resource(configMaps).listAll()
      const byName = (all: readonly Stored<ConfigMap>[]) =>
        [...all].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      assert.equal(byName(informer.cache.list()), items)
      assert.equal(byName([...heard.now.values()]), items)
      // A list, after a 410, tells of an object that changed twice meanwhile once.
      if (lists === 1) assert.equal(heard.versions, written)
      stop.abort()
      await run
    },
  )
  await fc.assert(property, { numRuns: 40 })
})

test.run()
