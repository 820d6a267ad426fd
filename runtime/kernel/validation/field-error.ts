/**
 * What generated readers and their callers agree on. A reader turns an unknown value into a typed object and reports
 * what it found on the way; it never throws and never stops at the first finding.
 */

/** Why a value was refused: the cause types of a Status, see the supplement's E-03. */
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

/** One thing wrong with a value. `message` is the cause text without the path: `Invalid value: -1: must be ...`. */
export interface FieldError {
  readonly path: string
  readonly reason: CauseReason
  readonly message: string
}

/** Collects what a reader finds. `types` fail the decoding (400), `findings` the validation (422). */
export interface ReadReport {
  /** A value of the wrong JSON type: the body cannot be read as this kind. */
  readonly typeErrors: FieldError[]
  /** Values of the right type that the schema refuses. */
  readonly errors: FieldError[]
  /** Paths of fields that the schema does not know; they were pruned. */
  readonly unknownFields: string[]
}

/**
 * Reads `input` as `T`. Paths in the report are relative to `input`: a caller that reads a part prefixes what the part
 * reported, so that a value without findings never builds a path.
 */
export type ObjectReader<T> = (input: unknown, report: ReadReport) => T

/** Reads one field: `name` is the path to report under. A struct's reader fits too: it ignores the name. */
export type FieldReader<T> = (value: unknown, report: ReadReport, name: string) => T | undefined

export function createReport(): ReadReport {
  return { typeErrors: [], errors: [], unknownFields: [] }
}
