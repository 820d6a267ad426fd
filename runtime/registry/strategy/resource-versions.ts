/** The resourceVersion of an object: it is part of what is served, never of what is stored. */
import type { ApiObject } from '../../kernel/meta/object.ts'

/** The object in the form that is stored and compared. */
export function withoutVersion(object: ApiObject): ApiObject {
  const { resourceVersion, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** The object with the version of another one, if that has one; the order of its fields does not matter. */
export function withVersionOf(
  { metadata: { resourceVersion } }: ApiObject,
  object: ApiObject,
): ApiObject {
  return {
    ...object,
    metadata: { ...object.metadata, ...(resourceVersion && { resourceVersion }) },
  }
}

/** The object with its version where readers look for it, after the uid. */
export function withVersion(object: ApiObject, resourceVersion: string): ApiObject {
  const fields = Object.entries(object.metadata)
  const at = fields.findIndex(([name]) => name === 'uid') + 1
  const metadata = Object.fromEntries([
    ...fields.slice(0, at),
    ['resourceVersion', resourceVersion],
    ...fields.slice(at),
  ])
  return { ...object, metadata }
}
