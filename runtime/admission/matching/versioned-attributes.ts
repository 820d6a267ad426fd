import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Attributes } from '../chain/attributes.ts'
import type { PluginContext } from '../chain/plugin-context.ts'

/** The resource, kind and objects of a request in the version that a webhook or policy matched. */
export interface VersionedAttributes {
  readonly resource: AnyKind
  readonly kind: AnyKind
  readonly object?: ApiObject
  readonly oldObject?: ApiObject
}

/**
 * Converts the objects of a request to the matched version of its resource. The body of a
 * subresource that has a kind of its own (Scale, Eviction) is not converted.
 *
 * Nothing is converted, and the references stay, where the matched version is that of the request.
 *
 * @throws whatever `context.convert` throws
 */
export async function versionAttributes(
  { convert }: PluginContext,
  version: AnyKind,
  { resource, kind, object, oldObject }: Attributes,
): Promise<VersionedAttributes> {
  const unchanged = version === resource || kind !== resource
  const inVersion = (one: ApiObject) => (unchanged ? one : convert(one, kind, version))
  return {
    resource: version,
    kind: unchanged ? kind : version,
    ...(object && { object: await inVersion(object) }),
    ...(oldObject && { oldObject: await inVersion(oldObject) }),
  }
}

/**
 * Converts an object from the matched version back to that of the request.
 *
 * @throws whatever `context.convert` throws
 */
export function inRequestVersion(
  { convert }: PluginContext,
  object: ApiObject | undefined,
  { kind }: Attributes,
  versioned: VersionedAttributes,
): Awaitable<ApiObject | undefined> {
  return object === undefined || kind === versioned.kind
    ? object
    : convert(object, versioned.kind, kind)
}
