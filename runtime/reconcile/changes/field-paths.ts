import { withoutManagedFields } from '../../kernel/meta/managed-fields.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { valueAtSteps } from '../../kernel/values/dotted-path.ts'

/**
 * The dotted paths of the fields of `T`, four levels deep. A list is a field as a whole; a map is one, too, and so is each of its entries:
 * `metadata.labels[app]`. Of a kind that is known only at run time it is any path.
 */
export type FieldPath<T> = string extends keyof T ? string : Paths<T, '', [1, 1, 1]>

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
            | EntryPath<NonNullable<T[P]>, `${Prefix}${P}`>
            | (Depth extends readonly [unknown, ...infer Rest]
                ? Paths<NonNullable<T[P]>, `${Prefix}${P}.`, Rest>
                : never)
        }[keyof T & string]
    : never

/** The paths of the entries of a map. */
type EntryPath<T, Path extends string> = string extends keyof T ? `${Path}[${string}]` : never

const steps = new Map<string, readonly string[]>()

/** The steps of a path: names of fields, and the key of an entry in brackets. Paths are declared, so that they are few. */
export function stepsOf(path: string): readonly string[] {
  let known = steps.get(path)
  if (known === undefined) {
    known = [...path.matchAll(/\[([^\]]*)\]|[^.[]+/g)].map(([name, key]) => key ?? name)
    steps.set(path, known)
  }
  return known
}

/** The value of a field; undefined where there is none. */
export function fieldValue(object: object, path: string): unknown {
  return valueAtSteps(object, stepsOf(path))
}

/** True if two states of an object differ in one of the fields, or in whether it is being deleted. */
export function differsIn(
  fields: readonly string[],
  one: Stored<ApiObject>,
  other: Stored<ApiObject>,
): boolean {
  return (
    one.metadata.uid !== other.metadata.uid ||
    one.metadata.deletionTimestamp !== other.metadata.deletionTimestamp ||
    fields.some((field) => !deepEqual(fieldValue(one, field), fieldValue(other, field)))
  )
}

type Transform = (object: Stored<ApiObject>) => Stored<ApiObject>

const projections = new Map<string, Transform>()

/** Keeps the named fields of an object, what identifies it, its labels and its owners. The same function for the same fields. */
export function projectionOf(fields: readonly string[]): Transform {
  const name = JSON.stringify([...fields].sort())
  let projection = projections.get(name)
  if (projection === undefined) {
    const paths = fields.map(stepsOf)
    projection = (object) => {
      const kept = identityOf(object) as Record<string, unknown>
      for (const path of paths) copyPath(object as unknown as Tree, kept, path)
      return kept as unknown as Stored<ApiObject>
    }
    projections.set(name, projection)
  }
  return projection
}

/** Keeps the metadata of an object but for who manages which field. */
export function metadataOf<K extends ApiObject>(object: Stored<K>): Stored<K> {
  const { apiVersion, kind, metadata } = withoutManagedFields(object)
  return { apiVersion, kind, metadata } as unknown as Stored<K>
}

/** True for what keeps a part of objects and changes nothing in it: who reads a part finds it in whole objects, too. */
export function keepsPart(transform: unknown): boolean {
  return transform === metadataOf || [...projections.values()].some((one) => one === transform)
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
