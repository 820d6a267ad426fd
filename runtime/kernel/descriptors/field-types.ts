/**
 * The types of fields, as messages about values of another type name them. They are imported when a body is refused: readers
 * decide whether it is, these tables only say why.
 */
import type { ReferenceRow } from './reference-row.ts'

/**
 * A type: a scalar (`int32`, `quantity`), the id of a struct, a union or a text with a name of its own
 * (`core/v1.PullPolicy`), or `[]` or `map[string]` before another type.
 */
export type FieldType = string

/** A field: its type, and what that is called where it is not called by its own name. */
export type FieldTypeRow = FieldType | readonly [type: FieldType, name: string]

/** The structs of a scheme. */
export interface FieldTypes {
  /** The fields of each struct, in the order of their declaration. */
  readonly structs: Readonly<Record<string, Readonly<Record<string, FieldTypeRow>>>>
  /** The order in which errors below a struct are told, where it is not that of its fields (`x-orch-error-order`). */
  readonly errorOrders?: Readonly<Record<string, readonly string[]>>
  /** The fields of structs that name other objects (`x-orch-references`). */
  readonly references?: Readonly<Record<string, readonly ReferenceRow[]>>
  /** The releases that brought fields of structs which are older (`x-orch-since`). */
  readonly since?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The types of a union's members. */
  readonly unions: Readonly<Record<string, readonly FieldType[]>>
  /** The struct of each kind: `apps/v1/Deployment` gives `apps/v1.Deployment`. */
  readonly kinds: Readonly<Record<string, string>>
}

/** One table of all structs; of equal names the last counts. */
export function mergeFieldTypes(tables: readonly FieldTypes[]): FieldTypes {
  return {
    structs: Object.assign({}, ...tables.map(({ structs }) => structs)),
    errorOrders: Object.assign({}, ...tables.map(({ errorOrders }) => errorOrders)),
    references: Object.assign({}, ...tables.map(({ references }) => references)),
    since: Object.assign({}, ...tables.map(({ since }) => since)),
    unions: Object.assign({}, ...tables.map(({ unions }) => unions)),
    kinds: Object.assign({}, ...tables.map(({ kinds }) => kinds)),
  }
}
