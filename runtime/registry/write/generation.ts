import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { hasSubresource } from '../../kernel/descriptors/kind.ts'
import { nextGeneration } from '../../kernel/meta/generation.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'
import { encodeJson } from '../../serializer/serializer.ts'
import type { ObjectUpdate } from './object-write.ts'

/**
 * Counts an update that changes more than metadata and status, or what the kind says that counts: controllers compare
 * `metadata.generation` with the generation that they have observed.
 */
export function bumpGeneration(write: ObjectUpdate): ObjectUpdate {
  const { kind } = write.target
  const generation = write.old.metadata.generation ?? 0
  const counts = kind.generationCounts
  if (!kind.generation && counts === undefined) return write
  const same =
    counts === undefined ? hasSameSpec(kind, write.object, write.old) : hasSamePaths(write, counts)
  if (same) return write
  const { generation: _, name, generateName, namespace, uid, ...others } = write.object.metadata
  const first = Object.entries({ name, generateName, namespace, uid }).filter(([, value]) => value)
  const metadata = {
    ...Object.fromEntries(first),
    generation: nextGeneration(generation),
    ...others,
  }
  return { ...write, object: { ...write.object, metadata } }
}

/** Nothing and an empty list or map are the same. A subresource leaves metadata out of account. */
function hasSamePaths({ target, object, old }: ObjectUpdate, counts: readonly string[]): boolean {
  return counts.every((path) => {
    if (target.subresource !== undefined && path.startsWith('metadata.')) return true
    const [after, before] = [valueAtPath(object, path), valueAtPath(old, path)]
    return deepEqual(after, before) || (isNothing(after) && isNothing(before))
  })
}

function isNothing(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
}

/** True if two canonical objects differ in metadata at most, and in a status that is a path of its own. */
function hasSameSpec(kind: AnyKind, a: ApiObject, b: ApiObject): boolean {
  const apart = kind.customResource === undefined || hasSubresource(kind, 'status')
  const spec = (object: ApiObject) =>
    encodeJson({
      ...object,
      metadata: undefined,
      ...(apart && { status: undefined }),
    }) as Buffer
  return spec(a).equals(spec(b))
}
