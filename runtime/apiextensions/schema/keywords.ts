/** The validation of the keywords of a schema, each by itself. */

import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden, invalid, unsupported } from '../../kernel/validation/field-errors.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import { validateListTypes } from './list-types.ts'
import { countInstructions, maxInstructionsOfSchema } from './pattern-size.ts'
import { compilePattern, patternCost } from './patterns.ts'
import { childSchemas, maxSchemaErrors, type Schema } from './schema.ts'

/** Keywords of JSON Schema that definitions may not use. */
const forbiddenKeywords = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
]

/** Cost in steps of validating the keywords of one node, without its pattern. */
const nodeCost = 3

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']

/** The errors of the keywords of a schema and of everything below it, alternatives included. Yields costs in steps. */
export function* validateKeywords(
  root: Schema,
  path: string,
  extension: string,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const queue = [{ schema: root, path }]
  const budget = new PatternBudget()
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    const { schema, path: at } = node
    if (!budget.spend(schema.pattern)) return [...errors, tooManyPatterns(path)]
    errors.push(...validateNode(schema, at, extension), ...validateListTypes(schema, at, extension))
    yield nodeCost + patternCost(schema.pattern)
    if (errors.length >= maxSchemaErrors) break
    for (const { step, schema: child } of childSchemas(schema).reverse()) {
      queue.push({ schema: child, path: `${at}.${step}` })
    }
  }
  return errors
}

/** Counts the instructions of the different patterns of one schema. */
class PatternBudget {
  readonly #patterns = new Set<string>()
  #instructions = 0

  /** False once the patterns together are too large. */
  spend(pattern: string): boolean {
    if (pattern === '' || this.#patterns.has(pattern)) return true
    this.#patterns.add(pattern)
    this.#instructions += countInstructions(pattern)
    return this.#instructions <= maxInstructionsOfSchema
  }
}

function tooManyPatterns(path: string): FieldError {
  const reason = `its patterns compile to more than ${maxInstructionsOfSchema} instructions together`
  return forbidden(path, reason)
}

function validateNode(schema: Schema, path: string, extension: string): readonly FieldError[] {
  const { raw } = schema
  return [
    ...forbiddenKeywords
      .filter((keyword) => isSet(raw[keyword]))
      .map((keyword) => forbidden(`${path}.${keyword}`, `${keyword} is not supported`)),
    ...validateType(schema.type, `${path}.type`),
    ...validateItems(raw, path),
    ...validateAdditionalProperties(schema, `${path}.additionalProperties`),
    ...validatePreserve(raw, `${path}.x-${extension}-preserve-unknown-fields`, extension),
    ...validatePattern(schema.pattern, `${path}.pattern`),
  ]
}

/** Empty values count as absent: clients with typed structs send them. */
function isSet(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function validateType(type: string, path: string): readonly FieldError[] {
  if (type === 'null') {
    return [forbidden(path, 'type cannot be set to null, use nullable as an alternative')]
  }
  return type === '' || types.includes(type) ? [] : [unsupported(path, type, types)]
}

function validateItems({ items, uniqueItems }: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if (Array.isArray(items)) {
    errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'))
  }
  if (uniqueItems === true) {
    const reason =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    errors.push(forbidden(`${path}.uniqueItems`, reason))
  }
  return errors
}

/** A schema beside named properties would make it unclear which of them prunes. */
function validateAdditionalProperties(
  { additionalProperties, properties }: Schema,
  path: string,
): readonly FieldError[] {
  if (additionalProperties === undefined || additionalProperties === true) return []
  const errors: FieldError[] = []
  if (additionalProperties === false) {
    errors.push(forbidden(path, 'additionalProperties cannot be set to false'))
  }
  if (properties.size > 0) {
    errors.push(forbidden(path, 'additionalProperties and properties are mutual exclusive'))
  }
  return errors
}

function validatePreserve(raw: JsonObject, path: string, extension: string): readonly FieldError[] {
  const isFalse = raw[`x-${extension}-preserve-unknown-fields`] === false
  return isFalse ? [invalid(path, false, 'must be true or undefined')] : []
}

function validatePattern(pattern: string, path: string): readonly FieldError[] {
  const compiled = pattern === '' ? undefined : compilePattern(pattern)
  if (typeof compiled !== 'string') return []
  return [invalid(path, pattern, `must be a valid regular expression, but isn't: ${compiled}`)]
}
