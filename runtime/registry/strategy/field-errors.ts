import type { FieldError } from '../../kernel/validation/field-error.ts'

type FieldErrors = readonly FieldError[]

/**
 * The errors of four passes over one object, in this order: its metadata, its first reader, the reader of its canonical form,
 * the checks of its kind. An error that a reader reported is not repeated by what follows, and of a value that a reader misses
 * checks say no more than that it stands twice, names nothing or was another; they may say the same twice.
 */
export function mergeFieldErrors(
  metadata: FieldErrors,
  first: FieldErrors,
  later: FieldErrors,
  checks: FieldErrors = [],
): FieldErrors {
  if (first.length + later.length + checks.length === 0) return metadata
  const paths = new Set(metadata.map(({ path }) => path))
  const read = first.filter(({ path }) => !paths.has(path))
  const refused = new Set(read.map(identity))
  const rest = later.filter(
    (error) =>
      !refused.has(identity(error)) &&
      !(error.reason === 'FieldValueRequired' && paths.has(error.path)),
  )
  const told = [...metadata, ...read, ...rest]
  if (checks.length === 0) return told
  const texts = new Set(told.map(textOf))
  const absent = new Set(told.filter(isRequired).map(({ path }) => path))
  const fresh = checks.filter(
    (error) =>
      error.besideMissing ||
      (!texts.has(textOf(error)) && (!absent.has(error.path) || looksElsewhere(error))),
  )
  return [...told, ...fresh]
}

/** True for what compares a value with others, or with what it was: an absent one is compared, too. */
function looksElsewhere({ reason, message }: FieldError): boolean {
  return (
    reason === 'FieldValueNotFound' ||
    reason === 'FieldValueDuplicate' ||
    /(field is immutable|are forbidden\.)$/.test(message)
  )
}

function identity({ path, reason }: FieldError): string {
  return `${reason} ${path}`
}

/** An error as it is told. */
export function textOf({ path, message }: FieldError): string {
  return `${path}: ${message}`
}

function isRequired({ reason }: FieldError): boolean {
  return reason === 'FieldValueRequired'
}
