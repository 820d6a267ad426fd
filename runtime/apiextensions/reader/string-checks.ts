import { invariant } from '../../kernel/errors/invariant.ts'
import type { Json } from '../../kernel/values/json.ts'
import { compilePattern } from '../schema/patterns.ts'
import type { Schema } from '../schema/schema.ts'
import { type Check, checkFor, isNumber } from './check.ts'
import { formatCheck } from './formats.ts'
import { formatValueWithTypes } from './json-values.ts'
import type { ReadContext } from './read-context.ts'

type StringCheck = (value: string, context: ReadContext) => void

/** The checks of `maxLength`, `minLength`, `pattern` and `format`. */
export function stringChecks(schema: Schema): readonly Check[] {
  const checks = [
    ...lengthChecks(schema.raw),
    ...patternChecks(schema.pattern),
    ...formatChecks(schema.format),
  ]
  return checkFor((value): value is string => typeof value === 'string', checks)
}

function lengthChecks({ minLength, maxLength }: Schema['raw']): readonly StringCheck[] {
  const checks: StringCheck[] = []
  if (isNumber(maxLength)) {
    const message = `Too long: may not be longer than ${maxLength}`
    checks.push((value, context) => {
      if (isLonger(value, Number(maxLength), context))
        context.addError('FieldValueTooLong', message)
    })
  }
  if (isNumber(minLength)) {
    checks.push((value, context) => {
      if (isLonger(value, Number(minLength) - 1, context)) return
      context.addInvalid(value, `should be at least ${minLength} chars long`)
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
function patternChecks(pattern: string): readonly StringCheck[] {
  if (pattern === '') return []
  const compiled = compilePattern(pattern)
  invariant(typeof compiled !== 'string', `${pattern} was accepted`)
  return [
    (value, context) => {
      if (!context.matches(compiled, value)) context.addInvalid(value, `should match '${pattern}'`)
    },
  ]
}

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
