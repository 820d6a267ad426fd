import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ApiObject } from '../../../../runtime/kernel/meta/object.ts'
import type { WriteOptions } from '../../../../runtime/registry/registry.ts'
import {
  body,
  deployment,
  deployments,
  dry,
  inDefault,
  type OpenRegistry,
  openRegistry,
  quiet,
  strict,
} from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'

// I-17, P-09, A4.7, A4.8, A4.11
const scaling = suite<OpenRegistry>('runtime/registry/subresources/scale')

scaling.before(async (context) => {
  Object.assign(context, await openRegistry())
})
scaling.after(({ close }) => close())

type Scale = ApiObject & {
  readonly spec: { readonly replicas?: number }
  readonly status: { readonly replicas: number; readonly selector?: string }
}

const scaleOf = (name: string) => inDefault(deployments, name, 'scale')

async function made({ registry }: OpenRegistry, name: string, replicas = 2): Promise<ApiObject> {
  const written = await registry.create(
    inDefault(deployments),
    body(deployment(name, replicas)),
    quiet,
  )
  return written.item.object()
}

async function put(
  { registry }: OpenRegistry,
  name: string,
  scale: object,
  options: WriteOptions = quiet,
) {
  const written = await registry.update(scaleOf(name), body(scale), options)
  return written.item.object() as Scale
}

scaling(
  'a scale shows the numbers, the selector and the identity of its object (I-17)',
  async (opened) => {
    const { metadata } = await made(opened, 'shown')
    const scale = (await opened.registry.get(scaleOf('shown'), {})).object() as Scale
    const { uid, resourceVersion, creationTimestamp } = metadata
    const { managedFields, ...identity } = scale.metadata as typeof scale.metadata &
      object & { managedFields?: unknown }
    assert.equal(
      { ...scale, metadata: identity },
      {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'shown', namespace: 'default', uid, resourceVersion, creationTimestamp },
        spec: { replicas: 2 },
        status: { replicas: 0, selector: 'app=shown' },
      },
    )
  },
)

scaling(
  'a PUT sets the wanted number and nothing else, and counts as a new intent (I-17, W-06)',
  async (opened) => {
    const { metadata } = await made(opened, 'put')
    const scale = await put(opened, 'put', {
      metadata: { name: 'put', labels: { a: 'b' } },
      spec: { replicas: 5 },
      status: { replicas: 9 },
    })
    assert.is(scale.spec.replicas, 5)
    assert.is(scale.status.replicas, 0)
    const { item } = { item: await opened.registry.get(inDefault(deployments, 'put'), {}) }
    const object = item.object() as ApiObject & { spec: { replicas: number } }
    assert.is(object.spec.replicas, 5)
    assert.is(object.metadata.generation, 2)
    assert.is(object.metadata.labels, undefined)
    assert.is(object.metadata.uid, metadata.uid)
    assert.is(scale.metadata.resourceVersion, object.metadata.resourceVersion)
  },
)

scaling('patches of a scale work on the scale (P-09)', async (opened) => {
  await made(opened, 'patched')
  const merged = await opened.registry.patch(
    scaleOf('patched'),
    'merge',
    body({ spec: { replicas: 3 } }),
    quiet,
  )
  assert.is((merged.item.object() as Scale).spec.replicas, 3)
  const tested = body([
    { op: 'test', path: '/spec/replicas', value: 3 },
    { op: 'replace', path: '/spec/replicas', value: 4 },
  ])
  const second = await opened.registry.patch(scaleOf('patched'), 'json', tested, quiet)
  assert.is((second.item.object() as Scale).spec.replicas, 4)
  await assertRejects(opened.registry.patch(scaleOf('patched'), 'json', tested, quiet), 'Invalid')
})

scaling(
  'a scale with a version or a uid is conditional, without it is not (I-17, A4.57, E-11)',
  async (opened) => {
    const { metadata } = await made(opened, 'stale')
    const { resourceVersion } = metadata
    await put(opened, 'stale', {
      metadata: { name: 'stale', resourceVersion },
      spec: { replicas: 3 },
    })
    const late = { metadata: { name: 'stale', resourceVersion }, spec: { replicas: 4 } }
    const error = await assertRejects(put(opened, 'stale', late), 'Conflict')
    assert.match(error.message, 'Operation cannot be fulfilled on deployments.apps "stale"')
    const other = { metadata: { name: 'stale', uid: 'other' }, spec: { replicas: 4 } }
    await assertRejects(put(opened, 'stale', other), 'Conflict')
    await put(opened, 'stale', { metadata: { name: 'stale' }, spec: { replicas: 4 } })
  },
)

scaling('what a scale gets wrong is told of the scale (E-06, D-22)', async (opened) => {
  await made(opened, 'wrong')
  const negative = { metadata: { name: 'wrong' }, spec: { replicas: -1 } }
  const error = await assertRejects(put(opened, 'wrong', negative), 'Invalid')
  assert.is(
    error.message,
    'Scale.autoscaling "wrong" is invalid: spec.replicas: Invalid value: -1: ' +
      'must be greater than or equal to 0',
  )
  await assertRejects(put(opened, 'wrong', { metadata: { name: 'else' }, spec: {} }), 'BadRequest')
  await assertRejects(
    put(opened, 'wrong', { ...negative, spec: { replicas: 'many' } }),
    'BadRequest',
  )
  const unknown = { metadata: { name: 'wrong' }, spec: { replica: 1 } }
  const refused = await assertRejects(put(opened, 'wrong', unknown, strict), 'BadRequest')
  assert.match(refused.message, 'strict decoding error: unknown field "spec.replica"')
  await assertRejects(put(opened, 'absent', { metadata: { name: 'absent' }, spec: {} }), 'NotFound')
})

scaling(
  'a dry run scales nothing, and the same number is no write (F-11, W-05)',
  async (opened) => {
    const { metadata } = await made(opened, 'dry')
    const scale = { metadata: { name: 'dry' }, spec: { replicas: 7 } }
    assert.is((await put(opened, 'dry', scale, dry)).spec.replicas, 7)
    const same = await put(opened, 'dry', { metadata: { name: 'dry' }, spec: { replicas: 2 } })
    assert.is(same.metadata.resourceVersion, metadata.resourceVersion)
  },
)

scaling(
  'a scale shows no managers; who writes through it manages the number of the object, without a time (A-17)',
  async (opened) => {
    await made(opened, 'managed')
    await put(
      opened,
      'managed',
      { metadata: { name: 'managed' }, spec: { replicas: 5 } },
      { ...quiet, manager: 'scaler' },
    )
    const { metadata } = (await opened.registry.get(scaleOf('managed'), {})).object()
    assert.not.ok('managedFields' in metadata)
    const scaled = (await opened.registry.get(inDefault(deployments, 'managed'), {})).object()
      .metadata
    const { managedFields } = scaled as { managedFields?: readonly Record<string, unknown>[] }
    assert.equal(
      managedFields?.find(({ subresource }) => subresource === 'scale'),
      {
        manager: 'scaler',
        operation: 'Update',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        subresource: 'scale',
      },
    )
  },
)

scaling.run()
