import type { ApiObject } from '../meta/object.ts'

/**
 * A generated type as checks and cells see it: every field may be absent, a list may be null, and a string may have a
 * value that the schema does not know. Checks see objects that the reader found wanting.
 */
export type Loose<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Loose<Item>[] | null
    : T extends object
      ? string extends keyof T
        ? { readonly [Name in keyof T]: Loose<T[Name]> }
        : { readonly [Name in keyof T]?: Loose<T[Name]> }
      : T

/** The same of a kind: an object with metadata, of which all other fields may be absent. */
export type LooseObject<T> = ApiObject & {
  readonly [Name in Exclude<keyof T, keyof ApiObject>]?: Loose<T[Name]>
}
