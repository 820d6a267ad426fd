/** The media types in which a kind is read and written. */
import type { Verb } from '../../kernel/descriptors/kind.ts'
import type { PatchType, Target } from '../../registry/registry.ts'
import type { Serializer } from '../../serializer/serializer.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { RouteMedia } from '../negotiation/route-media.ts'

type Kind = Target['kind']

/** Kinds of patches by media type, in the order in which a refusal names them. */
const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
])

/** Custom resources have no directives for strategic merging (supplement C-25). */
const customPatchTypes: ReadonlyMap<string, PatchType> = new Map(
  [...patchTypes].filter(([, type]) => type !== 'strategic'),
)

/** The patches that a kind takes, by media type. */
export function patchTypesOf({ customResource }: Kind): ReadonlyMap<string, PatchType> {
  return customResource === undefined ? patchTypes : customPatchTypes
}

/** The formats that objects of a kind can be written in. */
export function serializersFor(
  { serializers }: Pick<ServerContext, 'serializers'>,
  kind: Kind,
): readonly Serializer[] {
  return serializers.every((each) => each.supports(kind))
    ? serializers
    : serializers.filter((each) => each.supports(kind))
}

const patchMedia = [...patchTypes.keys()]

/** What the route to a verb of a built-in kind takes and gives. */
export function routeMedia(context: ServerContext, kind: Kind, verb: Verb): RouteMedia {
  const serializers = serializersFor(context, kind)
  return verb === 'patch' ? { verb, serializers, bodies: patchMedia } : { verb, serializers }
}
