/** One resource in two versions: one collection, written and read in either. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AnyKind } from '../../../../runtime/kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../../../runtime/kernel/meta/object.ts'
import type { Item } from '../../../../runtime/registry/registry.ts'
import {
  body,
  collect,
  kindAt,
  type OpenRegistry,
  openRegistry,
  quiet,
} from '../../../support/registry.ts'

const test = suite<{ opened: OpenRegistry }>('runtime/registry/storage/versioned-store')

const group = 'apis/flowcontrol.apiserver.orch.io'
const stable = kindAt(`${group}/v1/prioritylevelconfigurations`)
const stored = kindAt(`${group}/v1beta3/prioritylevelconfigurations`)
const mark = 'flowcontrol.orch.io/v1beta3-preserve-zero-concurrency-shares'

interface Level {
  readonly apiVersion: string
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>
    readonly resourceVersion: string
    readonly generation: number
    readonly managedFields?: readonly { readonly manager: string }[]
  }
  readonly spec: { readonly limited: { readonly nominalConcurrencyShares?: number } }
}

const level = (name: string, limited: object) => ({
  metadata: { name },
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...limited } },
})

const read = ({ bytes }: Item): Level => JSON.parse(Buffer.from(bytes).toString()) as Level
const shares = (item: Item) => read(item).spec.limited.nominalConcurrencyShares

test.before(async (context) => {
  context.opened = await openRegistry()
})
test.after(({ opened }) => opened.close())

async function both({ registry }: OpenRegistry, name: string): Promise<readonly [Level, Level]> {
  const get = async (kind: AnyKind) => read(await registry.get({ kind, name }, {}))
  return [await get(stable), await get(stored)]
}

// K-07; A9: explicit zero stays zero, absent is 30
test('an object of one version is an object of the other', async ({ opened }) => {
  const { registry } = opened
  await registry.create({ kind: stable }, body(level('plain', {})), quiet)
  const [newer, older] = await both(opened, 'plain')
  assert.is(newer.apiVersion, 'flowcontrol.apiserver.orch.io/v1')
  assert.is(older.apiVersion, 'flowcontrol.apiserver.orch.io/v1beta3')
  assert.is(newer.spec.limited.nominalConcurrencyShares, 30)
  assert.is(older.spec.limited.nominalConcurrencyShares, 30)
  assert.is(newer.metadata.resourceVersion, older.metadata.resourceVersion)
})

// K-07
test('a zero that is meant survives the version that cannot say it', async ({ opened }) => {
  const { registry } = opened
  await registry.create(
    { kind: stable },
    body(level('zero', { nominalConcurrencyShares: 0 })),
    quiet,
  )
  const [newer, older] = await both(opened, 'zero')
  assert.is(newer.spec.limited.nominalConcurrencyShares, 0)
  assert.is(newer.metadata.annotations, undefined)
  assert.is(older.spec.limited.nominalConcurrencyShares, 0)
  assert.equal(older.metadata.annotations, { [mark]: '' })
})

// K-07
test('in the version that cannot say it, zero is the default', async ({ opened }) => {
  const { registry } = opened
  const given = level('older', { nominalConcurrencyShares: 0 })
  const { item } = await registry.create({ kind: stored }, body(given), quiet)
  assert.is(shares(item), 30)
})

test('writing an object back in the other version changes nothing', async ({ opened }) => {
  const { registry } = opened
  await registry.create({ kind: stored }, body(level('same', {})), quiet)
  const [newer] = await both(opened, 'same')
  const { item } = await registry.update({ kind: stable, name: 'same' }, body(newer), quiet)
  assert.is(read(item).metadata.resourceVersion, newer.metadata.resourceVersion)
})

test('a patch sees the version that it is sent to', async ({ opened }) => {
  const { registry } = opened
  await registry.create(
    { kind: stable },
    body(level('patched', { nominalConcurrencyShares: 0 })),
    quiet,
  )
  const patch = { spec: { limited: { nominalConcurrencyShares: 7 } } }
  await registry.patch({ kind: stable, name: 'patched' }, 'merge', body(patch), quiet)
  const [newer, older] = await both(opened, 'patched')
  assert.is(newer.spec.limited.nominalConcurrencyShares, 7)
  assert.is(older.metadata.annotations, undefined)
  assert.is(newer.metadata.generation, 2)
})

//
test('appliers of different versions know of each other', async ({ opened }) => {
  const { registry } = opened
  const apply = (kind: AnyKind, manager: string, nominalConcurrencyShares: number) => {
    const given = { ...level('applied', { nominalConcurrencyShares }), kind: kind.kind }
    const config = { ...given, apiVersion: apiVersionOf(kind) }
    const target = { kind, name: 'applied' }
    return registry.patch(target, 'apply', body(config), { ...quiet, manager })
  }
  await apply(stored, 'ann', 5)
  const { item } = await apply(stable, 'bob', 5)
  const managers = (read(item).metadata.managedFields ?? []).map((one) => one.manager)
  assert.equal([...managers].sort(), ['ann', 'bob'])
  await apply(stable, 'bob', 7).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, 'conflict with "ann"'),
  )
})

// A9, I-16, U-06, D-25
test('an event and an autoscaler are one object in both views', async ({ opened }) => {
  const { registry } = opened
  const [older, newer] = [kindAt('api/v1/events'), kindAt('apis/events.orch.io/v1/events')]
  const place = { namespace: 'default', name: 'seen' }
  const event = {
    metadata: { name: 'seen' },
    involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' },
    message: 'started',
    source: { component: 'agent' },
    firstTimestamp: '2030-01-01T00:00:00Z',
    lastTimestamp: '2030-01-01T00:00:01Z',
    count: 2,
    series: { count: 3, lastObservedTime: '2030-01-01T00:00:02.000000Z' },
    reportingComponent: 'example.com/agent',
  }
  await registry.create({ kind: older, namespace: 'default' }, body(event), quiet)
  const view = JSON.parse(
    Buffer.from((await registry.get({ kind: newer, ...place }, {})).bytes).toString(),
  ) as Record<string, unknown>
  const { note, regarding, reportingController, series, ...others } = view
  assert.equal([note, reportingController], ['started', 'example.com/agent'])
  assert.equal([regarding, series], [event.involvedObject, event.series])
  assert.equal(
    [others.deprecatedCount, others.deprecatedSource],
    [event.count, { component: 'agent' }],
  )
  assert.equal(
    [others.deprecatedFirstTimestamp, others.deprecatedLastTimestamp],
    [event.firstTimestamp, event.lastTimestamp],
  )
  const plain = kindAt('apis/autoscaling/v1/horizontalpodautoscalers')
  const scaler = {
    metadata: { name: 'seen' },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
  }
  await registry.create({ kind: plain, namespace: 'default' }, body(scaler), quiet)
  const full = kindAt('apis/autoscaling/v2/horizontalpodautoscalers')
  const { spec } = JSON.parse(
    Buffer.from((await registry.get({ kind: full, ...place }, {})).bytes).toString(),
  ) as { spec: { metrics: unknown } }
  const target = { type: 'Utilization', averageUtilization: 80 }
  assert.equal(spec.metrics, [{ type: 'Resource', resource: { name: 'cpu', target } }])
})

// I-16: release 1.29 restores a field that the path does not write, whichever version is sent
test('what a version keeps in an annotation is written with its field, not with the metadata', async ({
  opened,
}) => {
  const { registry } = opened
  const older = kindAt('apis/autoscaling/v1/horizontalpodautoscalers')
  const newer = kindAt('apis/autoscaling/v2/horizontalpodautoscalers')
  const place = { namespace: 'default', name: 'kept' }
  const seen = async () => {
    const { bytes } = await registry.get({ kind: newer, ...place }, {})
    return JSON.parse(Buffer.from(bytes).toString()) as {
      readonly metadata: { readonly resourceVersion: string; readonly annotations?: object }
      readonly spec: { readonly metrics: readonly object[] }
      readonly status: { readonly currentMetrics: readonly object[] | null }
    }
  }
  const key = (name: string) => `autoscaling.alpha.orch.io/${name}`
  const memory = (value: object) =>
    JSON.stringify([{ type: 'Resource', resource: { name: 'memory', ...value } }])
  const scaler = {
    metadata: {
      name: 'kept',
      annotations: {
        [key('metrics')]: memory({ targetAverageValue: '7' }),
        [key('current-metrics')]: memory({ currentAverageValue: '8' }),
      },
    },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
  }
  await registry.create({ kind: older, namespace: 'default' }, body(scaler), quiet)
  const { spec, status } = await seen()
  assert.is(spec.metrics.length, 1)
  assert.is(status.currentMetrics, null, 'a new object has no status')

  const currentMetrics = [
    { type: 'Resource', resource: { name: 'memory', current: { averageValue: '9' } } },
  ]
  const measured = { status: { currentReplicas: 1, desiredReplicas: 1, currentMetrics } }
  const statusPath = { ...place, subresource: 'status' }
  await registry.patch({ kind: newer, ...statusPath }, 'merge', body(measured), quiet)
  const before = await seen()

  const without = { metadata: { annotations: { [key('current-metrics')]: null } } }
  await registry.patch({ kind: older, ...place }, 'merge', body(without), quiet)
  assert.equal(await seen(), before, 'the main path does not write the status')

  const other = { metadata: { annotations: { [key('metrics')]: '[]', own: 'x' } } }
  await registry.patch({ kind: older, ...statusPath }, 'merge', body(other), quiet)
  const after = await seen()
  assert.equal(after.spec, before.spec, 'the path of the status does not write the rest')
  assert.equal(after.metadata.annotations, { own: 'x' })
})

test('a list and a watch of either version show the same objects', async ({ opened }) => {
  const { registry } = opened
  const { resourceVersion, items } = await registry.list({ kind: stable }, {})
  const older = await registry.list({ kind: stored }, {})
  assert.is(items.length, older.items.length)
  assert.ok(items.every((item) => read(item).apiVersion.endsWith('/v1')))
  const watching = collect(
    (signal) => registry.watch({ kind: stable }, { resourceVersion, bookmarks: false }, signal),
    2,
  )
  await registry.create({ kind: stored }, body(level('seen', {})), quiet)
  await registry.delete({ kind: stored, name: 'seen' }, { dryRun: false })
  const events = await watching
  assert.equal(
    events.map(({ type, item }) => [type, read(item).apiVersion]),
    [
      ['ADDED', 'flowcontrol.apiserver.orch.io/v1'],
      ['DELETED', 'flowcontrol.apiserver.orch.io/v1'],
    ],
  )
})

test('a name is taken in both versions, and deleted from both', async ({ opened }) => {
  const { registry } = opened
  await registry.create({ kind: stable }, body(level('once', {})), quiet)
  const again = registry.create({ kind: stored }, body(level('once', {})), quiet)
  await again.then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, 'already exists'),
  )
  await registry.delete({ kind: stored, name: 'once' }, { dryRun: false })
  const gone = registry.get({ kind: stable, name: 'once' }, {})
  await gone.then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, 'not found'),
  )
})

test.run()
