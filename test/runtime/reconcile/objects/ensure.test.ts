// What `ensure` writes, by server-side apply: its own fields, and no others.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { jobs } from '../../../../generated/apis/batch/v1/job.ts'
import { type ConfigMap, configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { persistentVolumeClaims } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { type Secret, secrets } from '../../../../generated/apis/core/v1/secret.ts'
import type { Client, Key, ScalableResource, Write } from '../../../../runtime/client/client.ts'
import { createCache } from '../../../../runtime/informer/informer.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import type { Kind } from '../../../../runtime/kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../../../../runtime/kernel/meta/object.ts'
import { type LogFields, silentLog } from '../../../../runtime/observe/observe.ts'
import { AppliedDrafts } from '../../../../runtime/reconcile/objects/applied-drafts.ts'
import { ensureOwned } from '../../../../runtime/reconcile/objects/ensure.ts'
import {
  type Context,
  createManager,
  done,
  type EnsureOptions,
  type Manager,
  ownedBy,
} from '../../../../runtime/reconcile/reconcile.ts'
import { type ControlPlane, startControlPlane } from '../../../../runtime/testing/testing.ts'
import { assertRejects } from '../../../support/rejects.ts'
import { until } from '../../../support/until.ts'

interface Running {
  plane: ControlPlane
  /** The client of the operator, which is not that of the test. */
  operator: Client
  writes: Write[]
  lines: { message: string; fields: LogFields }[]
  /** Runs a controller of one ConfigMap, `x`, until the test ends. */
  run: <K extends ApiObject>(
    owned: Kind<K>,
    reconcile: (x: Stored<ConfigMap>, context: Context<ConfigMap>) => Promise<unknown>,
  ) => Promise<Manager>
  /** Changes `x`, and waits until the controller has run over it and rests. */
  touch: (manager: Manager) => Promise<void>
  end: () => Promise<void>
}

const test = suite<Running>('runtime/reconcile: ensure')

test.before.each(async (context) => {
  const plane = await startControlPlane()
  const lines: Running['lines'] = []
  const writes: Write[] = []
  const stop = new AbortController()
  const running: Promise<void>[] = []
  const record = (message: string, fields: LogFields = {}) => lines.push({ message, fields })
  const log = { error: record, warn: record, info: record, debug: () => {} } as never
  const operator = plane.client.scoped({ onWrite: (write) => writes.push(write) })
  const maps = plane.client.resource(configMaps)
  Object.assign(context, { plane, lines, writes, operator })
  context.run = async (owned, reconcile) => {
    const controller = {
      ...{ name: 'parts', for: configMaps as Kind<ConfigMap>, owns: [owned] },
      reconcile: async (x: Stored<ConfigMap>, its: Context<ConfigMap>) => {
        if (x.metadata.name === 'x') await reconcile(x, its)
        return done
      },
    }
    const manager = createManager({
      ...{ client: operator, log, namespace: 'default', controllers: [controller] },
      queue: { backoff: { baseMs: 5, maxMs: 20 } },
    })
    running.push(manager.run(stop.signal))
    await manager.ready
    await maps.create({ metadata: { name: 'x' } })
    await rests(manager, 0)
    return manager
  }
  let touched = 0
  context.touch = async (manager) => {
    const before = manager.stats().parts?.runs.done ?? 0
    await maps.mergePatch('x', { data: { touched: String(++touched) } })
    await rests(manager, before)
  }
  context.end = async () => {
    stop.abort()
    await Promise.all(running)
    await plane.stop()
  }
})

test.after.each(({ end }) => end())

/** Waits until a run more than `before` is done and none is to come. */
async function rests(manager: Manager, before: number): Promise<void> {
  await until('rest', () => {
    const stats = manager.stats().parts
    return stats !== undefined && stats.runs.done > before && stats.active + stats.depth === 0
  })
}

const labels = { app: 'web' }
const podSpec = { containers: [{ name: 'web', image: 'nginx' }] }
const template = { metadata: { labels }, spec: podSpec }

const named = <T extends object>(rest: T) => ({ metadata: { name: 'child' }, ...rest })

const storage = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
} as const

const drafts: readonly (readonly [string, Kind<never>, object])[] = [
  ['Job', jobs, { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } }],
  ['Pod', pods, { spec: podSpec }],
  ['PersistentVolumeClaim', persistentVolumeClaims, { spec: storage }],
  ['Deployment', deployments, { spec: { selector: { matchLabels: labels }, template } }],
].map(([name, kind, rest]) => [name, kind, named(rest as object)] as never)

for (const [name, kind, draft] of drafts) {
  test(`a ${name} that is as its draft says is written once`, async (context) => {
    const { writes, run, touch } = context
    const owned = kind as unknown as Kind<ApiObject>
    const manager = await run(owned, (_, { ensure }) => ensure(owned, draft as never))
    for (let turn = 0; turn < 3; turn++) await touch(manager)
    assert.equal(manager.stats().parts?.runs.failed, 0)
    assert.equal(
      writes.map((write) => write.kind.kind),
      [name],
    )
  })
}

test('what others write stays: a scale, a restart, a finalizer', async ({ plane, run, touch }) => {
  const { client } = plane
  const spec = { selector: { matchLabels: labels }, template }
  const manager = await run(deployments, (_, { ensure }) => ensure(deployments, named({ spec })))
  const children = client.resource(deployments)
  const annotations = { 'example.com/restartedAt': '2026-01-01T00:00:00Z' }
  await children.mergePatch('child', {
    metadata: { finalizers: ['example.com/held'] },
    spec: { replicas: 5, template: { metadata: { annotations } } },
  })
  await touch(manager)
  const child = await children.get('child')
  assert.is(child.spec?.replicas, 5)
  assert.equal(child.spec?.template.metadata?.annotations, annotations)
  assert.equal(child.metadata.finalizers, ['example.com/held'])
})

test('what a draft names no longer goes', async ({ plane, run, touch }) => {
  const manager = await run(secrets, ({ data = {} }, { ensure }) => {
    const both = { a: 'MQ==', b: 'Mg==' }
    return ensure(secrets, named({ data: 'touched' in data ? { a: 'MQ==' } : both }))
  })
  const children = plane.client.resource(secrets)
  assert.equal((await children.get('child')).data, { a: 'MQ==', b: 'Mg==' })
  await touch(manager)
  assert.equal((await children.get('child')).data, { a: 'MQ==' })
})

test('the fields are those of the program and its controller', async ({ plane, operator, run }) => {
  await run(secrets, (_, { ensure }) => ensure(secrets, named({ data: { a: 'MQ==' } })))
  const { metadata } = await plane.client.resource(secrets).get('child')
  assert.equal(
    metadata.managedFields?.map(({ manager, operation }) => [manager, operation]),
    [[`${operator.manager}/parts`, 'Apply']],
  )
})

test('drift of a field that the draft names is put right, and said', async (context) => {
  const { plane, lines, run } = context
  const manager = await run(secrets, (_, { ensure }) =>
    ensure(secrets, named({ data: { a: 'MQ==' } })),
  )
  const children = plane.client.resource(secrets)
  await children.apply(named({ data: { a: 'Mg==' } }), { manager: 'somebody', force: true })
  await until('as it was', async () => (await children.get('child')).data?.a === 'MQ==')
  await rests(manager, 1)
  const { message, fields } = lines.at(-1)!
  assert.is(message, 'drift put right')
  assert.equal([fields.from, fields.fields], ['somebody', '.data.a'])
})

test('drift of what a server keeps under another name is put right, and said', async (context) => {
  const { plane, lines, writes, run, touch } = context
  const manager = await run(secrets, (_, { ensure }) =>
    ensure(secrets, named({ stringData: { a: '1' } })),
  )
  const children = plane.client.resource(secrets)
  await touch(manager)
  assert.is(writes.length, 1)
  await children.mergePatch('child', { data: { a: 'Mg==' } })
  await until('as it was', async () => (await children.get('child')).data?.a === 'MQ==')
  await until('it is said', () => lines.some(({ message }) => message === 'drift put right'))
  assert.is(lines.at(-1)?.fields.fields, '.data')
  await children.mergePatch('child', { data: { b: 'Mg==' } })
  await touch(manager)
  await touch(manager)
  assert.equal((await children.get('child')).data, { a: 'MQ==', b: 'Mg==' })
  assert.is(lines.filter(({ message }) => message === 'drift put right').length, 1)
})

test('two writers that dispute a field are named', async ({ plane, lines, run }) => {
  await run(secrets, (_, { ensure }) => ensure(secrets, named({ data: { a: 'MQ==' } })))
  const children = plane.client.resource(secrets)
  for (let turn = 0; turn < 3; turn++) {
    await children.apply(named({ data: { a: 'Mg==' } }), { manager: 'rival', force: true })
    await until('as it was', async () => (await children.get('child')).data?.a === 'MQ==')
  }
  const dispute = await until('a word', () =>
    lines.find(({ message }) => message.startsWith('two writers dispute fields')),
  )
  assert.equal([dispute.fields.from, dispute.fields.fields], ['rival', '.data.a'])
})

test('unforced, a field that somebody else has is a conflict that says who', async (context) => {
  const { plane, operator, run } = context
  const unforced: EnsureOptions = { force: false }
  let value = 'MQ=='
  const failures: string[] = []
  const manager = await run(secrets, async (_, { ensure }) => {
    await ensure(secrets, named({ data: { a: value } }), unforced).catch((error) => {
      failures.push(String(error))
    })
  })
  const children = plane.client.resource(secrets)
  await children.apply(named({ data: { a: 'Mg==' } }), { manager: 'somebody', force: true })
  await until('conflict', () => failures.length > 0)
  assert.match(failures[0]!, /conflict with "somebody": \.data\.a/)
  assert.is((await children.get('child')).data?.a, 'Mg==')
  value = 'Mg=='
  await context.touch(manager)
  const { metadata } = await children.get('child')
  const managers = metadata.managedFields?.map((one) => one.manager).sort()
  assert.equal(managers, [`${operator.manager}/parts`, 'somebody'])
})

test('fields that the program once wrote by update become the controller`s', async (context) => {
  const { plane, run, touch } = context
  let data: Record<string, string> = { a: 'MQ==', b: 'Mg==' }
  const children = plane.client.resource(secrets)
  const manager = await run(secrets, async (x, { ensure, client }) => {
    const owned = { metadata: { name: 'child', ownerReferences: [ownedBy(x)] }, data }
    if (x.data === undefined) {
      if ((await children.find('child')) !== undefined) return
      const made = await client.resource(secrets).create(owned)
      await children.update({ ...made, metadata: { ...made.metadata, finalizers: ['a.b/c'] } })
    } else await ensure(secrets, named({ data }))
  })
  data = { a: 'MQ==' }
  await touch(manager)
  const child = await children.get('child')
  assert.equal(child.data, { a: 'MQ==' })
  assert.equal(child.metadata.finalizers, ['a.b/c'])
})

test('what somebody else made in the same moment is left as it was', async ({ plane }) => {
  const { client } = plane
  const owner = await client.resource(configMaps).create({ metadata: { name: 'y' } })
  const children = client.resource(secrets)
  const racing = afterFinding(client, () => children.apply(named({ data: { a: 'MQ==' } })))
  const ownership = {
    ...{ client: racing, owner, manager: 'test/parts', cache: createCache<Secret>() },
    ...{ applied: new AppliedDrafts(), log: silentLog, clock: systemClock },
  }
  const draft = named({ data: { b: 'Mg==' } })
  const error = await assertRejects(ensureOwned(ownership, secrets, draft), 'Conflict')
  assert.match(error.message, /Secret "child" is not owned by it/)
  const { data, metadata } = await children.get('child')
  assert.equal(data, { a: 'MQ==' })
  assert.is(metadata.ownerReferences, undefined)
  assert.is(metadata.managedFields?.length, 1)
})

/** A client that does something between looking for an object and what follows. */
function afterFinding(client: Client, act: () => Promise<unknown>): Client {
  return {
    ...client,
    resource: <T extends ApiObject>(kind: Kind<T>) => {
      const resource = client.resource(kind)
      const find = async (key: string | Key) => {
        const found = await resource.find(key)
        await act()
        return found
      }
      return { find, apply: (...given) => resource.apply(...given) } as ScalableResource<T>
    },
  }
}

test.run()
