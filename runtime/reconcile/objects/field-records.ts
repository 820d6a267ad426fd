import type { ManagedFieldsRecord } from '../../apply/apply.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'

/** The records of an object that say who manages which field. */
export function recordsIn(object: ApiObject): readonly ManagedFieldsRecord[] {
  const { managedFields } = object.metadata as {
    readonly managedFields?: readonly ManagedFieldsRecord[]
  }
  return managedFields ?? []
}

/** The record of what a manager applied to the object itself. */
export function recordOf(object: ApiObject, manager: string): ManagedFieldsRecord | undefined {
  return recordsIn(object).find(
    (one) => one.manager === manager && one.operation === 'Apply' && !one.subresource,
  )
}
