/** Objects in the version that is asked for, and in the one that is stored. */
import {
  type ConversionSide,
  convert,
  type NamedConversion,
} from '../../kernel/descriptors/conversion.ts'
import { type AnyKind, storedKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { cpuMetric } from '../autoscaling/autoscaler-v1.ts'

/** Conversions that are written by hand, by the names that `call` steps of schemas use. */
export const conversions: ReadonlyMap<string, NamedConversion> = new Map<string, NamedConversion>([
  ['cpuMetric', cpuMetric],
])

/** The object as it is stored, in canonical form. The same object if its version is the stored one. */
export function toStorageVersion(kind: AnyKind, object: ApiObject): ApiObject {
  const { storageVersion: storage } = kind
  if (storage === undefined) return object
  return converted(kind, storedKind(kind), storage.side === 'newer' ? 'older' : 'newer', object)
}

/** A stored object in the version of `kind`, in canonical form. The same object if that is the stored one. */
export function fromStorageVersion(kind: AnyKind, object: ApiObject): ApiObject {
  const { storageVersion: storage } = kind
  if (storage === undefined) return object
  return converted(kind, kind, storage.side, object)
}

/**
 * The result is read by the reader of the version it goes to, which brings it into canonical form.
 * What that reader finds wrong is not reported: an object that was accepted once stays readable.
 */
function converted(
  { storageVersion: storage }: AnyKind,
  to: AnyKind,
  side: ConversionSide,
  object: ApiObject,
): ApiObject {
  const value = convert(storage?.conversion ?? [], { ...object }, side, namedConversion)
  const headed = { ...value, kind: to.kind, apiVersion: apiVersionOf(to) }
  return to.read(headed, createReport()) as ApiObject
}

function namedConversion(name: string): NamedConversion {
  const found = conversions.get(name)
  invariant(found !== undefined, `a schema names the unknown conversion ${name}`)
  return found
}
