import type { ApiObject } from '../kernel/meta/object.ts'

/** Any part of `T`: whatever is left out is nobody's wish. Items of lists are parts, too; lists with keys need their keys. */
export type PartOf<T> = T extends readonly (infer Item)[]
  ? readonly PartOf<Item>[]
  : T extends object
    ? { readonly [P in keyof T]?: PartOf<T[P]> }
    : T

/**
 * What an applier intends of an object: every field that it wants, each time. A field that it applied before and leaves
 * out now is given up, and goes unless somebody else wants it.
 */
export type ApplyConfiguration<T extends ApiObject> = Omit<PartOf<T>, 'metadata'> & {
  readonly metadata: Omit<PartOf<T['metadata']>, 'name' | 'managedFields'> & {
    readonly name: string
  }
}
