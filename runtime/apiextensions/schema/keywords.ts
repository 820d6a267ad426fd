/** The validation of the keywords of a schema, each by itself. */

import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden, invalid, unsupported } from '../../kernel/validation/field-errors.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import { validateListTypes } from './list-types.ts'
import { maxInstructionsOfSchema, PatternBudget } from './pattern-size.ts'
import { patternCost } from './patterns.ts'
import { childSchemas, maxSchemaErrors, type Schema } from './schema.ts'

/** Keywords of JSON Schema that definitions may not use, where an empty value counts as none. */
const emptyKeywords = ['id', 'patternProperties', 'definitions']

/** Keywords of JSON Schema that definitions may not use, with any value. */
const absentKeywords = ['additionalItems', 'dependencies', '$ref']

/** The keywords that may not be used, in the order of their errors. */
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

/** A node that waits for its validation. */
interface Node {
  readonly schema: Schema
  readonly path: string
  readonly isRoot?: boolean
  /** True below `metadata`, `kind` and `apiVersion` of the object or of an embedded resource. */
  readonly insideMeta: boolean
  /** Why there can be no default here; undefined where there can. */
  readonly noDefaults: string | undefined
}

/** The errors of keywords, and the paths of the nodes that have them, in the same order. */
export interface KeywordErrors {
  readonly errors: readonly FieldError[]
  readonly nodes: readonly string[]
}

/** The errors of the keywords of a schema and of everything below it, alternatives included. Yields costs in steps. */
export function* validateKeywords(
  root: Schema,
  path: string,
  extension: string,
): Steps<KeywordErrors> {
  const errors: FieldError[] = []
  const nodes: string[] = []
  const first: Node = { schema: root, path, isRoot: true, insideMeta: false, noDefaults: undefined }
  const queue = [first]
  const budget = new PatternBudget()
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    const { schema, path: at } = node
    if (!budget.spend(schema.pattern)) {
      return { errors: [...errors, tooManyPatterns(path)], nodes: [...nodes, path] }
    }
    for (const error of validateNode(node, extension)) {
      errors.push(error)
      nodes.push(at)
    }
    yield nodeCost + patternCost(schema.pattern)
    if (errors.length >= maxSchemaErrors) break
    for (const { step, schema: child } of childSchemas(schema).reverse()) {
      queue.push(childOf(node, step, child))
    }
  }
  return { errors, nodes }
}

function childOf(parent: Node, step: string, schema: Schema): Node {
  const { insideMeta, noDefaults, isRoot = false } = parent
  const path = `${parent.path}.${step}`
  if (step === 'additionalProperties' && insideMeta) {
    const reason = 'inside additionalProperties applying to object metadata'
    return { schema, path, insideMeta, noDefaults: reason }
  }
  const name = metaSteps.get(step)
  if (name === undefined || !(isRoot || parent.schema.embeddedResource)) {
    return { schema, path, insideMeta, noDefaults }
  }
  return {
    schema,
    path,
    insideMeta: true,
    noDefaults: isRoot ? `in top-level ${name}` : noDefaults,
  }
}

const metaSteps: ReadonlyMap<string, string> = new Map(
  ['metadata', 'kind', 'apiVersion'].map((name) => [`properties[${name}]`, name]),
)

function tooManyPatterns(path: string): FieldError {
  const reason = `its patterns compile to more than ${maxInstructionsOfSchema} instructions together`
  return forbidden(path, reason)
}

function validateNode(node: Node, extension: string): readonly FieldError[] {
  const { schema, path, insideMeta, noDefaults } = node
  const { raw, type } = schema
  const errors: FieldError[] = []
  if (type !== '' && !types.includes(type)) errors.push(unsupported(`${path}.type`, type, types))
  if (schema.default !== undefined && noDefaults !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${noDefaults}`))
  }
  for (const keyword of forbiddenKeywords) {
    if (!isForbidden(keyword, raw[keyword])) continue
    errors.push(forbidden(`${path}.${keyword}`, `${keyword} is not supported`))
  }
  if (type === 'null') {
    const reason = 'type cannot be set to null, use nullable as an alternative'
    errors.push(forbidden(`${path}.type`, reason))
  }
  errors.push(...validateItems(raw, path))
  if (insideMeta && schema.embeddedResource) {
    const at = `${path}.x-${extension}-embedded-resource`
    errors.push(forbidden(at, 'must not be used inside of resource meta'))
  }
  errors.push(...validateAdditionalProperties(schema, `${path}.additionalProperties`))
  errors.push(...validatePreserve(raw, `${path}.x-${extension}-preserve-unknown-fields`, extension))
  errors.push(...validateListTypes(schema, path, extension))
  return errors
}

function isForbidden(keyword: string, value: Json | undefined): boolean {
  if (value === undefined || value === null) return false
  if (absentKeywords.includes(keyword)) return true
  return emptyKeywords.includes(keyword) && Object.keys(value).length > 0
}

function validateItems({ items, uniqueItems }: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if (Array.isArray(items) && items.length > 0) {
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
  if (properties.size === 0) return []
  return [forbidden(path, 'additionalProperties and properties are mutual exclusive')]
}

function validatePreserve(raw: JsonObject, path: string, extension: string): readonly FieldError[] {
  const isFalse = raw[`x-${extension}-preserve-unknown-fields`] === false
  return isFalse ? [invalid(path, false, 'must be true or undefined')] : []
}

/**
 * Why a schema cannot be looked at as a structure, in the words of release 1.29: it has a keyword that
 * none has. Undefined for all others. Told only if nothing else is wrong.
 */
export function* unsupportedKeyword(root: Schema, extension: string): Steps<string | undefined> {
  const queue = [root]
  for (let schema = queue.pop(); schema !== undefined; schema = queue.pop()) {
    const { raw } = schema
    for (const keyword of [
      'id',
      '$schema',
      '$ref',
      'patternProperties',
      'dependencies',
      'definitions',
    ]) {
      const value = raw[keyword]
      if (!value || Object.keys(value).length === 0) continue
      return `OpenAPIV3Schema '${keyword === '$schema' ? 'schema' : keyword}' is not supported`
    }
    if (raw.additionalItems !== undefined && raw.additionalItems !== null) {
      return "OpenAPIV3Schema 'additionalItems' is not supported"
    }
    if (Array.isArray(raw.items) && raw.items.length > 0) {
      return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    }
    if (raw[`x-${extension}-preserve-unknown-fields`] === false) {
      return `internal error: 'x-${extension}-preserve-unknown-fields' must be true or undefined`
    }
    yield 1
    for (const { schema: child } of childSchemas(schema)) queue.push(child)
  }
  return undefined
}
