import { invariant } from '../../kernel/errors/invariant.ts'
import type { Json } from '../../kernel/values/json.ts'
import { formatCheck } from '../formats/formats.ts'
import { compilePattern } from '../schema/patterns.ts'
import type { Schema } from '../schema/schema.ts'
import { type Check, checkFor, isNumber } from './check.ts'
import { formatValueWithTypes } from './json-values.ts'
import type { ReadContext } from './read-context.ts'

type StringCheck = (value: string, context: ReadContext) => void

/** Checks a string; true if it is refused. */
type TextCheck = (value: string, context: ReadContext) => boolean

/** The checks of `maxLength`, `minLength` and `pattern`, of which the first error is told, and that of `format`. */
export function stringChecks(schema: Schema): readonly Check[] {
  const texts = [...lengthChecks(schema.raw), ...patternChecks(schema.pattern)]
  const first: StringCheck = (value, context) => {
    texts.some((check) => check(value, context))
  }
  const checks = [...(texts.length > 0 ? [first] : []), ...formatChecks(schema.format)]
  return checkFor((value): value is string => typeof value === 'string', checks)
}

/**
 * Lengths are in code points: a character outside the basic plane counts once. Without work left a
 * text counts as too long or long enough, and the value is refused by `finish` in any case.
 */
function lengthChecks({ minLength, maxLength }: Schema['raw']): readonly TextCheck[] {
  const checks: TextCheck[] = []
  if (isNumber(maxLength)) {
    const message = `Too long: may not be longer than ${maxLength}`
    checks.push((value, context) => {
      const isRefused = isLonger(value, Number(maxLength), context)
      if (isRefused) context.addError('FieldValueTooLong', message)
      return isRefused
    })
  }
  if (isNumber(minLength)) {
    checks.push((value, context) => {
      const isRefused = !isLonger(value, Number(minLength) - 1, context)
      if (isRefused) context.addInvalid(value, `should be at least ${minLength} chars long`)
      return isRefused
    })
  }
  return checks
}

/** True if a string has more code points. Counting them costs work; most strings are decided by their UTF-16 length. */
function isLonger(text: string, max: number, context: ReadContext): boolean {
  if (text.length <= max) return false
  if (text.length > 2 * max || !context.spend(text.length >> 6)) return true
  let count = 0
  for (const _ of text) count++
  return count > max
}

/** The definition was validated, so that its patterns compile. */
function patternChecks(pattern: string): readonly TextCheck[] {
  if (pattern === '') return []
  const compiled = compilePattern(pattern)
  invariant(typeof compiled !== 'string', `${pattern} was accepted`)
  return [
    (value, context) => {
      const isRefused = !context.matches(compiled, value)
      if (isRefused) context.addInvalid(value, `should match '${pattern}'`)
      return isRefused
    },
  ]
}

/** A format that is not known has no check (C-11). */
function formatChecks(format: string): readonly StringCheck[] {
  const hasFormat = formatCheck(format)
  if (hasFormat === undefined) return []
  return [
    (value, context) => {
      if (hasFormat(value)) return
      const problem = `must be of type ${format}: ${formatValueWithTypes(value as Json)}`
      context.addInvalid(value, problem, 'FieldValueTypeInvalid')
    },
  ]
}
