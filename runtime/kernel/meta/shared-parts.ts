import { Recent } from '../values/recent.ts'
import { controllerOf } from './controller-of.ts'
import type { ApiObject, Stored } from './object.ts'

/** Parts below so many others are left as they are: custom objects may be as deep as their authors like. */
const mostDepth = 32

/** So many samples are kept, those that were compared with last. */
const remembered = 1000

/**
 * Gives objects whose parts are those of an earlier object of the same controller and phase, wherever they are equal: pods of one template
 * differ in little, and a cache of many keeps the rest once. An object is not changed, and one without a controller is given as it is.
 */
export function sharedParts(): <T extends ApiObject>(object: Stored<T>) => Stored<T> {
  const samples = new Recent<object>(remembered)
  return <T extends ApiObject>(object: Stored<T>): Stored<T> => {
    const owner = controllerOf(object)
    if (owner === undefined) return object
    const { status } = object as { readonly status?: { readonly phase?: unknown } }
    const key = `${owner.uid} ${String(status?.phase)}`
    const shared = withPartsOf(samples.find(key), object, mostDepth) as Stored<T>
    samples.set(key, shared)
    return shared
  }
}

/** A value with the parts of a sample where they are equal; the sample itself where all of it is. */
function withPartsOf(sample: unknown, value: unknown, depth: number): unknown {
  if (sample === value) return sample
  if (depth === 0) return value
  if (typeof sample !== 'object' || typeof value !== 'object') return value
  if (sample === null || value === null) return value
  if (Array.isArray(sample) !== Array.isArray(value)) return value
  return Array.isArray(value)
    ? withItemsOf(sample as readonly unknown[], value, depth - 1)
    : withFieldsOf(sample as Fields, value as Fields, depth - 1)
}

type Fields = Readonly<Record<string, unknown>>

function withItemsOf(
  sample: readonly unknown[],
  value: readonly unknown[],
  depth: number,
): readonly unknown[] {
  const items = value.map((item, at) => withPartsOf(sample[at], item, depth))
  const isEqual = items.length === sample.length && items.every((item, at) => item === sample[at])
  return isEqual ? sample : items
}

function withFieldsOf(sample: Fields, value: Fields, depth: number): Fields {
  const keys = Object.keys(value)
  let isEqual = keys.length === Object.keys(sample).length
  let copy: Record<string, unknown> | undefined
  for (const key of keys) {
    const old = value[key]
    const known = Object.hasOwn(sample, key) ? sample[key] : undefined
    const shared = withPartsOf(known, old, depth)
    if (shared !== known || known === undefined) isEqual = false
    // Of equal texts the one of the sample is kept, too.
    if (shared === old && (typeof old !== 'string' || old !== known)) continue
    copy ??= { ...value }
    copy[key] = shared
  }
  return isEqual ? sample : (copy ?? value)
}
