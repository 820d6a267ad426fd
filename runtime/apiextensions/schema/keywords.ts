/** The validation of the keywords of a schema, each by itself. */

import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden, invalid, unsupported } from '../../kernel/validation/field-errors.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { validateListTypes } from './list-types.ts'
import { maxInstructionsOfSchema, PatternBudget } from './pattern-size.ts'
import { patternCost } from './patterns.ts'
import { type ChildSchema, maxSchemaErrors, type Schema, schemaOf } from './schema.ts'
import { unsupportedHere } from './unsupported-keyword.ts'
import { isOfPathInSchema, validateRuleForms } from './validation-rules.ts'

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

/** A node that waits for its validation, or for the part of it that comes after that of the nodes below. */
class Node {
  readonly schema: Schema
  readonly path: string
  readonly parent: Node | undefined
  /** True below `metadata`, `kind` and `apiVersion` of the object or of an embedded resource. */
  readonly insideMeta: boolean
  /** Why there can be no default here; undefined where there can. */
  readonly noDefaults: string | undefined
  /** True once the nodes below it are judged. */
  isLeft = false
  /** True for a node in which something stands that no structure has: the paths of its rules are not judged. */
  isNoStructure = false

  constructor(
    schema: Schema,
    path: string,
    parent: Node | undefined,
    insideMeta: boolean,
    noDefaults: string | undefined,
  ) {
    this.schema = schema
    this.path = path
    this.parent = parent
    this.insideMeta = insideMeta
    this.noDefaults = noDefaults
  }
}

/** The errors of keywords, and the paths of the nodes that have them, in the same order. */
export interface KeywordErrors {
  readonly errors: readonly FieldError[]
  readonly nodes: readonly string[]
}

/**
 * The errors of the keywords of a schema and of everything below it, alternatives included, in the order of release 1.29: of a node
 * first what is wrong with its type and what it may not have, then those of the nodes below, then of what names these, and of the
 * form of its rules. Yields costs in steps.
 */
export function* validateKeywords(
  root: Schema,
  path: string,
  extension: string,
): Steps<KeywordErrors> {
  const errors: FieldError[] = []
  const nodes: string[] = []
  const stack = [new Node(root, path, undefined, false, undefined)]
  const budget = new PatternBudget()
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { schema, path: at } = node
    const found = node.isLeft ? errorsAfter(node, extension) : errorsBefore(node, extension)
    for (const error of found) {
      errors.push(error)
      nodes.push(at)
    }
    if (errors.length >= maxSchemaErrors) break
    yield nodeCost
    if (node.isLeft) continue
    if (!budget.spend(schema.pattern)) {
      return { errors: [...errors, tooManyPatterns(path)], nodes: [...nodes, path] }
    }
    yield patternCost(schema.pattern)
    if (unsupportedHere(schema.raw, extension) !== undefined) markNoStructure(node)
    node.isLeft = true
    stack.push(node)
    const below = keywordSchemas(schema, extension)
    for (let at = below.length - 1; at >= 0; at--) stack.push(childOf(node, below[at]!))
  }
  return { errors, nodes }
}

function markNoStructure(found: Node): void {
  for (let node: Node | undefined = found; node && !node.isNoStructure; node = node.parent) {
    node.isNoStructure = true
  }
}

/** All schemas that stand in a node, in the order in which they are judged: also those in keywords that it may not have. */
function keywordSchemas(schema: Schema, extension: string): ChildSchema[] {
  const { additionalProperties: more, items, not, raw } = schema
  const found: ChildSchema[] = []
  const add = (step: string, child: Json | undefined): void => {
    if (isObject(child)) found.push({ step, schema: schemaOf(child, extension) })
  }
  const addNamed = (word: string): void => {
    const schemas = raw[word]
    if (schemas === undefined || schemas === null) return
    for (const [name, child] of Object.entries(schemas)) add(`${word}[${name}]`, child)
  }
  const addListed = (word: string): void => {
    const schemas = raw[word]
    if (!Array.isArray(schemas)) return
    for (const [index, child] of schemas.entries()) add(`${word}[${index}]`, child)
  }
  if (typeof more === 'object') found.push({ step: 'additionalProperties', schema: more })
  addNamed('properties')
  if (not) found.push({ step: 'not', schema: not })
  for (const word of alternatives) addListed(word)
  addNamed('definitions')
  if (items) found.push({ step: 'items', schema: items })
  else addListed('items')
  addNamed('dependencies')
  return found
}

const alternatives = ['allOf', 'oneOf', 'anyOf']

function childOf(parent: Node, { step, schema }: ChildSchema): Node {
  const { insideMeta, noDefaults } = parent
  const path = `${parent.path}.${step}`
  if (insideMeta && step === 'additionalProperties') {
    const reason = 'inside additionalProperties applying to object metadata'
    return new Node(schema, path, parent, insideMeta, reason)
  }
  const isRoot = parent.parent === undefined
  const name = isRoot || parent.schema.embeddedResource ? metaSteps.get(step) : undefined
  if (name === undefined) return new Node(schema, path, parent, insideMeta, noDefaults)
  return new Node(schema, path, parent, true, isRoot ? `in top-level ${name}` : noDefaults)
}

const metaSteps: ReadonlyMap<string, string> = new Map(
  ['metadata', 'kind', 'apiVersion'].map((name) => [`properties[${name}]`, name]),
)

function tooManyPatterns(path: string): FieldError {
  const reason = `its patterns compile to more than ${maxInstructionsOfSchema} instructions together`
  return forbidden(path, reason)
}

/** What is wrong with a node before those below it are looked at. */
function errorsBefore(
  { schema, path, insideMeta, noDefaults }: Node,
  extension: string,
): readonly FieldError[] {
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
  if (Array.isArray(raw.items) && raw.items.length > 0) {
    errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'))
  }
  if (insideMeta && schema.embeddedResource) {
    const at = `${path}.x-${extension}-embedded-resource`
    errors.push(forbidden(at, 'must not be used inside of resource meta'))
  }
  if (raw.uniqueItems === true) {
    const reason =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    errors.push(forbidden(`${path}.uniqueItems`, reason))
  }
  return errors.concat(validateAdditionalProperties(schema, path))
}

/** What is wrong with a node besides, told after the nodes below it. */
function errorsAfter(
  { schema, path, isNoStructure }: Node,
  extension: string,
): readonly FieldError[] {
  return [
    ...validatePreserve(schema.raw, path, extension),
    ...validateListTypes(schema, path, extension),
    ...validateRuleForms(schema, path, extension).filter(
      (error) => !isNoStructure || !isOfPathInSchema(error),
    ),
  ]
}

function isForbidden(keyword: string, value: Json | undefined): boolean {
  if (value === undefined || value === null) return false
  if (absentKeywords.includes(keyword)) return true
  return emptyKeywords.includes(keyword) && Object.keys(value).length > 0
}

/** A schema beside named properties would make it unclear which of them prunes. */
function validateAdditionalProperties(
  { additionalProperties, properties }: Schema,
  path: string,
): readonly FieldError[] {
  if (additionalProperties === undefined || additionalProperties === true) return []
  if (properties.size === 0) return []
  const at = `${path}.additionalProperties`
  return [forbidden(at, 'additionalProperties and properties are mutual exclusive')]
}

function validatePreserve(raw: JsonObject, path: string, extension: string): readonly FieldError[] {
  const keyword = `x-${extension}-preserve-unknown-fields`
  if (raw[keyword] !== false) return []
  return [invalid(`${path}.${keyword}`, false, 'must be true or undefined')]
}
