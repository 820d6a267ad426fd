/** What is stored in another version than the one it was written in comes back whole, whatever it was. */
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { readSources } from '../../codegen/schema/files/sources.ts'
import { readApi } from '../../codegen/schema/read.ts'
import { scheme } from '../../generated/scheme.ts'
import { fromStorageVersion, toStorageVersion } from '../../runtime/apis/apis.ts'
import { type AnyKind, storedKind } from '../../runtime/kernel/descriptors/kind.ts'
import { type ApiObject, apiVersionOf } from '../../runtime/kernel/meta/object.ts'
import { createReport } from '../../runtime/kernel/validation/field-error.ts'
import { valuesOf } from '../support/arbitrary.ts'

const conversions = suite('generated: conversions')

const schemas = [{ folder: join(packageRoot, 'schemas'), prefix: '' as const }]
const platform = join(packageRoot, 'schemas/platform/orch.yaml')
const { api, findings } = readApi(await readSources(schemas, platform), () => '')
if (api === undefined) throw new Error(findings.map(({ message }) => message).join('\n'))

/** Random objects of a kind, as its reader leaves them. */
function objectsOf(kind: AnyKind) {
  const facts = api?.kinds.find(
    (each) => each.kind === kind.kind && apiVersionOf(each) === apiVersionOf(kind),
  )
  return valuesOf(api!, facts?.type ?? '').map((value) => {
    const headed = { ...(value as object), kind: kind.kind, apiVersion: apiVersionOf(kind) }
    return kind.read(headed, createReport()) as ApiObject
  })
}

const converted = Object.values(scheme.routes).filter(
  ({ storageVersion: storage }) => storage !== undefined,
)

/** An older autoscaler tells what was measured a second time, in an annotation that nobody wrote. */
function withoutMeasured(object: ApiObject, written: ApiObject): ApiObject {
  const key = `autoscaling.alpha.${scheme.platform.domain}/current-metrics`
  const { annotations, ...metadata } = object.metadata
  const { [key]: measured, ...others } = annotations ?? {}
  if (measured === undefined || written.metadata.annotations?.[key] !== undefined) return object
  const kept = written.metadata.annotations === undefined ? {} : { annotations: others }
  return { ...object, metadata: { ...metadata, ...kept } }
}

for (const kind of converted) {
  const stored = storedKind(kind)
  const name = `${kind.kind}, ${apiVersionOf(kind)} stored as ${apiVersionOf(stored)}`

  conversions(`${name}: what is written is read back`, () => {
    const property = fc.property(objectsOf(kind), (object) => {
      const back = fromStorageVersion(kind, toStorageVersion(kind, object))
      assert.equal(withoutMeasured(back, object), object)
    })
    fc.assert(property, { numRuns: 100 })
  })

  // The annotations that mark what one version cannot say are left out: random keys never meet them.
  conversions(`${name}: what is stored survives being read`, () => {
    const property = fc.property(objectsOf(stored), (object) => {
      const there = fromStorageVersion(kind, object)
      assert.equal(fromStorageVersion(kind, toStorageVersion(kind, there)), there)
    })
    fc.assert(property, { numRuns: 100 })
  })
}

conversions('flow control and admission policies have a version that is not stored', () => {
  const names = converted.map(({ kind, version }) => `${kind} ${version}`)
  for (const wanted of ['FlowSchema v1', 'PriorityLevelConfiguration v1']) {
    assert.ok(names.includes(wanted), wanted)
  }
  assert.ok(names.includes('ValidatingAdmissionPolicy v1alpha1'))
})

conversions.run()
