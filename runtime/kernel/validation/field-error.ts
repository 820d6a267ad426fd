/**
 * The contract of generated readers. A reader turns an unknown value into a typed object and reports what is wrong with it;
 * it never throws and does not stop at the first error.
 */

/** Why a value is refused: the cause types of a Status (supplement E-03). */
export type CauseReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError'

/** What is wrong with one field. `message` has no path: `Invalid value: -1: must be ...`. */
export interface FieldError {
  readonly path: string
  readonly reason: CauseReason
  readonly message: string
  /** The path of what is looked at before: the error is told after all others there. Default: it is told where it stands. */
  readonly after?: string
  /** True for what is looked at before all else: with such an error nothing else is told. */
  readonly first?: true
  /** True for what is looked at before the metadata, in a pass of its own. */
  readonly beforeMetadata?: true
  /** True for what is told of a value beside that it is missing. */
  readonly besideMissing?: true
  /** True for what an order of errors tells apart as `Later`, beside other errors of the same field. */
  readonly later?: true
  /** True for what is told of an update once more, among what it may not change. */
  readonly again?: true
  /** True for what is told only where an object is judged as a new one would be. */
  readonly asNew?: true
}

/** What a reader reports. Type errors fail decoding (400), errors fail validation (422). */
export interface ReadReport {
  /** Values of the wrong JSON type: the body cannot be decoded as this kind. */
  readonly typeErrors: FieldError[]
  /** Values of the right type that the schema refuses. */
  readonly errors: FieldError[]
  /** Paths of fields that are not in the schema and were pruned. */
  readonly unknownFields: string[]
  /** Empty lists and maps that are stored as null stay empty: who sent one manages it. */
  readonly asSent: boolean
  /** A null that no field of a custom object allows is refused, and not dropped: an apply states what it states. */
  readonly keepsNulls?: boolean
  /** The metadata that the first of `typeErrors` is about: what is told before why it is none, and what was given. */
  malformedMetadata?: { readonly told: string; readonly given: unknown }
}

/**
 * Reads `input` as `T`. Paths in the report are relative to `input`. Who reads a part of a value puts its name before them, so
 * that a value without errors never builds a path.
 */
export type ObjectReader<T> = (input: unknown, report: ReadReport) => T

/** Reads one field; errors are reported under `name`. A struct's reader is one, too: it ignores the name. */
export type FieldReader<T> = (value: unknown, report: ReadReport, name: string) => T | undefined

/** An empty report. */
export function createReport(asSent = false, keepsNulls = false): ReadReport {
  return { typeErrors: [], errors: [], unknownFields: [], asSent, keepsNulls }
}
