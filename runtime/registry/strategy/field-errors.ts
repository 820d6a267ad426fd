import type { FieldError } from '../../kernel/validation/field-error.ts'

type FieldErrors = readonly FieldError[]

/**
 * What three looks at one object found, in this order: the rules of metadata, its first reader, everything after that.
 * What one look refused the next ones do not tell again, and of a required field that is absent nothing else is told.
 */
export function mergeFieldErrors(
  metadata: FieldErrors,
  first: FieldErrors,
  later: FieldErrors,
): FieldErrors {
  const told = new Set(metadata.map(({ path }) => path))
  const read = first.filter(({ path }) => !told.has(path))
  const refused = new Set(read.map(identity))
  const rest = later.filter(
    (finding) =>
      !refused.has(identity(finding)) &&
      !(finding.reason === 'FieldValueRequired' && told.has(finding.path)),
  )
  return withoutRepeats([...metadata, ...read, ...rest])
}

function identity({ path, reason }: FieldError): string {
  return `${reason} ${path}`
}

function withoutRepeats(errors: FieldErrors): FieldErrors {
  const absent = new Set<string>()
  const texts = new Set<string>()
  return errors.filter(({ path, reason, message }) => {
    const text = `${path}: ${message}`
    if (absent.has(path) || texts.has(text)) return false
    texts.add(text)
    if (reason === 'FieldValueRequired') absent.add(path)
    return true
  })
}
