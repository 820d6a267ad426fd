import type { ApiObject, OwnerReferenceLike } from './object.ts'

/** The one owner that controls an object, if any. */
export function controllerOf({
  metadata,
}: Pick<ApiObject, 'metadata'>): OwnerReferenceLike | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}
