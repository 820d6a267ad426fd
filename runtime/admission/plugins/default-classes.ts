/** What DefaultStorageClass and DefaultIngressClass share (supplement Q-19). */
import type { StoredMetadata } from '../../kernel/meta/object.ts'
import { isMainResource, isResource, type ResourceOperation } from '../chain/attributes.ts'
import { listObjects, type PluginContext } from '../chain/plugin-context.ts'

/** True for the creation of a resource. */
export function isCreation(request: ResourceOperation, group: string, plural: string): boolean {
  return (
    request.operation === 'CREATE' && isResource(request, group, plural) && isMainResource(request)
  )
}

/**
 * The name of the newest class that one of the annotations marks as default; undefined if there is
 * none. Times have seconds only; of classes created in the same second the first by name wins,
 * since lists are ordered by name.
 */
export function findDefaultClass(
  context: PluginContext,
  path: string,
  annotations: readonly string[],
): string | undefined {
  const marked = listObjects(context, path).filter(({ metadata }) =>
    annotations.some((key) => metadata.annotations?.[key] === 'true'),
  )
  const newest = marked.reduce<StoredMetadata | undefined>(
    (best, { metadata }) =>
      best === undefined || metadata.creationTimestamp > best.creationTimestamp ? metadata : best,
    undefined,
  )
  return newest?.name
}
