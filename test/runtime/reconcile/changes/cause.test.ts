import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { type ConfigMap, configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import type { Log, LogFields, SpanAttributes, Tracer } from '../../../../runtime/observe/observe.ts'
import { causeOf, printCause } from '../../../../runtime/reconcile/changes/cause.ts'
import { changedFields } from '../../../../runtime/reconcile/changes/changed-fields.ts'
import { WriteLoops } from '../../../../runtime/reconcile/changes/write-loops.ts'
import {
  type Context,
  createManager,
  defineController,
  done,
  type Manager,
} from '../../../../runtime/reconcile/reconcile.ts'
import { type ControlPlane, startControlPlane } from '../../../../runtime/testing/testing.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/reconcile: what woke a run')

interface Line {
  readonly event: string
  readonly fields: LogFields
}

/** A log that keeps its lines. */
function memory(): { readonly log: Log; readonly lines: readonly Line[] } {
  const lines: Line[] = []
  const write = (event: string, fields: LogFields = {}): void => void lines.push({ event, fields })
  return { log: { debugging: true, debug: write, info: write, warn: write, error: write }, lines }
}

/** Runs a controller over ConfigMaps of the default namespace until `stop`. */
async function run(
  plane: ControlPlane,
  name: string,
  log: Log,
  reconcile: (map: Stored<ConfigMap>, context: Context<ConfigMap>) => Promise<void>,
): Promise<{ readonly manager: Manager; stop(): Promise<void> }> {
  const controller = defineController({
    name,
    for: configMaps,
    async reconcile(map, context) {
      await reconcile(map, context)
      return done
    },
  })
  const { client } = plane
  const manager = createManager({ client, log, controllers: [controller], namespace: 'default' })
  const end = new AbortController()
  const running = manager.run(end.signal)
  await manager.ready
  return {
    manager,
    async stop() {
      end.abort()
      await running
    },
  }
}

test('of an update the fields are named, and who wrote each', async () => {
  await using plane = await startControlPlane()
  const apps = plane.client.resource(deployments)
  const labels = { app: 'web' }
  const containers = [
    { name: 'web', image: 'nginx:1' },
    { name: 'log', image: 'log:1' },
  ]
  const made = await apps.create({
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  })
  const template = { spec: { containers: [{ name: 'log', image: 'log:2' }] } }
  const spec = { selector: { matchLabels: labels }, template }
  const rolled = await apps.apply(
    { metadata: { name: 'web' }, spec },
    { manager: 'release', force: true },
  )
  assert.equal(changedFields(made, rolled, 10), [
    { path: 'spec.template.spec.containers[log].image', managers: ['release'] },
  ])
  const patch = { metadata: { annotations: { a: 'b' } }, spec: { replicas: 3 } }
  const scaled = await apps.mergePatch('web', patch)
  assert.equal(
    changedFields(rolled, scaled, 10).map(({ path }) => path),
    ['metadata.annotations', 'spec.replicas'],
  )
  assert.equal(changedFields(rolled, scaled, 1).length, 1)
  assert.equal(changedFields(rolled, scaled, 2).at(-1)?.managers, ['client'])
  assert.equal(changedFields(scaled, scaled, 10), [])
  assert.match(
    printCause(causeOf({ type: 'updated', object: scaled, before: rolled })),
    /^Deployment default\/web updated at \d+: metadata.annotations by client, spec.replicas by client$/,
  )
  assert.match(
    printCause(causeOf({ type: 'deleted', object: scaled })),
    /^Deployment default\/web deleted at \d+$/,
  )
})

test('the log and the report say which change woke a run', async () => {
  await using plane = await startControlPlane()
  const { log, lines } = memory()
  const { manager, stop } = await run(plane, 'test', log, async () => {})
  const maps = plane.client.resource(configMaps)
  await maps.create({ metadata: { name: 'x' } })
  await until('first', () => manager.stats().test?.runs.done === 1)
  await maps.apply({ metadata: { name: 'x' }, data: { a: 'b' } }, { manager: 'kitchen' })
  await until('second', () => manager.stats().test?.runs.done === 2)
  const causes = lines.flatMap(({ event, fields }) =>
    event === 'reconcile begins' ? [String(fields.cause)] : [],
  )
  assert.match(causes[0] ?? '', /^ConfigMap default\/x added at \d+$/)
  assert.match(causes[1] ?? '', /^ConfigMap default\/x updated at \d+: data by kitchen$/)
  const { last } = manager.report().controllers.test?.keys[0] ?? {}
  assert.match(last?.cause ?? '', /^ConfigMap default\/x updated at \d+$/)
  await stop()
})

test('a tracer gets a span for each run: what woke it, what it came to', async () => {
  await using plane = await startControlPlane()
  const spans: (SpanAttributes & { status?: number; error?: string })[] = []
  const tracer: Tracer = {
    startActiveSpan(name, { attributes }, run) {
      const facts: (typeof spans)[number] = { name, ...attributes }
      const setStatus = ({ code }: { code: number }): void =>
        void Object.assign(facts, { status: code })
      const recordException = (error: Error | string): void =>
        void Object.assign(facts, { error: String(error) })
      const setAttributes = (more: SpanAttributes): void => void Object.assign(facts, more)
      const end = (): void => void spans.push(facts)
      return run({ setStatus, recordException, setAttributes, end }) as ReturnType<typeof run>
    },
  }
  const controller = defineController({
    name: 'test',
    for: configMaps,
    async reconcile({ data }) {
      if (data?.good === undefined) throw new Error('not good')
      return done
    },
  })
  const { client } = plane
  const manager = createManager({ client, tracer, controllers: [controller], namespace: 'default' })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  await client.resource(configMaps).create({ metadata: { name: 'x' } })
  await until('failed', () => spans.some((span) => span['orch.outcome'] === 'failed'))
  await client.resource(configMaps).apply({ metadata: { name: 'x' }, data: { good: 'yes' } })
  await until('done', () => spans.some((span) => span['orch.outcome'] === 'done'))
  stop.abort()
  await running
  const [first] = spans
  assert.equal([first?.name, first?.status, first?.error], ['reconcile test', 2, 'Error: not good'])
  assert.match(String(first?.['orch.cause']), /^ConfigMap default\/x (added|listed) at \d+$/)
  const well = spans.find((span) => span['orch.outcome'] === 'done')
  assert.equal(
    [well?.['orch.key'], well?.['orch.writes'], well?.status],
    ['default/x', 0, undefined],
  )
})

test('a controller that wakes itself by its own writes is named, with the field', async () => {
  await using plane = await startControlPlane()
  const { log, lines } = memory()
  let writes = 0
  const { stop } = await run(plane, 'test', log, async ({ metadata }, { client }) => {
    const wanted = { metadata: { name: metadata.name }, data: { looked: String(writes++) } }
    await client.resource(configMaps).apply(wanted, { manager: 'looker' })
  })
  await plane.client.resource(configMaps).create({ metadata: { name: 'x' } })
  const told = await until('loop', () =>
    lines.find(({ event }) => event.includes('its own writes')),
  )
  await stop()
  const { runs, object, field, writers, controller, key } = told.fields
  assert.equal([runs, object, field], [16, 'ConfigMap default/x', 'data.looked'])
  assert.equal([writers, controller, key], ['looker', 'test', 'default/x'])
  assert.match(String(told.fields.remedy), 'write only what differs')
})

test('two controllers that fight for a field are named, both of them', async () => {
  await using plane = await startControlPlane()
  const { log, lines } = memory()
  const wanting = (name: string) =>
    run(plane, name, log, async ({ metadata, data }, { client }) => {
      if (data?.colour === name) return
      const wanted = { metadata: { name: metadata.name }, data: { colour: name } }
      await client.resource(configMaps).apply(wanted, { manager: `${name}-painter`, force: true })
    })
  const red = await wanting('red')
  const blue = await wanting('blue')
  await plane.client.resource(configMaps).create({ metadata: { name: 'wall' } })
  const told = await until('fight', () =>
    lines.find(({ event }) => event.startsWith('writers do not agree')),
  )
  await red.stop()
  await blue.stop()
  assert.equal([told.fields.object, told.fields.field], ['ConfigMap default/wall', 'data.colour'])
  assert.is(told.fields.writers, 'blue-painter, red-painter')
  assert.match(String(told.fields.remedy), 'leave the field to one of them')
})

test('a controller that comes to rest is not taken for one that writes in a loop', async () => {
  await using plane = await startControlPlane()
  const { log, lines } = memory()
  const { manager, stop } = await run(
    plane,
    'test',
    log,
    async ({ metadata, data }, { client }) => {
      if (data?.seen === data?.wanted) return
      await client.resource(configMaps).mergePatch(metadata, { data: { seen: data?.wanted ?? '' } })
    },
  )
  const maps = plane.client.resource(configMaps)
  await maps.create({ metadata: { name: 'x' } })
  for (let round = 0; round < 40; round++) {
    await maps.mergePatch('x', { data: { wanted: String(round) } })
    await until('seen', async () => (await maps.get('x')).data?.seen === String(round))
    await until('rest', () => {
      const { active, depth } = manager.stats().test!
      return active + depth === 0
    })
  }
  await stop()
  assert.equal(
    lines.filter(({ event }) => event.includes('writes') || event.startsWith('writers')),
    [],
  )
})

test('a loop is found after any number of other keys that wrote once', () => {
  const loops = new WriteLoops(systemClock)
  for (let at = 0; at < 5000; at++) loops.ran(`default/rests-${at}`, [], 1)
  const versions = [0, 1].map(
    (turn) =>
      ({
        kind: 'ConfigMap',
        metadata: { name: 'x', uid: 'x', resourceVersion: String(turn) },
        data: { turn: String(turn) },
      }) as unknown as Stored<ConfigMap>,
  )
  const [before, object] = versions as [Stored<ConfigMap>, Stored<ConfigMap>]
  const said = Array.from({ length: 16 }, () =>
    loops.ran('default/x', [{ type: 'updated', object, before }], 1),
  )
  assert.equal(said.at(-1), { runs: 16, object: 'ConfigMap x', field: 'data.turn', writers: [] })
})

test('managed fields that cannot be read name nobody, and nothing fails', () => {
  const versions = ['web:1', 'web:2'].map(
    (image) =>
      ({
        kind: 'Pod',
        metadata: {
          ...{ name: 'x', uid: 'x', resourceVersion: image },
          managedFields: [
            {
              manager: 'odd',
              fieldsV1: { 'f:spec': { 'f:containers': { 'k:{"name"': { '.': {} } } } },
            },
          ],
        },
        spec: { containers: [{ name: 'web', image }] },
      }) as unknown as Stored<ConfigMap>,
  )
  const [before, object] = versions as [Stored<ConfigMap>, Stored<ConfigMap>]
  assert.equal(changedFields(before, object, 5), [
    { path: 'spec.containers[web].image', managers: [] },
  ])
})

test.run()
