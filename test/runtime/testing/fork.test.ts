// A control plane that begins with what another one holds.
import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { scheme } from '../../../generated/scheme.ts'
import { startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import type { Client } from '../../../runtime/client/client.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { type ControlPlane, startControlPlane } from '../../../runtime/testing/testing.ts'
import { comeToRest } from '../../../runtime/testing/virtual-clock.ts'
import { hangSignal } from '../../support/deadline.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('runtime/testing: fork')

async function throws(work: Promise<unknown>, message: RegExp): Promise<void> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.instance(thrown, Error)
  assert.match((thrown as Error).message, message)
}

/** The text of everything that is stored of the kinds that are served, once the loops of the server rest. */
async function contents({ client, scheme }: ControlPlane): Promise<readonly string[]> {
  await comeToRest()
  const kinds = Object.values(scheme.routes).filter(({ verbs }) => verbs.includes('list'))
  const lists = await Promise.allSettled(kinds.map((kind) => client.resource(kind).listAll()))
  const found = lists.map((list) => (list.status === 'fulfilled' ? list.value.items : []))
  assert.ok(found.flat().length > 30, 'what every control plane has is there')
  return found.flat().map((object) => JSON.stringify(object))
}

async function put(client: Client, name: string, value: string): Promise<void> {
  await client.resource(configMaps).apply({ metadata: { name }, data: { value } }, { force: true })
}

test('a fork has every object as it is, under its resourceVersion', async () => {
  await using plane = await startControlPlane()
  await put(plane.client, 'a', '1')
  const before = await contents(plane)
  await using fork = await plane.fork()
  assert.equal(await contents(fork), before)
})

test('what a fork is about to write is there already: at rest it has written nothing', async () => {
  await using plane = await startControlPlane()
  await comeToRest()
  const from = await plane.snapshot()
  await using fork = await startControlPlane({ from })
  await comeToRest()
  assert.is((await fork.snapshot()).resourceVersion, from.resourceVersion)
})

test('a fork of a past revision has what there was then, and goes its own way', async () => {
  await using plane = await startControlPlane()
  await put(plane.client, 'a', '1')
  const { metadata } = await plane.client.resource(configMaps).get('a')
  await put(plane.client, 'a', '2')
  await put(plane.client, 'b', '1')
  await using fork = await plane.fork({ at: metadata.resourceVersion })
  const maps = fork.client.resource(configMaps)
  assert.equal((await maps.get('a')).data, { value: '1' })
  assert.is(await maps.find('b'), undefined)
  await put(fork.client, 'a', '3')
  assert.equal((await maps.get('a')).data, { value: '3' })
  assert.equal((await plane.client.resource(configMaps).get('a')).data, { value: '2' })
})

test('a revision that is not kept, not come or none is no beginning', async () => {
  await using plane = await startControlPlane()
  await throws(plane.fork({ at: '1' }), /^at 1: revision 1 is too old/)
  await throws(plane.fork({ at: '9007199254740991' }), /has not come yet$/)
  await throws(plane.fork({ at: 'soon' }), /^at soon: a resourceVersion is a number$/)
})

test('revisions of a fork go on where it began', async () => {
  await using plane = await startControlPlane()
  await put(plane.client, 'a', '1')
  const from = await plane.snapshot()
  await using fork = await startControlPlane({ from })
  const { resourceVersion } = await fork.client.resource(configMaps).listAll()
  assert.is(resourceVersion, from.resourceVersion)
  await put(fork.client, 'b', '1')
  const { metadata } = await fork.client.resource(configMaps).get('b')
  assert.ok(Number(metadata.resourceVersion) > Number(from.resourceVersion))
})

test('a snapshot stays as it was, whatever becomes of the control plane', async () => {
  const plane = await startControlPlane()
  await put(plane.client, 'a', '1')
  const before = await contents(plane)
  const from = await plane.snapshot()
  await put(plane.client, 'a', '2')
  await plane.client.resource(configMaps).in('default').deleteCollection({})
  await plane.stop()
  await using one = await startControlPlane({ from })
  await using other = await startControlPlane({ from })
  assert.equal(await contents(one), before)
  assert.equal(await contents(other), before)
})

/** A write to one of three sides: the one that was forked, its fork, and the fork of that. */
const write = fc.record({
  side: fc.nat({ max: 2 }),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  value: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
})

test('whatever is written to one side, the others do not see it', async () => {
  await using plane = await startControlPlane()
  const property = fc.asyncProperty(
    fc.array(write, { maxLength: 8 }),
    fc.array(write, { minLength: 1, maxLength: 20 }),
    async (before, after) => {
      const expected = new Map<string, string>()
      await using base = await plane.fork()
      for (const { name, value } of before) await change(base, expected, name, value)
      await using fork = await base.fork()
      await using second = await fork.fork()
      const sides = [base, fork, second].map((side) => ({ side, expected: new Map(expected) }))
      const writes = after.map(({ side, ...rest }) => ({ ...rest, to: sides[side]! }))
      for (const { to, name, value } of writes) await change(to.side, to.expected, name, value)
      for (const { side, expected } of sides) assert.equal(await values(side), [...expected].sort())
    },
  )
  await fc.assert(property, { numRuns: 15 })
})

async function change(
  { client }: ControlPlane,
  expected: Map<string, string>,
  name: string,
  value: string | undefined,
): Promise<void> {
  if (value !== undefined) await put(client, name, value)
  else if (expected.has(name)) await client.resource(configMaps).delete(name)
  if (value === undefined) expected.delete(name)
  else expected.set(name, value)
}

async function values({ client }: ControlPlane): Promise<unknown> {
  const { items } = await client.resource(configMaps).listAll()
  return items.map(({ metadata, data }) => [metadata.name, data?.value] as const)
}

test('a watch from the revision of the fork sees what comes after it, and nothing else', async () => {
  await using plane = await startControlPlane()
  const { metadata } = await plane.client.resource(configMaps).create({ metadata: { name: 'a' } })
  await using fork = await plane.fork()
  await plane.client.resource(configMaps).create({ metadata: { name: 'of-plane' } })
  await fork.client.resource(configMaps).create({ metadata: { name: 'of-fork' } })
  const { resourceVersion = '' } = metadata
  const watch = fork.client.resource(configMaps).watch({ resourceVersion }, hangSignal())
  for await (const { object } of watch) {
    assert.is(object.metadata.name, 'of-fork')
    break
  }
})

test('a fork may differ: it listens where the other does not', async () => {
  await using plane = await startControlPlane()
  await put(plane.client, 'a', '1')
  await using fork = await plane.fork({ socket: true })
  const response = await fetch(`${fork.url}/api/v1/namespaces/default/configmaps/a`)
  assert.is(response.status, 200)
})

test('only what a control plane gave is a snapshot', async () => {
  await throws(startControlPlane({ from: { resourceVersion: '1' } }), /is no snapshot/)
})

test('a server whose objects are in a file is not forked, and does not begin with a snapshot', async () => {
  const storage = { kind: 'sqlite', file: `${tempDirectory()}/file.db` } as const
  const options = { scheme, clock: systemClock, log: silentLog }
  const server = await startApiServer({ ...options, storage })
  await throws(server.snapshot(), /in memory/)
  await server.stop()
  const memory = await startApiServer({ ...options, storage: { kind: 'memory' } })
  const from = await memory.snapshot()
  await memory.stop()
  await throws(startApiServer({ ...options, storage, from }), /only a server in memory/)
})

test.run()
