import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid } from '../../kernel/validation/field-errors.ts'
import type { DefinitionVersion } from './definition.ts'

/** The most bytes of a warning: it is sent in a header. */
const maxBytes = 256

/** What a warning may hold: letters, marks, numbers, punctuation, symbols and the blank. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** The errors of a version's deprecation warning (C-22). */
export function validateDeprecation(
  { deprecated, deprecationWarning: warning }: DefinitionVersion,
  versionPath: string,
): readonly FieldError[] {
  if (warning === undefined || warning === null) return []
  const path = `${versionPath}.deprecationWarning`
  if (deprecated !== true)
    return [invalid(path, warning, 'can only be set for deprecated versions')]
  const reasons: string[] = []
  if (Buffer.byteLength(warning) > maxBytes) reasons.push('must be <= 256 characters long')
  if (warning === '') reasons.push('must not be an empty string')
  const odd = indexOfUnprintable(warning)
  if (odd !== undefined) {
    const reason = 'must only contain printable UTF-8 characters; non-printable character found at'
    reasons.push(`${reason} index ${odd}`)
  }
  return reasons.map((reason) => invalid(path, warning, reason))
}

/** The index in bytes of the first character that cannot be printed. */
function indexOfUnprintable(text: string): number | undefined {
  let index = 0
  for (const character of text) {
    if (!printable.test(character)) return index
    index += Buffer.byteLength(character)
  }
  return undefined
}
