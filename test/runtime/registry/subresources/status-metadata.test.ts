/**
 * What of the metadata a write of the status may change, of every kind with one. The table was seen on a server of release 1.29 (finding
 * Clients 17), and read in its source for kinds that it does not serve unasked; definitions are decision 156.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import type { AnyKind } from '../../../../runtime/kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../../../runtime/kernel/meta/object.ts'
import type { Item, Target } from '../../../../runtime/registry/registry.ts'
import { samplesOf as samplesC } from '../../../../tools/compare/samples/basics.ts'
import { samplesOf as samplesB } from '../../../../tools/compare/samples/policies.ts'
import { samplesOf as samplesA } from '../../../../tools/compare/samples/workloads.ts'
import { body, type OpenRegistry, openRegistry, quiet } from '../../../support/registry.ts'
import { type SparseObject, sparseObjects } from '../../../support/sparse-objects.ts'

const tests = suite<OpenRegistry>('runtime/registry/subresources: metadata of a status')

tests.before(async (context) => {
  Object.assign(context, await openRegistry())
  const kind = scheme.routes['api/v1/namespaces'] as AnyKind
  await context.registry.create({ kind }, body({ metadata: { name: 'shop' } }), quiet)
})
tests.after(({ close }) => close())

const fields = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** What stays as it is stored; of other kinds all is written. */
const kept: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['labels'],
  Pod: ['ownerReferences'],
  ...Object.fromEntries(
    [
      ...['APIService', 'CustomResourceDefinition', 'FlowSchema', 'PriorityLevelConfiguration'],
      ...['StorageVersion', 'ValidatingAdmissionPolicy', 'VolumeAttachment'],
    ].map((kind) => [kind, fields]),
  ),
}

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'added', uid: 'b' }
const sent: Readonly<Record<string, unknown>> = {
  labels: { a: 'b', added: 'x' },
  annotations: { c: 'd', added: 'x' },
  finalizers: ['example.com/added'],
  ownerReferences: [owner],
}

const api = scheme.platform.api
const samples: readonly SparseObject[] = [
  {
    apiVersion: `apiregistration.${api}/v1`,
    kind: 'APIService',
    metadata: { name: 'v1.example.com' },
    spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 },
  },
  ...[samplesA, samplesB, samplesC].flatMap((samplesOf) => samplesOf(api)),
  ...sparseObjects(api),
]

for (const kind of Object.values(scheme.routes)) {
  if (!kind.subresources.some(({ name }) => name === 'status')) continue
  const isOfKind = (one: SparseObject) =>
    one.kind === kind.kind && one.apiVersion === apiVersionOf(kind)
  const sample = samples.find(isOfKind)
  for (const way of ['update', 'merge', 'apply'] as const) {
    tests(`${kind.kind} of ${apiVersionOf(kind)}: ${way} of the status`, async ({ registry }) => {
      const given = (sample?.metadata ?? {}) as { readonly name?: string }
      const isNamedByItself = given.name?.includes('.')
      const name = isNamedByItself ? String(given.name) : `${kind.version}-${way}`
      const inNamespace = kind.scope === 'Namespaced' && { namespace: 'shop' }
      const target: Target = { kind, name, ...inNamespace }
      const metadata = { ...given, name, labels: { a: 'b' }, annotations: { c: 'd' } }
      if (!isNamedByItself || way === 'update')
        await registry.create({ kind, ...inNamespace }, body({ ...sample, metadata }), quiet)
      const stored = objectIn(await registry.get(target, {}))
      const path: Target = { ...target, subresource: 'status' }
      const { item } = await (way === 'update'
        ? registry.update(
            path,
            body({ ...stored, metadata: { ...stored.metadata, ...sent, generation: 99 } }),
            quiet,
          )
        : registry.patch(path, way, body({ ...stated(kind), metadata: { name, ...sent } }), {
            ...quiet,
            force: true,
          }))
      const after = objectIn(item)
      for (const field of fields) {
        const isWritten = JSON.stringify(after.metadata[field] ?? null).includes('added')
        assert.is(isWritten, kept[kind.kind]?.includes(field) !== true, field)
      }
      assert.is(after.metadata.generation, stored.metadata.generation)
    })
  }
}

function stated(kind: AnyKind) {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind }
}

function objectIn({ bytes }: Item): { readonly metadata: Readonly<Record<string, unknown>> } {
  return JSON.parse(Buffer.from(bytes).toString())
}

tests.run()
