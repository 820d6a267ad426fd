import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { change, make, pod } from '../../../support/admission.ts'
import { body, dry, inDefault, kindAt, quiet } from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'
import {
  allow,
  answered,
  deny,
  openWithWebhooks,
  patching,
  type RegistryWithWebhooks,
  type Review,
  rule,
  withHooks,
} from '../../../support/webhooks.ts'

const test = suite<RegistryWithWebhooks>('runtime/admission/webhook: mutating')

test.before(async (context) => {
  Object.assign(context, await openWithWebhooks())
})
test.after(({ close }) => close())

const maps = 'api/v1/configmaps'
let next = 0
const map = (more: object = {}) => ({ metadata: { name: `m${next++}`, ...more }, data: { a: 'b' } })

interface MapLike {
  readonly metadata: { readonly [name: string]: unknown }
  readonly data?: Readonly<Record<string, string>>
}

const mutating = true as const
const adds = (key: string, value: string) => patching({ op: 'add', path: `/data/${key}`, value })

test('a patch changes what is stored (Q-04, Q-08)', async (opened) => {
  await withHooks(opened, [{ name: 'add', mutating, answer: adds('c', 'd') }], async (asked) => {
    const { object } = await make<MapLike>(opened, maps, map())
    assert.equal(object.data, { a: 'b', c: 'd' })
    const shown = asked[0]?.object?.metadata as Record<string, unknown>
    assert.is(shown.uid, undefined, 'it has no identity yet')
    assert.is(shown.namespace, 'default')
  })
})

test('a name that is yet to be generated is shown as its prefix (Q-03, Q-04)', async (opened) => {
  await withHooks(opened, [{ name: 'look', mutating, answer: allow }], async (asked) => {
    const unnamed = { metadata: { generateName: 'm-' }, data: {} }
    await make(opened, maps, unnamed)
    assert.is(asked[0]?.name, undefined)
    assert.equal(asked[0]?.object?.metadata, { generateName: 'm-', namespace: 'default' })
  })
})

test('each sees what the ones before it left, in order of their names (Q-08)', async (opened) => {
  const hooks = ['b', 'c', 'a'].map((name) => ({
    name,
    mutating,
    answer: (review: Review) => {
      const { data } = review.request.object as unknown as MapLike
      return adds('order', `${data?.order ?? ''}${name}`)(review)
    },
  }))
  await withHooks(opened, hooks, async () => {
    const { object } = await make<MapLike>(opened, maps, map())
    assert.is(object.data?.order, 'abc')
  })
})

test('validating webhooks see what mutating ones made (Q-08)', async (opened) => {
  const hooks = [
    { name: 'check', answer: allow },
    { name: 'make', mutating, answer: adds('c', 'd') },
  ]
  await withHooks(opened, hooks, async (asked) => {
    await make(opened, maps, map())
    const datas = asked.map(({ object }) => (object as unknown as MapLike).data)
    assert.equal(datas, [{ a: 'b' }, { a: 'b', c: 'd' }])
  })
})

test('what a patch leaves is defaulted and validated again (Q-08)', async (opened) => {
  const container = { name: 'side', image: 'example/side' }
  const fields = { rules: [rule(['pods'])] }
  const add = (value: object) =>
    patching({ op: 'add', path: '/spec/containers/-', value: value as never })
  await withHooks(
    opened,
    [{ name: 'side', mutating, answer: add(container), fields }],
    async () => {
      const { object } = await make<{ spec: { containers: readonly Record<string, unknown>[] } }>(
        opened,
        'api/v1/pods',
        pod('sided'),
      )
      const [, side] = object.spec.containers
      assert.is(side?.imagePullPolicy, 'Always')
      assert.is(side?.terminationMessagePath, '/dev/termination-log')
    },
  )
  const bad = { ...container, name: 'Not_A_Name' }
  await withHooks(opened, [{ name: 'side', mutating, answer: add(bad), fields }], async () => {
    const error = await assertRejects(make(opened, 'api/v1/pods', pod('broken')), 'Invalid')
    assert.match(error.message, 'Pod "broken" is invalid: spec.containers[1].name: Invalid value')
  })
})

test('a change may be changed, and a subresource (Q-08)', async (opened) => {
  await make(opened, maps, { metadata: { name: 'twice' }, data: { a: '1' } })
  await withHooks(opened, [{ name: 'add', mutating, answer: adds('c', 'd') }], async () => {
    const { object } = await change<MapLike>(opened, maps, 'twice', { data: { a: '2' } })
    assert.equal(object.data, { a: '2', c: 'd' })
  })
  const answer = patching({ op: 'replace', path: '/spec/replicas', value: 5 })
  const fields = { rules: [rule(['replicationcontrollers/scale'])] }
  const controllers = 'api/v1/replicationcontrollers'
  await make(opened, controllers, {
    metadata: { name: 'rc' },
    spec: {
      selector: { a: 'b' },
      template: { metadata: { labels: { a: 'b' } }, spec: pod('x').spec },
    },
  })
  await withHooks(opened, [{ name: 'five', mutating, answer, fields }], async () => {
    const scale = { spec: { replicas: 2 } }
    await change(opened, controllers, 'rc', scale, { subresource: 'scale' })
    const item = await opened.registry.get(inDefault(kindAt(controllers), 'rc'), {})
    const { spec } = item.object() as unknown as { readonly spec: { readonly replicas: number } }
    assert.is(spec.replicas, 5)
  })
})

test('a patch that changes nothing is no change (Q-08)', async (opened) => {
  const { object } = await make<MapLike>(opened, maps, map({ name: 'still' }))
  const answer = patching({ op: 'test', path: '/data/a', value: 'b' })
  await withHooks(opened, [{ name: 'none', mutating, answer }], async () => {
    const after = await change<MapLike>(opened, maps, 'still', { data: { a: 'b' } })
    assert.is(after.object.metadata.resourceVersion, object.metadata.resourceVersion)
  })
})

test('no webhook gives an object another identity (Q-08)', async (opened) => {
  const rename = patching(
    { op: 'replace', path: '/metadata/name', value: 'other' },
    { op: 'replace', path: '/metadata/namespace', value: 'elsewhere' },
    { op: 'add', path: '/metadata/uid', value: 'x' },
    { op: 'add', path: '/metadata/creationTimestamp', value: '2001-01-01T00:00:00Z' },
  )
  const given = map({ name: 'mine' })
  await withHooks(opened, [{ name: 'rename', mutating, answer: rename }], async () => {
    const { object } = await make<MapLike>(opened, maps, given)
    assert.is(object.metadata.name, 'mine')
    assert.is(object.metadata.namespace, 'default')
    assert.is.not(object.metadata.uid, 'x')
    const error = await assertRejects(change(opened, maps, 'mine', { data: { a: 'c' } }), 'Invalid')
    assert.match(error.message, 'metadata.name: Invalid value: "other": field is immutable')
  })
  await change(opened, maps, 'mine', { data: { a: 'd' } })
})

const unusable: readonly [string, object, string][] = [
  [
    'is no list',
    { a: 1 },
    'Internal error occurred: error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
  ],
  [
    'tests what is not so',
    [{ op: 'test', path: '/data/a', value: 'z' }],
    'Internal error occurred: testing value /data/a failed: test failed',
  ],
  [
    'removes what is not there',
    [{ op: 'remove', path: '/data/z' }],
    "Internal error occurred: error in remove for path: '/data/z': Unable to remove nonexistent key: z: missing value",
  ],
  [
    'names the one of many that does not apply',
    [
      { op: 'add', path: '/data/x', value: 'y' },
      { op: 'test', path: '/data/x', value: 'y' },
      { op: 'add', path: '/metadata/annotations/x~1y', value: 'z' },
      { op: 'remove', path: '/data/nothing' },
    ],
    'Internal error occurred: add operation does not apply: doc is missing path: "/metadata/annotations/x~1y": missing value',
  ],
  [
    'makes a field of another type',
    [{ op: 'replace', path: '/data', value: 3 }],
    'Internal error occurred: data: json: cannot unmarshal number into field data of type map',
  ],
]

for (const [what, operations, message] of unusable) {
  test(`a patch that ${what} fails the request (Q-08)`, async (opened) => {
    const patch = Buffer.from(JSON.stringify(operations)).toString('base64')
    const answer = (review: Review) =>
      answered(review, { allowed: true, patchType: 'JSONPatch', patch })
    await withHooks(opened, [{ name: 'odd', mutating, answer }], async () => {
      const error = await assertRejects(make(opened, maps, map()), 'InternalError')
      assert.is(error.message, message)
    })
  })
}

test('a deletion cannot be changed (Q-02, Q-08)', async (opened) => {
  await make(opened, maps, map({ name: 'doomed' }))
  const target = inDefault(kindAt(maps), 'doomed')
  await withHooks(opened, [{ name: 'add', mutating, answer: adds('c', 'd') }], async () => {
    const error = await assertRejects(
      opened.registry.delete(target, { dryRun: false }),
      'InternalError',
    )
    assert.is(
      error.message,
      'Internal error occurred: admission webhook "add.example.com" attempted to modify the object, which is not supported for this operation',
    )
  })
  await withHooks(opened, [{ name: 'no', mutating, answer: deny() }], async () => {
    await assertRejects(opened.registry.delete(target, { dryRun: false }), '')
  })
  await opened.registry.delete(target, { dryRun: false })
})

test('a refusal ends the row (Q-05, Q-08)', async (opened) => {
  const hooks = [
    { name: 'a', mutating, answer: deny({ message: 'no' }) },
    { name: 'b', mutating, answer: allow },
  ]
  await withHooks(opened, hooks, async (asked) => {
    const error = await assertRejects(make(opened, maps, map()), '')
    assert.is(error.message, 'admission webhook "a.example.com" denied the request: no')
    assert.is(asked.length, 1)
  })
})

test('who asks for it is called again when something changed after it (Q-08)', async (opened) => {
  const calls: string[] = []
  const hook = (name: string, again: boolean, answer: (review: Review) => unknown) => ({
    name,
    mutating,
    answer: (review: Review) => {
      calls.push(name)
      return answer(review)
    },
    fields: { reinvocationPolicy: again ? 'IfNeeded' : 'Never' },
  })
  const counted = (review: Review) => {
    const { data } = review.request.object as unknown as MapLike
    return adds('count', `${Number(data?.count ?? '0') + 1}`)(review)
  }
  await withHooks(
    opened,
    [hook('a', true, counted), hook('b', false, adds('b', '1')), hook('c', true, allow)],
    async () => {
      const { object } = await make<MapLike>(opened, maps, map())
      assert.equal(calls.splice(0), ['a', 'b', 'c', 'a', 'c'])
      assert.is(object.data?.count, '2')
    },
  )
  await withHooks(opened, [hook('a', true, counted), hook('b', false, allow)], async () => {
    await make(opened, maps, map())
    assert.equal(calls.splice(0), ['a', 'b'], 'nothing changed after it')
  })
})

test('plugins of the server look again at what webhooks made (Q-08, Q-17)', async (opened) => {
  const fields = { rules: [rule(['pods'])], reinvocationPolicy: 'IfNeeded' }
  const answer = patching(
    { op: 'remove', path: '/spec/tolerations' },
    { op: 'add', path: '/metadata/labels', value: { seen: 'yes' } },
  )
  let calls = 0
  const once = (review: Review) => (calls++ === 0 ? answer(review) : allow(review))
  await withHooks(opened, [{ name: 'bare', mutating, answer: once, fields }], async () => {
    const { object } = await make<{ spec: { tolerations: readonly unknown[] } }>(
      opened,
      'api/v1/pods',
      pod('bare'),
    )
    assert.is(object.spec.tolerations.length, 2)
    assert.is(calls, 2, 'the server changed what the webhook had left')
  })
})

test('a dry run is changed like a real one (A7.9, A4.69)', async (opened) => {
  const given = map()
  await withHooks(opened, [{ name: 'add', mutating, answer: adds('c', 'd') }], async (asked) => {
    const { object } = await make<MapLike>(opened, maps, given, dry)
    assert.equal(object.data, { a: 'b', c: 'd' })
    assert.is(asked[0]?.dryRun, true)
  })
  await assertRejects(
    opened.registry.get(inDefault(kindAt(maps), given.metadata.name), {}),
    'NotFound',
  )
})

test('what a webhook sets is managed by nobody, an applier may take it (W-14, Q-08)', async (opened) => {
  await withHooks(opened, [{ name: 'add', mutating, answer: adds('c', 'd') }], async () => {
    const value = { apiVersion: 'v1', kind: 'ConfigMap', ...map({ name: 'applied' }) }
    const target = inDefault(kindAt(maps), 'applied')
    const first = await opened.registry.patch(target, 'apply', body(value), quiet)
    const { managedFields } = first.item.object().metadata as { managedFields?: unknown }
    assert.not.match(JSON.stringify(managedFields), 'f:c')
    const more = { ...value, data: { a: 'b', c: 'e' } }
    const answer = await opened.registry.patch(target, 'apply', body(more), quiet)
    assert.ok(answer.item)
  })
})

interface Managed {
  readonly metadata: { readonly managedFields?: readonly Readonly<Record<string, unknown>>[] }
}

const badRecords = [
  { manager: 'x', operation: 'Sideways', apiVersion: 'v1', fieldsType: 'FieldsV1' },
  { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV2' },
  {
    manager: 'x',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { q: {} },
  },
]
for (const record of badRecords) {
  test(`bad managed fields of a webhook are dropped with a warning, on create and update (A-22): ${JSON.stringify(record)}`, async (opened) => {
    const answer = patching({ op: 'add', path: '/metadata/managedFields', value: [record] })
    const told = /^\.metadata\.managedFields was in an invalid state after admission; /
    const given = map()
    await withHooks(opened, [{ name: 'bad', mutating, answer }], async () => {
      const made = await make<Managed>(opened, maps, given)
      assert.match(made.warnings.join(), told)
      const managers = made.object.metadata.managedFields
      assert.equal(
        managers?.map(({ manager }) => manager),
        ['test'],
      )
      const changed = await change<Managed>(opened, maps, given.metadata.name, { data: { a: 'c' } })
      assert.match(changed.warnings.join(), told)
      assert.equal(
        changed.object.metadata.managedFields?.map(({ manager }) => manager),
        ['test'],
      )
    })
  })
}

test('good managed fields of a webhook are stored', async (opened) => {
  const value = {
    ...{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' },
    fieldsV1: { 'f:data': { 'f:z': {} } },
  }
  const given = { ...map(), data: { a: 'b', z: 'z' } }
  await make(opened, maps, given)
  const answer = patching({ op: 'add', path: '/metadata/managedFields', value: [value] })
  await withHooks(opened, [{ name: 'good', mutating, answer }], async () => {
    const { object, warnings } = await change<Managed>(opened, maps, given.metadata.name, {
      data: { a: 'c' },
    })
    assert.equal(warnings, [])
    assert.equal(object.metadata.managedFields?.map(({ manager }) => manager).sort(), ['test', 'x'])
  })
})

test.run()
