/** Managers of fields and server-side apply, over the real store. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ManagedFieldsRecord } from '../../../../runtime/apply/apply.ts'
import { printFields, readFieldsV1 } from '../../../../runtime/apply/apply.ts'
import type { ApiObject } from '../../../../runtime/kernel/meta/object.ts'
import type {
  Item,
  PatchType,
  Target,
  WriteOptions,
} from '../../../../runtime/registry/registry.ts'
import { fakeClock } from '../../../support/clock.ts'
import {
  body,
  configMaps,
  deployment,
  deployments,
  inDefault,
  kindAt,
  type OpenRegistry,
  openRegistry,
  quiet,
  strict,
} from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'

interface Context extends OpenRegistry {
  now: number
}

const managing = suite<Context>('runtime/registry/verbs/apply')

managing.before(async (context) => {
  context.now = Date.parse('2024-01-01T00:00:00Z')
  const clock = { ...fakeClock(), now: () => context.now }
  Object.assign(context, await openRegistry({ clock }))
})
managing.after(({ close }) => close())

type Records = readonly ManagedFieldsRecord[]
type Managed = ApiObject & { metadata: { managedFields?: Records } }

const by = (manager: string, more: Partial<WriteOptions> = {}): WriteOptions => ({
  ...quiet,
  manager,
  ...more,
})

function recordsOf(item: Item): Records {
  return (item.object() as Managed).metadata.managedFields ?? []
}

/** Who manages what: `manager operation[/subresource]`, and the fields. */
function managed(item: Item): Record<string, readonly string[]> {
  return Object.fromEntries(
    recordsOf(item).map(({ manager, operation, subresource, fieldsV1 }) => [
      `${manager} ${operation}${subresource ? `/${subresource}` : ''}`,
      printFields(readFieldsV1(fieldsV1) ?? {}),
    ]),
  )
}

function config(name: string, data: Record<string, unknown>, more: object = {}) {
  return body({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data })
}

async function apply(
  { registry }: OpenRegistry,
  target: Target,
  given: ReturnType<typeof body>,
  options: WriteOptions,
): Promise<Item> {
  return (await registry.patch(target, 'apply', given, options)).item
}

async function patch(
  { registry }: OpenRegistry,
  target: Target,
  type: PatchType,
  value: unknown,
  options: WriteOptions,
): Promise<Item> {
  return (await registry.patch(target, type, body(value), options)).item
}

managing(
  'who creates an object manages what it said and what defaults made of it (A4.63, A-07)',
  async (opened) => {
    const { item } = await opened.registry.create(
      inDefault(deployments),
      body(deployment('created')),
      by('maker'),
    )
    const [record] = recordsOf(item)
    assert.is(record?.time, '2024-01-01T00:00:00Z')
    assert.is(record?.apiVersion, 'apps/v1')
    const fields = managed(item)['maker Update'] ?? []
    const main = '.spec.template.spec.containers[name="main"]'
    for (const path of [main, `${main}.image`, '.spec.replicas', '.spec.strategy.rollingUpdate']) {
      assert.ok(fields.includes(path), path)
    }
    for (const path of [
      '.metadata',
      '.metadata.name',
      '.metadata.uid',
      '.kind',
      '.spec',
      '.status',
    ]) {
      assert.not.ok(fields.includes(path), path)
    }
  },
)

managing(
  'a write takes what it changes, one that changes nothing is none (A4.63, W-05, A-11)',
  async (opened) => {
    const target = inDefault(configMaps, 'written')
    await opened.registry.create(
      inDefault(configMaps),
      config('written', { a: '1', b: '1' }),
      by('ann'),
    )
    const first = await patch(opened, target, 'merge', { data: { b: '2' } }, by('bob'))
    assert.equal(managed(first), { 'ann Update': ['.data', '.data.a'], 'bob Update': ['.data.b'] })
    opened.now += 5000
    const again = await patch(opened, target, 'merge', { data: { b: '2' } }, by('carl'))
    assert.equal(again.bytes, first.bytes)
    const put = await opened.registry.update(target, body(again.object()), by('carl'))
    assert.equal(put.item.bytes, first.bytes)
  },
)

managing(
  'status and its writers are apart from the object and its own (A-03, A-16)',
  async (opened) => {
    const target = inDefault(deployments, 'status')
    await opened.registry.create(inDefault(deployments), body(deployment('status')), by('ann'))
    const item = await patch(
      opened,
      inDefault(deployments, 'status', 'status'),
      'merge',
      { status: { replicas: 1 }, spec: { replicas: 7 } },
      by('agent'),
    )
    assert.equal(managed(item)['agent Update/status'], ['.status.replicas'])
    const applied = await apply(
      opened,
      target,
      body({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'status' },
        spec: { paused: true },
        status: { replicas: 9 },
      }),
      by('carl'),
    )
    assert.equal(managed(applied)['carl Apply'], ['.spec.paused'])
    assert.is((applied.object() as ApiObject & { status: { replicas: number } }).status.replicas, 1)
  },
)

managing(
  'an apply makes what is not there, and then merges (A-15, A1.25, A4.53, A4.58, A4.59)',
  async (opened) => {
    const target = inDefault(configMaps, 'made')
    const made = await opened.registry.patch(
      target,
      'apply',
      config('made', { a: '1', b: '1' }),
      by('ann'),
    )
    assert.ok(made.created)
    assert.equal(managed(made.item), { 'ann Apply': ['.data.a', '.data.b'] })
    const next = await opened.registry.patch(target, 'apply', config('made', { a: '2' }), by('ann'))
    assert.not.ok(next.created)
    assert.equal((next.item.object() as unknown as { data: object }).data, { a: '2' })
    opened.now += 5000
    const same = await apply(opened, target, config('made', { a: '2' }), by('ann'))
    assert.is(same.bytes, next.item.bytes)
  },
)

managing(
  'an apply that names a uid or a malformed version makes no object; another version says nothing more (A-15)',
  async (opened) => {
    const target = inDefault(configMaps, 'absent')
    const named = config('absent', {}, { uid: 'u' })
    await assertRejects(apply(opened, target, named, by('ann')), 'Conflict')
    const malformed = config('absent', {}, { resourceVersion: 'x' })
    await assertRejects(apply(opened, target, malformed, by('ann')), 'BadRequest')
    await apply(opened, target, config('absent', {}, { resourceVersion: '5' }), by('ann'))
    const status = inDefault(deployments, 'absent', 'status')
    const given = body({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'absent' } })
    await assertRejects(apply(opened, status, given, by('ann')), 'NotFound')
  },
)

managing(
  'an apply with a stale version conflicts, with none it is repeated (A4.65, W-15)',
  async (opened) => {
    const target = inDefault(configMaps, 'stale')
    const { metadata } = (
      await apply(opened, target, config('stale', { a: '1' }), by('ann'))
    ).object()
    const version = { resourceVersion: metadata.resourceVersion }
    await apply(opened, target, config('stale', { a: '2' }, version), by('ann'))
    const error = await assertRejects(
      apply(opened, target, config('stale', { a: '3' }, version), by('ann')),
      'Conflict',
    )
    assert.match(error.message, 'the object has been modified')
    const both = [1, 2, 3, 4].map((n) =>
      apply(opened, target, config('stale', { [`k${n}`]: 'x' }), by(`m${n}`)),
    )
    await Promise.all(both)
    const last = await opened.registry.get(target, {})
    assert.equal(Object.keys((last.object() as unknown as { data: object }).data), [
      'a',
      'k1',
      'k2',
      'k3',
      'k4',
    ])
  },
)

managing(
  'a conflict is a status with a cause for each field; force takes them (A-12, A4.61, A4.23)',
  async (opened) => {
    const target = inDefault(configMaps, 'fought')
    await apply(opened, target, config('fought', { a: '1', b: '1' }), by('ann'))
    await patch(opened, target, 'merge', { data: { b: '2' } }, by('edit'))
    const error = await assertRejects(
      apply(opened, target, config('fought', { a: '3', b: '3' }), by('bob')),
      'Conflict',
    )
    assert.is(
      error.message,
      'Apply failed with 2 conflicts: conflicts with "ann":\n- .data.a\nconflicts with "edit" using v1:\n- .data.b',
    )
    assert.equal(error.details?.causes, [
      { reason: 'FieldManagerConflict', field: '.data.a', message: 'conflict with "ann"' },
      {
        reason: 'FieldManagerConflict',
        field: '.data.b',
        message: 'conflict with "edit" using v1',
      },
    ])
    const forced = await apply(
      opened,
      target,
      config('fought', { a: '3', b: '3' }),
      by('bob', { force: true }),
    )
    assert.equal(managed(forced), { 'bob Apply': ['.data.a', '.data.b'] })
  },
)

managing(
  'a field that goes is set to its default again, an invalid result fails (A4.59, A4.60)',
  async (opened) => {
    const target = inDefault(deployments, 'default')
    const given = (spec: object) => {
      const whole = deployment('default') as { spec: { replicas?: number } }
      delete whole.spec.replicas
      return body({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        ...whole,
        spec: { ...whole.spec, ...spec },
      })
    }
    await apply(opened, target, given({ replicas: 4, minReadySeconds: 9 }), by('ann'))
    const item = await apply(opened, target, given({}), by('ann'))
    const { spec } = item.object() as ApiObject & { spec: Record<string, unknown> }
    assert.is(spec.replicas, 1)
    assert.is(spec.minReadySeconds, undefined)
    await assertRejects(apply(opened, target, given({ replicas: -1 }), by('ann')), 'Invalid')
  },
)

managing(
  'one empty record resets, before the same request is booked (A4.66, D-01, D-02)',
  async (opened) => {
    const target = inDefault(configMaps, 'reset')
    await apply(opened, target, config('reset', { a: '1' }), by('ann'))
    const reset = { metadata: { managedFields: [{}] } }
    const kept = await patch(
      opened,
      target,
      'merge',
      { metadata: { managedFields: [] } },
      by('bob'),
    )
    assert.equal(managed(kept), { 'ann Apply': ['.data.a'] })
    const mixed = await patch(opened, target, 'merge', { ...reset, data: { b: '2' } }, by('bob'))
    assert.equal(managed(mixed), { 'bob Update': ['.data.b'] })
    const none = await patch(opened, target, 'merge', reset, by('bob'))
    assert.equal(recordsOf(none), [])
    const untracked = await patch(opened, target, 'merge', { data: { c: '3' } }, by('bob'))
    assert.equal(recordsOf(untracked), [])
    const first = await apply(opened, target, config('reset', { a: '1' }), by('ann'))
    assert.equal(managed(first), {
      'ann Apply': ['.data.a'],
      'before-first-apply Update': ['.data', '.data.a', '.data.b', '.data.c'],
    })
    const pointer = [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]
    assert.equal(recordsOf(await patch(opened, target, 'json', pointer, by('bob'))), [])
  },
)

managing(
  'records that a client sends count if they are valid, on the main path only',
  async (opened) => {
    const target = inDefault(deployments, 'sent')
    await opened.registry.create(inDefault(deployments), body(deployment('sent')), by('ann'))
    const record = {
      manager: 'moved',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    }
    const send = (managedFields: unknown, subresource?: string) =>
      patch(
        opened,
        inDefault(deployments, 'sent', subresource),
        'merge',
        { metadata: { managedFields } },
        by('bob'),
      )
    const own = managed(await opened.registry.get(target, {}))
    assert.equal(managed(await send([{ ...record, operation: 'Delete' }])), own)
    assert.equal(managed(await send([{ ...record, fieldsV1: { x: {} } }])), own)
    assert.equal(managed(await send([record], 'status')), own)
    const moved = await send([record])
    assert.equal(managed(moved), { 'moved Apply': ['.spec.replicas'] })
    assert.equal((await send([{ ...record, time: '2020-01-01T00:00:00Z' }])).bytes, moved.bytes)
  },
)

managing('a dry run says who would manage what, and stores nothing (F-13)', async (opened) => {
  const target = inDefault(configMaps, 'dry')
  const made = await apply(opened, target, config('dry', { a: '1' }), by('ann', { dryRun: true }))
  assert.equal(managed(made), { 'ann Apply': ['.data.a'] })
  await assertRejects(opened.registry.get(target, {}), 'NotFound')
})

managing('what an applied configuration may not be (A-02, A4.58)', async (opened) => {
  const target = inDefault(deployments, 'bad')
  const spec = deployment('bad').spec as object
  const good = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'bad' }, spec }
  const why = async (value: unknown, reason: '' | 'BadRequest', options = by('ann')) =>
    (await assertRejects(apply(opened, target, body(value), options), reason)).message
  assert.is(
    await why({ ...good, apiVersion: 'v1' }, 'BadRequest'),
    'invalid object type: /v1, Kind=Deployment',
  )
  assert.is(
    await why({ ...good, metadata: { name: 'bad', managedFields: [] } }, 'BadRequest'),
    'metadata.managedFields must be nil',
  )
  assert.is(
    await why(
      { ...good, spec: { ...spec, extra: 1 } },
      '',
      by('ann', { fieldValidation: 'Ignore' }),
    ),
    'failed to create typed patch object (/bad; apps/v1, Kind=Deployment): .spec.extra: field not declared in schema',
  )
  const twice = { spec: { template: { spec: { containers: [{ name: 'a' }, { name: 'a' }] } } } }
  assert.match(await why({ ...good, ...twice }, ''), 'duplicate entries for key [name="a"]')
  assert.match(await why([], 'BadRequest'), 'error decoding YAML')
  const doubled = { value: good, duplicates: ['line 3: key "a" already set in map'] } as never
  const error = await assertRejects(
    apply(opened, target, doubled, { ...strict, manager: 'ann' }),
    'BadRequest',
  )
  assert.match(error.message, 'key "a" already set in map')
})

managing(
  'the command-line client keeps its annotation only while it applies it',
  async (opened) => {
    const key = 'orchctl.orch.io/last-applied-configuration'
    const target = inDefault(configMaps, 'kept')
    const given = config('kept', { a: '1' })
    const annotated = config('kept', { a: '1' }, { annotations: { [key]: '{}' } })
    const annotationsOf = async (one: typeof given) =>
      (await apply(opened, target, one, by('orchctl'))).object().metadata.annotations
    assert.equal(await annotationsOf(annotated), {
      [key]:
        '{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"kept"}}\n',
    })
    assert.is((await annotationsOf(given))?.[key], undefined)
  },
)

managing(
  'the command-line client takes over what it applied on its own side (A-18)',
  async (opened) => {
    const key = 'orchctl.orch.io/last-applied-configuration'
    const given = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'client', annotations: {} },
      data: { a: '1', b: '1' },
    }
    const target = inDefault(configMaps, 'client')
    const annotated = {
      ...given,
      metadata: { name: 'client', annotations: { [key]: JSON.stringify(given) } },
    }
    await opened.registry.create(
      inDefault(configMaps),
      body(annotated),
      by('orchctl-client-side-apply'),
    )
    const wanted = config('client', { a: '2', b: '2' })
    await assertRejects(apply(opened, target, wanted, by('someone')), 'Conflict')
    const item = await apply(opened, target, wanted, by('orchctl'))
    const { annotations = {} } = item.object().metadata
    assert.is(
      annotations[key],
      '{"apiVersion":"v1","data":{"a":"2","b":"2"},"kind":"ConfigMap","metadata":{"name":"client"}}\n',
    )
    await patch(opened, target, 'merge', { data: { a: '3' } }, by('edit'))
    const error = await assertRejects(
      apply(opened, target, config('client', { a: '4', b: '4' }), by('orchctl')),
      'Conflict',
    )
    assert.match(
      error.message,
      'Apply failed with 1 conflict: conflict with "edit" using v1: .data.a',
    )
  },
)

managing('a strategic merge patch merges by the schema (P-05, A4.56)', async (opened) => {
  const target = inDefault(deployments, 'strategic')
  await opened.registry.create(inDefault(deployments), body(deployment('strategic')), by('ann'))
  const side = { name: 'side', image: 'example/side:1' }
  const item = await patch(
    opened,
    target,
    'strategic',
    { spec: { template: { spec: { containers: [side] } } } },
    by('bob'),
  )
  const { spec } = item.object() as ApiObject & {
    spec: { template: { spec: { containers: readonly { name: string }[] } } }
  }
  assert.equal(
    spec.template.spec.containers.map(({ name }) => name),
    ['side', 'main'],
  )
  assert.ok(managed(item)['bob Update']?.includes('.spec.template.spec.containers[name="side"]'))
})

managing(
  'a scale is applied and written like the field of its object (A-17, P-09)',
  async (opened) => {
    const target = inDefault(deployments, 'scaled')
    const scale = inDefault(deployments, 'scaled', 'scale')
    const { metadata, ...rest } = deployment('scaled') as { metadata: object; spec: object }
    const whole = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, ...rest }
    await apply(opened, target, body(whole), by('ann'))
    const wanted = (replicas: number) =>
      body({
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'scaled', namespace: 'default' },
        spec: { replicas },
      })
    const error = await assertRejects(apply(opened, scale, wanted(3), by('bob')), 'Conflict')
    assert.match(error.message, 'conflict with "ann": .spec.replicas')
    const applied = await apply(opened, scale, wanted(3), by('bob', { force: true }))
    assert.is(applied.object().kind, 'Scale')
    assert.equal(managed(await opened.registry.get(target, {}))['bob Apply/scale'], [
      '.spec.replicas',
    ])
    await patch(opened, scale, 'merge', { spec: { replicas: 4 } }, by('carl'))
    const now = managed(await opened.registry.get(target, {}))
    assert.equal(now['carl Update/scale'], ['.spec.replicas'])
    assert.is(now['bob Apply/scale'], undefined)
  },
)

managing('a namespace, made by the server, is managed by the server', async (opened) => {
  const item = await opened.registry.get({ kind: kindAt('api/v1/namespaces'), name: 'default' }, {})
  assert.equal(Object.keys(managed(item)), ['orch-apiserver Update'])
})

managing(
  'an object whose records do not fit is stored without them (A-24, R-10)',
  async (opened) => {
    const target = inDefault(configMaps, 'large')
    const keys = Array.from({ length: 25_000 }, (_, n) => [`key-${'x'.repeat(30)}-${n}`, ''])
    const data = Object.fromEntries(keys)
    const { item } = await opened.registry.create(
      inDefault(configMaps),
      config('large', data),
      by('ann'),
    )
    assert.ok(item.bytes.length > 1_000_000)
    assert.equal(recordsOf(item), [])
    await assertRejects(
      apply(opened, inDefault(configMaps, 'larger'), config('larger', data), by('ann')),
      'RequestEntityTooLarge',
    )
    assert.equal(recordsOf(await opened.registry.get(target, {})), [])
  },
)

managing.run()
