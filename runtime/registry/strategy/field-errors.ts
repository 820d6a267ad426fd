import type { FieldError } from '../../kernel/validation/field-error.ts'

type FieldErrors = readonly FieldError[]

/**
 * The errors of three passes over one object, in this order: its metadata, its first reader, everything after that. An error
 * that a pass reported is not repeated by a later one, and of a required field that is absent nothing else is reported.
 */
export function mergeFieldErrors(
  metadata: FieldErrors,
  first: FieldErrors,
  later: FieldErrors,
  inSteps: FieldErrors = [],
): FieldErrors {
  const paths = new Set(metadata.map(({ path }) => path))
  const read = first.filter(({ path }) => !paths.has(path))
  const refused = new Set(read.map(identity))
  const rest = later.filter(
    (error) =>
      !refused.has(identity(error)) &&
      !(error.reason === 'FieldValueRequired' && paths.has(error.path)),
  )
  return withoutRepeats([...metadata, ...read, ...rest], inSteps)
}

function identity({ path, reason }: FieldError): string {
  return `${reason} ${path}`
}

/** Of a value that is absent nothing else is told, but all that its own check in steps says. */
function withoutRepeats(errors: FieldErrors, inSteps: FieldErrors): FieldErrors {
  const absent = new Set<string>()
  const texts = new Set<string>()
  const isNew = ({ path, message }: FieldError): boolean => {
    const text = `${path}: ${message}`
    if (absent.has(path) || texts.has(text)) return false
    texts.add(text)
    return true
  }
  const first = errors.filter((error) => {
    const told = isNew(error)
    if (told && error.reason === 'FieldValueRequired') absent.add(error.path)
    return told
  })
  return [...first, ...inSteps.filter(isNew)]
}
