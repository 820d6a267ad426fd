import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'

/** The dotted paths of the fields of `T`, four levels deep; lists and maps are fields as a whole. */
export type FieldPath<T> = Paths<T, '', [1, 1, 1]>

type Paths<
  T,
  Prefix extends string,
  Depth extends readonly unknown[],
> = T extends readonly unknown[]
  ? never
  : T extends object
    ? string extends keyof T
      ? never
      : {
          [P in keyof T & string]-?:
            | `${Prefix}${P}`
            | (Depth extends readonly [unknown, ...infer Rest]
                ? Paths<NonNullable<T[P]>, `${Prefix}${P}.`, Rest>
                : never)
        }[keyof T & string]
    : never

/** True if two states of an object differ in one of the fields, or in whether it is being deleted. */
export function differsIn(
  fields: readonly string[],
  one: Stored<ApiObject>,
  other: Stored<ApiObject>,
): boolean {
  return (
    one.metadata.uid !== other.metadata.uid ||
    one.metadata.deletionTimestamp !== other.metadata.deletionTimestamp ||
    fields.some((field) => !deepEqual(valueAtPath(one, field), valueAtPath(other, field)))
  )
}

type Transform = (object: Stored<ApiObject>) => Stored<ApiObject>

const projections = new Map<string, Transform>()

/** Keeps the named fields of an object, what identifies it, its labels and its owners. The same function for the same fields. */
export function projectionOf(fields: readonly string[]): Transform {
  const name = JSON.stringify([...fields].sort())
  let projection = projections.get(name)
  if (projection === undefined) {
    const steps = fields.map((field) => field.split('.'))
    projection = (object) => {
      const kept = identityOf(object) as Record<string, unknown>
      for (const path of steps) copyPath(object as unknown as Tree, kept, path)
      return kept as unknown as Stored<ApiObject>
    }
    projections.set(name, projection)
  }
  return projection
}

/** Keeps the metadata of an object but for who manages which field. */
export function metadataOf<K extends ApiObject>(object: Stored<K>): Stored<K> {
  const { apiVersion, kind, metadata } = object
  const { managedFields: _, ...kept } = metadata as Stored<K>['metadata'] & Tree
  return { apiVersion, kind, metadata: kept } as unknown as Stored<K>
}

type Tree = Readonly<Record<string, unknown>>

const identifying = [
  ...['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
  ...['deletionTimestamp', 'labels', 'ownerReferences', 'finalizers'],
] as const

function identityOf({ apiVersion, kind, metadata }: Stored<ApiObject>): object {
  const all = metadata as unknown as Tree
  const kept = identifying.filter((name) => all[name] !== undefined)
  return { apiVersion, kind, metadata: Object.fromEntries(kept.map((name) => [name, all[name]])) }
}

/** Copies what is at a path, through objects of its own: those that are shared stay as they are. */
function copyPath(
  from: Tree,
  to: Record<string, unknown>,
  [step, ...rest]: readonly string[],
): void {
  if (step === undefined || !Object.hasOwn(from, step)) return
  const value = from[step]
  if (rest.length === 0 || typeof value !== 'object' || value === null) to[step] = value
  else {
    const below = { ...(to[step] as Tree | undefined) }
    copyPath(value as Tree, below, rest)
    to[step] = below
  }
}
