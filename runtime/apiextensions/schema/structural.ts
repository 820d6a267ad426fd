/**
 * The validation of structural schemas (supplement C-05): the structure of a schema is declared outside of `allOf`, `anyOf`,
 * `oneOf` and `not`, which only restrict values. Paths are those of the definition:
 * `spec.versions[0].schema.openAPIV3Schema.properties[spec].type`.
 */
import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden, invalid } from '../../kernel/validation/field-errors.ts'
import { validateCompleteness } from './completeness.ts'
import { PatternBudget } from './pattern-size.ts'
import { compilePattern, patternCost } from './patterns.ts'
import { alternativeSchemas, maxSchemaErrors, type Schema } from './schema.ts'
import { type Level, validateNode } from './structural-node.ts'

/** Cost in steps of validating one node, without its pattern. */
const nodeCost = 2

/**
 * The errors that keep a schema from being structural, sorted by path. `extension` is the prefix of extension keys. Yields costs
 * in steps.
 */
export function* validateStructural(
  schema: Schema,
  path: string,
  extension: string,
): Steps<readonly FieldError[]> {
  const validation = new StructureValidation(extension)
  yield* validation.run(schema, path)
  const errors = [...validation.errors, ...(yield* validateCompleteness(schema, path))]
  return errors.sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1))
}

function sortKeyOf({ path, message }: FieldError): string {
  return `${path}: ${message}`
}

/** A node of the structure that waits for its validation. */
interface Node {
  readonly schema: Schema
  readonly level: Level
  readonly path: string
}

class StructureValidation {
  readonly errors: FieldError[] = []
  readonly #extension: string
  readonly #patterns = new PatternBudget()

  constructor(extension: string) {
    this.#extension = extension
  }

  *run(root: Schema, path: string): Steps<void> {
    const queue: Node[] = [{ schema: root, level: 'root', path }]
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      const { schema, level, path: at } = node
      this.errors.push(...validateNode(schema, level, at, this.#extension))
      yield* this.#pattern(schema.pattern, `${at}.pattern`)
      yield* this.#alternativesOf(schema, intOrStringForms(schema), at)
      queue.push(...childrenOf(node))
      yield nodeCost
      if (this.errors.length >= maxSchemaErrors) return
    }
  }

  /** Compiles a pattern. More than a schema may have are not compiled: the validation of keywords tells of them. */
  *#pattern(pattern: string, path: string): Steps<void> {
    if (pattern === '' || !this.#patterns.spend(pattern)) return
    const compiled = compilePattern(pattern)
    yield patternCost(pattern)
    if (typeof compiled !== 'string') return
    const reason = `must be a valid regular expression, but isn't: ${compiled}`
    this.errors.push(invalid(path, pattern, reason))
  }

  *#alternativesOf(schema: Schema, forms: IntOrStringForms, path: string): Steps<void> {
    for (const { step, schema: alternative } of alternativeSchemas(schema)) {
      if (forms.anyOf && step.startsWith('anyOf')) continue
      const anyOf = step === 'allOf[0]' && forms.firstAllOf
      yield* this.#nested(alternative, { ...noForms, anyOf }, `${path}.${step}`)
    }
  }

  /** Validates a node inside an alternative: it may restrict values, and declares nothing. */
  *#nested(schema: Schema, forms: IntOrStringForms, path: string): Steps<void> {
    if (this.errors.length >= maxSchemaErrors) return
    yield nodeCost
    yield* this.#alternativesOf(schema, forms, path)
    yield* this.#pattern(schema.pattern, `${path}.pattern`)
    const { items, properties } = schema
    if (items) yield* this.#nested(items, noForms, `${path}.items`)
    for (const [name, child] of properties) {
      yield* this.#nested(child, noForms, `${path}.properties[${name}]`)
    }
    for (const [keyword, required, isSet] of declaringKeywords(schema, this.#extension)) {
      if (!isSet) continue
      this.errors.push(forbidden(`${path}.${keyword}`, `must be ${required} to be structural`))
    }
    if (properties.has('metadata')) {
      const reason = 'must not be specified in a nested context'
      this.errors.push(forbidden(`${path}.properties[metadata]`, reason))
    }
  }
}

function childrenOf({ schema, path }: Node): readonly Node[] {
  const { items, properties, additionalProperties } = schema
  const children: Node[] = []
  if (items) children.push({ schema: items, level: 'item', path: `${path}.items` })
  for (const [name, child] of properties) {
    children.push({ schema: child, level: 'field', path: `${path}.properties[${name}]` })
  }
  if (typeof additionalProperties === 'object') {
    const child = { schema: additionalProperties, path: `${path}.additionalProperties` }
    children.push({ ...child, level: 'field' })
  }
  return children
}

/** Where a node spells out int-or-string as alternatives with types, which is the exception to the rule. */
interface IntOrStringForms {
  readonly anyOf: boolean
  readonly firstAllOf: boolean
}

const noForms: IntOrStringForms = { anyOf: false, firstAllOf: false }

/** `anyOf: [{type: integer}, {type: string}]`, directly or as the first of `allOf`. */
function intOrStringForms({ anyOf, allOf }: Schema): IntOrStringForms {
  return { anyOf: isIntOrString(anyOf), firstAllOf: isIntOrString(allOf[0]?.anyOf ?? []) }
}

function isIntOrString(alternatives: readonly Schema[]): boolean {
  const types = alternatives.map(({ raw, type }) => (Object.keys(raw).length === 1 ? type : ''))
  return types.length === 2 && types[0] === 'integer' && types[1] === 'string'
}

/** The keywords that declare structure: their names, what they have to be inside an alternative, and whether they are set. */
function declaringKeywords(
  schema: Schema,
  extension: string,
): readonly (readonly [keyword: string, required: string, isSet: boolean])[] {
  const { raw } = schema
  const prefix = `x-${extension}`
  return [
    ['type', 'empty', schema.type !== ''],
    ['additionalProperties', 'undefined', schema.additionalProperties !== undefined],
    ['default', 'undefined', schema.default !== undefined],
    ['title', 'empty', Boolean(raw.title)],
    ['description', 'empty', Boolean(raw.description)],
    ['nullable', 'false', schema.nullable],
    [`${prefix}-preserve-unknown-fields`, 'false', schema.preserveUnknownFields],
    [`${prefix}-embedded-resource`, 'false', schema.embeddedResource],
    [`${prefix}-int-or-string`, 'false', schema.intOrString],
    [`${prefix}-list-map-keys`, 'empty', schema.listMapKeys.length > 0],
    [`${prefix}-list-type`, 'undefined', schema.listType !== undefined],
    [`${prefix}-map-type`, 'undefined', schema.mapType !== undefined],
    [`${prefix}-validations`, 'empty', schema.validations.length > 0],
  ]
}
