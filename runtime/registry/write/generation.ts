import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { encodeJson } from '../../serializer/serializer.ts'
import { hasSubresource } from '../strategy/writable-fields.ts'
import type { ObjectUpdate } from './object-write.ts'

/**
 * Counts an update that changes more than metadata and status, or annotations where the kind says so: controllers compare `metadata.generation` with the generation
 * that they have observed.
 */
export function bumpGeneration(write: ObjectUpdate): ObjectUpdate {
  const { kind } = write.target
  const generation = write.old.metadata.generation ?? 0
  if (!kind.generation && generation === 0) return write
  if (hasSameSpec(kind, write.object, write.old) && !countsAnnotations(write)) return write
  const metadata = { ...write.object.metadata, generation: generation + 1 }
  return { ...write, object: { ...write.object, metadata } }
}

function countsAnnotations({ target, object, old }: ObjectUpdate): boolean {
  if (target.kind.generationCountsAnnotations !== true || target.subresource !== undefined)
    return false
  const [after = {}, before = {}] = [object.metadata.annotations, old.metadata.annotations]
  return !deepEqual(after, before)
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
