/** Objects in the version that is asked for, and in the one that is stored. */
import { convert, type NamedConversion, type Side } from '../kernel/conversion.ts'
import { invariant } from '../kernel/invariant.ts'
import { type AnyKind, storedKind } from '../kernel/kind.ts'
import { type ApiObject, apiVersionOf } from '../kernel/object.ts'
import { createReport } from '../kernel/read.ts'
import { cpuMetric } from './autoscaler-versions.ts'

/** Conversions that are written by hand, by the names that `call` steps of schemas use. */
export const conversions: ReadonlyMap<string, NamedConversion> = new Map<string, NamedConversion>([
  ['cpuMetric', cpuMetric],
])

/** The object as it is stored, in canonical form. The same object if its version is the stored one. */
export function toStored(kind: AnyKind, object: ApiObject): ApiObject {
  const { storage } = kind
  if (storage === undefined) return object
  return converted(kind, storedKind(kind), storage.side === 'newer' ? 'older' : 'newer', object)
}

/** A stored object in the version of `kind`, in canonical form. The same object if that is the stored one. */
export function fromStored(kind: AnyKind, object: ApiObject): ApiObject {
  const { storage } = kind
  if (storage === undefined) return object
  return converted(kind, kind, storage.side, object)
}

function converted({ storage }: AnyKind, to: AnyKind, side: Side, object: ApiObject): ApiObject {
  const value = convert(storage?.conversion ?? [], { ...object }, side, named)
  const headed = { ...value, kind: to.kind, apiVersion: apiVersionOf(to) }
  return to.read(headed, createReport()) as ApiObject
}

function named(name: string): NamedConversion {
  const found = conversions.get(name)
  invariant(found !== undefined, `a schema names the unknown conversion ${name}`)
  return found
}
