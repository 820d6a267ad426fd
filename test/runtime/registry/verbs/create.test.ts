import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  body,
  configMaps,
  deployment,
  deployments,
  dry,
  inDefault,
  kindAt,
  namespaces,
  type OpenRegistry,
  openRegistry,
  pods,
  quiet,
  strict,
} from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'

const create = suite<OpenRegistry>('runtime/registry/verbs/create')

create.before(async (context) => {
  Object.assign(context, await openRegistry({ random: () => 0 }))
})
create.after(({ close }) => close())

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()

create(
  "the system fields are the server's and nobody else's (W-01, A2.6, A2.10)",
  async ({ registry }) => {
    const mine = '2001-01-01T00:00:00Z'
    const { item, created } = await registry.create(
      inDefault(deployments),
      body({
        ...deployment('system'),
        metadata: {
          name: 'system',
          uid: 'mine',
          generation: 7,
          creationTimestamp: mine,
          deletionTimestamp: mine,
          deletionGracePeriodSeconds: 3,
          selfLink: '/x',
          managedFields: [{ manager: 'x' }],
        },
        status: { replicas: 5 },
      }),
      quiet,
    )
    const { metadata, ...rest } = item.object()
    assert.ok(created)
    assert.equal(Object.keys(metadata), [
      'name',
      'namespace',
      'uid',
      'resourceVersion',
      'generation',
      'creationTimestamp',
      'managedFields',
    ])
    assert.not.match(JSON.stringify(metadata), '"x"')
    assert.match(metadata.uid, /^[0-9a-f-]{36}$/)
    assert.match(metadata.resourceVersion, /^[1-9]\d*$/)
    assert.is(metadata.generation, 1)
    assert.is.not(metadata.creationTimestamp, mine)
    assert.equal((rest as { status?: unknown }).status, {})
  },
)

create('what is stored is what is sent, in the declared order', async ({ registry }) => {
  const target = inDefault(configMaps)
  const { item } = await registry.create(
    target,
    body({ data: { b: '2', a: '1' }, metadata: { name: 'order' } }),
    quiet,
  )
  const got = await registry.get({ ...target, name: 'order' }, {})
  assert.is(textOf(got.bytes), textOf(item.bytes))
  assert.match(
    textOf(got.bytes),
    /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"order",.*"data":\{"a":"1","b":"2"\}\}$/,
  )
})

create(
  'a name is given, or made from generateName once (W-02, E-09, A2.3)',
  async ({ registry }) => {
    const target = inDefault(configMaps)
    const given = body({ metadata: { generateName: 'web-' } })
    const { item } = await registry.create(target, given, quiet)
    assert.is(item.object().metadata.name, 'web-bbbbb')
    assert.is(item.object().metadata.generateName, 'web-')
    const clash = await assertRejects(registry.create(target, given, quiet), 'AlreadyExists')
    assert.is(clash.details?.retryAfterSeconds, 1)
    const neither = await assertRejects(
      registry.create(target, body({ metadata: {} }), quiet),
      'Invalid',
    )
    assert.is(
      neither.message,
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    )
  },
)

create(
  'a taken name is refused, and says so if its holder is going (E-08)',
  async ({ registry }) => {
    const target = inDefault(configMaps)
    const given = body({ metadata: { name: 'taken', finalizers: ['example.com/x'] } })
    await registry.create(target, given, quiet)
    const error = await assertRejects(registry.create(target, given, quiet), 'AlreadyExists')
    assert.is(error.message, 'configmaps "taken" already exists')
    assert.equal(error.details, { name: 'taken', kind: 'configmaps' })
    await assertRejects(registry.create(target, given, dry), 'AlreadyExists')
    await registry.delete({ ...target, name: 'taken' }, { dryRun: false })
    const going = await assertRejects(registry.create(target, given, quiet), 'AlreadyExists')
    assert.is(going.message, 'object is being deleted: configmaps "taken" already exists')
  },
)

create(
  'a text that is no version is passed over, and a dry run gives back what was sent',
  async ({ registry }) => {
    const target = inDefault(configMaps)
    const versioned = (resourceVersion: string) =>
      body({ metadata: { name: `version-of-${resourceVersion}`, resourceVersion } })
    const { item } = await registry.create(target, versioned('text'), quiet)
    assert.match(item.object().metadata.resourceVersion ?? '', /^[1-9]\d*$/)
    for (const version of ['word', '7']) {
      const tried = await registry.create(target, versioned(version), { ...quiet, dryRun: true })
      assert.is(tried.item.object().metadata.resourceVersion, version)
    }
  },
)

create('a resourceVersion has no place in a new object (W-03, E-18)', async ({ registry }) => {
  const given = body({ metadata: { name: 'versioned', resourceVersion: '1' } })
  const error = await assertRejects(registry.create(inDefault(configMaps), given, quiet), '')
  assert.is(error.code, 500)
})

create('the namespace must exist and agree (R-14, R-16)', async ({ registry }) => {
  const given = body({ metadata: { name: 'x', namespace: 'other' } })
  await assertRejects(registry.create(inDefault(configMaps), given, quiet), 'BadRequest')
  const missing = await assertRejects(
    registry.create({ kind: configMaps, namespace: 'other' }, given, quiet),
    'NotFound',
  )
  assert.is(missing.message, 'namespaces "other" not found')
  const cluster = body({ metadata: { name: 'cluster', namespace: 'ignored' } })
  const { item } = await registry.create({ kind: namespaces }, cluster, dry)
  assert.is(item.object().metadata.namespace, undefined)
})

create(
  'all violations are reported, each with its path (E-03, E-06, W-09, W-10, W-11, W-13)',
  async ({ registry }) => {
    const error = await assertRejects(
      registry.create(
        inDefault(deployments),
        body({
          metadata: {
            name: 'Upper',
            labels: { ok: '-' },
            annotations: { 'a/b/c': '' },
            finalizers: ['orphan', 'foregroundDeletion'],
            ownerReferences: [
              { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: '', controller: true },
              { apiVersion: 'v1', kind: 'Event', name: 'b', uid: '2', controller: true },
            ],
          },
          spec: {},
        }),
        quiet,
      ),
      'Invalid',
    )
    const fields = error.details?.causes?.map(({ field }) => field) ?? []
    assert.is(error.details?.kind, 'Deployment')
    assert.is(error.details?.group, 'apps')
    for (const field of [
      'metadata.name',
      'metadata.labels',
      'metadata.annotations',
      'metadata.finalizers',
      'metadata.ownerReferences.uid',
      'metadata.ownerReferences',
      'spec.selector',
    ]) {
      assert.ok(fields.includes(field), `${field} of ${fields}`)
    }
    assert.match(
      error.message,
      /^Deployment\.apps "Upper" is invalid: \[metadata\.name: Invalid value: "Upper": /,
    )
  },
)

create('annotations are bounded together (W-09)', async ({ registry }) => {
  const annotations = { a: 'x'.repeat(200_000), b: 'x'.repeat(100_000) }
  const error = await assertRejects(
    registry.create(inDefault(configMaps), body({ metadata: { name: 'big', annotations } }), quiet),
    'Invalid',
  )
  assert.is(error.details?.causes?.[0]?.message, 'Too long: must have at most 262144 bytes')
})

create(
  'unknown and duplicate fields are told, refused or passed over (F-02, F-03, F-04, A4.68)',
  async ({ registry }) => {
    const target = inDefault(configMaps)
    const given = body({ metadata: { name: 'fields', bogus: 1 }, extra: { x: 1 } }, [
      'duplicate field "data"',
    ])
    const error = await assertRejects(registry.create(target, given, strict), 'BadRequest')
    assert.is(
      error.message,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ' +
        'unknown field "metadata.bogus", unknown field "extra", duplicate field "data"',
    )
    const { item, warnings } = await registry.create(target, given, dry)
    assert.is(warnings.length, 3)
    assert.is((item.object() as { extra?: unknown }).extra, undefined)
    const ignored = await registry.create(target, given, { ...dry, fieldValidation: 'Ignore' })
    assert.equal(ignored.warnings, [])
  },
)

create('a value of the wrong type is a bad request (D-22)', async ({ registry }) => {
  const given = body({ metadata: { name: 'x' }, data: { a: 1 } })
  const error = await assertRejects(
    registry.create(inDefault(configMaps), given, quiet),
    'BadRequest',
  )
  assert.match(error.message, /^ConfigMap in version "v1" cannot be handled as a ConfigMap: .*data/)
})

create('a dry run stores nothing (F-11, A4.69)', async ({ registry, store }) => {
  const before = await store.revision()
  const { item, created } = await registry.create(
    inDefault(configMaps),
    body({ metadata: { name: 'dry' } }),
    dry,
  )
  assert.ok(created)
  assert.ok(item.object().metadata.uid)
  assert.is(await store.revision(), before)
  await assertRejects(registry.get(inDefault(configMaps, 'dry'), {}), 'NotFound')
})

create(
  'odd finalizers of a lease are accepted, doubled owners with a warning (W-10, W-11)',
  async ({ registry }) => {
    const leases = kindAt('apis/coordination.orch.io/v1/leases')
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: '1' }
    const given = body({
      metadata: { name: 'odd', finalizers: ['mine'], ownerReferences: [owner, owner] },
    })
    const { item, warnings } = await registry.create(inDefault(leases), given, dry)
    assert.is(warnings.length, 1)
    assert.match(warnings[0] ?? '', 'contains duplicate entries; API server dedups')
    assert.match(warnings[0] ?? '', 'duplicate UID(s) observed: 1')
    assert.is(item.object().metadata.ownerReferences?.length, 1)
  },
)

create('finalizers have a domain or are well known (W-10)', async ({ registry }) => {
  const made = (finalizers: readonly string[]) =>
    registry.create(inDefault(configMaps), body({ metadata: { name: 'a', finalizers } }), dry)
  await made(['orch', 'orphan', 'example.com/mine'])
  await assertRejects(made(['mine']), 'Invalid')
})

create('a pod begins pending (I-02)', async ({ registry }) => {
  const { item } = await registry.create(
    inDefault(pods),
    body({
      metadata: { name: 'pod' },
      spec: { containers: [{ name: 'c', image: 'example/c:1' }] },
      status: { phase: 'Running' },
    }),
    quiet,
  )
  assert.equal((item.object() as { status?: unknown }).status, {
    phase: 'Pending',
    qosClass: 'BestEffort',
  })
})

create.run()
