import { StatusError } from '../errors/status-error.ts'

/** One requirement of a field selector. */
export interface FieldRequirement {
  readonly field: string
  readonly equals: boolean
  readonly value: string
}

/**
 * Parses a field selector: `a=b`, `a==b` and `a!=b` joined by commas. In a value, backslash, comma and equals sign are escaped
 * by a backslash. The empty text selects everything.
 *
 * @throws StatusError BadRequest for a text that is no selector
 */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  return splitTerms(text)
    .filter((term) => term !== '')
    .sort()
    .map((term) => parseTerm(term, text))
    .filter(({ field, value }) => field !== '' || value !== '')
}

function splitTerms(text: string): readonly string[] {
  const terms: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === ',') {
      terms.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...terms, text.slice(start)]
}

function parseTerm(term: string, whole: string): FieldRequirement {
  const at = term.search(/!=|=/)
  const operator = ['!=', '==', '='].find((one) => at >= 0 && term.startsWith(one, at))
  if (operator === undefined) {
    throw new StatusError('BadRequest', `invalid selector: '${whole}'; can't understand '${term}'`)
  }
  const value = unescaped(term.slice(at + operator.length))
  return { field: term.slice(0, at), equals: operator !== '!=', value }
}

/** @throws StatusError BadRequest for the first character that is not escaped as it should be. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([\s\S]?)|[,=]/gu, (all: string, escaped: string | undefined) => {
    if (escaped !== undefined && escaped !== '' && '\\,='.includes(escaped)) return escaped
    const why =
      escaped === undefined
        ? `unescaped character in value: ${all.charCodeAt(0)}`
        : `invalid escape sequence: ${all}`
    throw new StatusError('BadRequest', `invalid field selector: ${why}`)
  })
}

/** The selector as text; parsing it gives the same requirements. */
export function printFieldSelector(requirements: readonly FieldRequirement[]): string {
  return requirements
    .map(({ field, equals, value }) => {
      const escaped = value.replaceAll(/[\\,=]/g, '\\$&')
      return `${field}${equals ? '=' : '!='}${escaped}`
    })
    .join(',')
}

/**
 * True if every requirement holds for the values that `read` gives. An absent value equals the zero of any type: the empty
 * text, `false` and `0`.
 */
export function matchesFields(
  requirements: readonly FieldRequirement[],
  read: (field: string) => unknown,
): boolean {
  return requirements.every(({ field, equals, value }) => {
    const actual = read(field)
    const same =
      actual === undefined || actual === null ? zeros.includes(value) : valueText(actual) === value
    return same === equals
  })
}

const zeros = ['', 'false', '0']

function valueText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
