import type { ApiObject } from '../kernel/meta/object.ts'

/** `T` with every field optional, at any depth. Items of lists are parts, too; in a list with keys they need their keys. */
export type PartOf<T> = T extends readonly (infer Item)[]
  ? readonly PartOf<Item>[]
  : T extends object
    ? { readonly [P in keyof T]?: PartOf<T[P]> }
    : T

/**
 * What a manager applies: every field that it wants to have a value, each time, and no other. A field that it applied
 * before and leaves out now is removed, unless another manager applies it too.
 */
export type ApplyConfiguration<T extends ApiObject> = Omit<PartOf<T>, 'metadata'> & {
  readonly metadata: Omit<PartOf<T['metadata']>, 'name' | 'managedFields'> & {
    readonly name: string
  }
}
