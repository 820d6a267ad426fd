/** Who manages what after writes: what a request asks for, before the server has its say. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { PatchType, Target } from '../../../../runtime/registry/registry.ts'
import {
  body,
  inDefault,
  kindAt,
  type OpenRegistry,
  openRegistry,
  quiet,
} from '../../../support/registry.ts'

const tests = suite<OpenRegistry>('runtime/registry/write: managed fields')

tests.before(async (context) => {
  Object.assign(context, await openRegistry())
})
tests.after(({ close }) => close())

const labels = { app: 'web' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'a' }] } }
const workload = { selector: { matchLabels: labels }, template }
const count = 'f:deprecated.daemonset.template.generation'

/** What each manager of an object manages. */
interface Writes {
  readonly create: (content: object) => Promise<object>
  readonly update: (manager: string, content: object) => Promise<object>
  readonly patch: (manager: string, content: object, type?: PatchType) => Promise<object>
  readonly scale: (manager: string, replicas: number) => Promise<object>
}

function writesOf({ registry }: OpenRegistry, path: string, name: string): Writes {
  const kind = kindAt(path)
  const target: Target & { readonly name: string } =
    kind.scope === 'Namespaced' ? { ...inDefault(kind), name } : { kind, name }
  const { name: _, ...collection } = target
  const whole = (content: object) =>
    body({ ...content, metadata: { ...metadataOf(content), name } })
  const managed = async () => {
    const { managedFields = [] } = JSON.parse(
      (await registry.get(target, {})).bytes.toString(),
    ).metadata
    return Object.fromEntries(
      managedFields.map((one: { manager: string; fieldsV1: object }) => [
        one.manager,
        one.fieldsV1,
      ]),
    )
  }
  const by = (manager: string) => ({ ...quiet, manager })
  return {
    create: (content) => registry.create(collection, whole(content), by('first')).then(managed),
    update: (manager, content) =>
      registry.update(target, whole(content), by(manager)).then(managed),
    patch: (manager, content, type = 'merge') =>
      registry.patch(target, type, body(content), by(manager)).then(managed),
    scale: (manager, replicas) =>
      registry
        .patch(
          { ...target, subresource: 'scale' },
          'merge',
          body({ spec: { replicas } }),
          by(manager),
        )
        .then(managed),
  }
}

function metadataOf(content: object): object {
  return (content as { readonly metadata?: object }).metadata ?? {}
}

tests(
  'the count of templates is of who does not state it, and not of who changes one',
  async (open) => {
    const set = writesOf(open, 'apis/apps/v1/daemonsets', 'counted')
    const created = (await set.create({ spec: workload })) as Record<string, Record<string, object>>
    assert.equal(created.first?.['f:metadata'], { 'f:annotations': { '.': {}, [count]: {} } })
    const changed = { spec: { template: { metadata: { labels: { more: 'x' } } } } }
    assert.equal(Object.keys(await set.patch('second', changed)), ['first', 'second'])
    assert.equal(((await set.update('third', { spec: workload })) as typeof created).third, {
      'f:metadata': { 'f:annotations': { [count]: {} } },
    })
  },
)

tests(
  'fields of disabled gates are of who sends them, although nothing keeps them',
  async (open) => {
    const set = writesOf(open, 'apis/apps/v1/deployments', 'gated')
    await set.create({ spec: workload })
    const gated = { spec: { template: { spec: { hostUsers: false } } } }
    assert.equal(((await set.patch('second', gated)) as Record<string, object>).second, {
      'f:spec': { 'f:template': { 'f:spec': { 'f:hostUsers': {} } } },
    })
  },
)

tests('an empty list that is stored as null is of who sends it', async (open) => {
  const slice = writesOf(open, 'apis/discovery.orch.io/v1/endpointslices', 'empty')
  assert.equal(await slice.create({ addressType: 'IPv4', endpoints: [] }), {
    first: { 'f:addressType': {}, 'f:endpoints': {} },
  })
})

tests('an item without its key takes all managers away', async (open) => {
  const account = writesOf(open, 'api/v1/serviceaccounts', 'keyless')
  await account.create({ automountServiceAccountToken: false })
  assert.equal(await account.update('second', { secrets: [{ kind: 'x' }] }), {})
})

tests(
  'replicas that are scaled to none have no manager, nor have those that come after',
  async (open) => {
    const set = writesOf(open, 'apis/apps/v1/replicasets', 'scaled')
    const replicas = { 'f:spec': { 'f:replicas': {} } }
    await set.create({ spec: { ...workload, replicas: 2 } })
    assert.equal(((await set.scale('second', 3)) as Record<string, object>).second, replicas)
    assert.equal(Object.keys(await set.scale('third', 0)), ['first'])
    assert.equal(Object.keys(await set.scale('fourth', 1)), ['first'])
  },
)

const claim = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' }
const held = { hostPath: { path: '/data' }, capacity: { storage: '1Gi' } }
const volume = { spec: { ...held, accessModes: ['ReadWriteOnce'], claimRef: claim } }

for (const [name, path, content, want] of [
  [
    'the parts of a claim of a volume are fields of their own',
    'api/v1/persistentvolumes',
    volume,
    { 'f:claimRef': { '.': {}, 'f:kind': {}, 'f:name': {}, 'f:namespace': {} } },
  ],
  [
    'data without a schema is one field',
    'apis/apps/v1/controllerrevisions',
    { data: { spec: { a: [1] } }, revision: 1 },
    { 'f:data': {} },
  ],
  [
    'a priority of zero has no manager',
    'apis/scheduling.orch.io/v1/priorityclasses',
    { value: 0, description: 'x' },
    { 'f:description': {} },
  ],
] as const) {
  tests(name, async (open) => {
    const created = await writesOf(open, path, 'one').create(content)
    const { first } = created as { readonly first: Record<string, object> }
    const fields = { ...first, ...first['f:spec'] } as Record<string, object>
    const [key] = Object.keys(want)
    assert.equal(fields[key as string], (want as Record<string, object>)[key as string])
    assert.is(fields['f:value'], undefined)
  })
}

tests.run()
