/** What a schema of a definition may say at all: its words one by one, and the types of its lists and maps. */

import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden, invalid, unsupported } from '../../kernel/validation/field-errors.ts'
import type { Json } from '../../kernel/values/json.ts'
import { validateListTypes } from './list-types.ts'
import { countInstructions, maxInstructionsOfSchema } from './pattern-size.ts'
import { compilePattern, patternCost } from './patterns.ts'
import { childSchemas, maxSchemaErrors, type Schema } from './schema.ts'

/** Words of JSON Schema that a definition cannot use. */
const forbiddenKeywords = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
]

/** What looking at one node takes, in the units of steps. */
const workOfNode = 3

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']

/** Everything wrong with the words of a schema, alternatives included. */
export function* validateKeywords(schema: Schema, place: string, x: string): Steps<FieldError[]> {
  const found: FieldError[] = []
  const waiting: { schema: Schema; place: string }[] = [{ schema, place }]
  const patterns = new Set<string>()
  let instructions = 0
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const { pattern } = one.schema
    if (pattern !== '' && !patterns.has(pattern)) {
      patterns.add(pattern)
      instructions += countInstructions(pattern)
      if (instructions > maxInstructionsOfSchema) return [...found, tooManyPatterns(place)]
    }
    found.push(
      ...nodeFindings(one.schema, one.place, x),
      ...validateListTypes(one.schema, one.place, x),
    )
    yield workOfNode + patternCost(one.schema.pattern)
    if (found.length >= maxSchemaErrors) break
    for (const part of childSchemas(one.schema).reverse()) {
      waiting.push({ schema: part.schema, place: `${one.place}.${part.step}` })
    }
  }
  return found
}

function tooManyPatterns(place: string): FieldError {
  const why = `its patterns compile to more than ${maxInstructionsOfSchema} instructions together`
  return forbidden(place, why)
}

function nodeFindings(schema: Schema, place: string, x: string): FieldError[] {
  const { raw, type, pattern } = schema
  const found = forbiddenKeywords
    .filter((word) => isSaid(raw[word]))
    .map((word) => forbidden(`${place}.${word}`, `${word} is not supported`))
  if (type === 'null') {
    const why = 'type cannot be set to null, use nullable as an alternative'
    found.push(forbidden(`${place}.type`, why))
  } else if (type !== '' && !types.includes(type)) {
    found.push(unsupported(`${place}.type`, type, types))
  }
  if (Array.isArray(raw.items)) {
    const why = 'items must be a schema object and not an array'
    found.push(forbidden(`${place}.items`, why))
  }
  if (raw.uniqueItems === true) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    found.push(forbidden(`${place}.uniqueItems`, why))
  }
  found.push(...moreFindings(schema, place))
  if (raw[`x-${x}-preserve-unknown-fields`] === false) {
    const at = `${place}.x-${x}-preserve-unknown-fields`
    found.push(invalid(at, false, 'must be true or undefined'))
  }
  const problem = pattern === '' ? undefined : patternProblem(pattern)
  if (problem !== undefined) {
    const why = `must be a valid regular expression, but isn't: ${problem}`
    found.push(invalid(`${place}.pattern`, pattern, why))
  }
  return found
}

function isSaid(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function moreFindings({ additionalProperties: more, properties }: Schema, place: string) {
  const at = `${place}.additionalProperties`
  const found: FieldError[] = []
  if (more === false) found.push(forbidden(at, 'additionalProperties cannot be set to false'))
  if (properties.size > 0 && more !== undefined && more !== true) {
    found.push(forbidden(at, 'additionalProperties and properties are mutual exclusive'))
  }
  return found
}

function patternProblem(pattern: string): string | undefined {
  const compiled = compilePattern(pattern)
  return typeof compiled === 'string' ? compiled : undefined
}
