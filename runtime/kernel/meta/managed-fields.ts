import type { ApiObject, Stored } from './object.ts'

/** The object without the records of who manages which field, which are often most of it. */
export function withoutManagedFields<T extends ApiObject>(object: Stored<T>): Stored<T> {
  const { managedFields: _, ...metadata } = object.metadata as Stored<T>['metadata'] & {
    readonly managedFields?: unknown
  }
  return { ...object, metadata } as unknown as Stored<T>
}
