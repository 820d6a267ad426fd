/**
 * Whether a schema is structural: whether its structure can be read off without evaluating it (supplement C-05). Places
 * are written as paths of the definition, such as `...openAPIV3Schema.properties[spec].type`.
 */

import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden, invalid, required } from '../../kernel/validation/field-errors.ts'
import { validateCompleteness } from './completeness.ts'
import { validateKeywords } from './keywords.ts'
import { alternativeSchemas, maxSchemaErrors, type Schema } from './schema.ts'

type Findings = readonly FieldError[]

/** Where a node stands: at the root, as an item of a list, or as a field of an object. */
type Level = 'root' | 'item' | 'field'

/** Everything that keeps a schema from being structural, by place. */
export function* validateStructural(
  schema: Schema,
  place: string,
  extension: string,
): Steps<Findings> {
  const words = yield* validateKeywords(schema, place, extension)
  if (words.length > 0) return words
  const found: FieldError[] = []
  yield* validateStructure(schema, extension, place, found)
  found.push(...(yield* validateCompleteness(schema, place)))
  return found.sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1))
}

function sortKeyOf({ path, message }: FieldError): string {
  return `${path}: ${message}`
}

function* validateStructure(
  root: Schema,
  x: string,
  place: string,
  found: FieldError[],
): Steps<void> {
  const waiting: (readonly [Schema, Level, string])[] = [[root, 'root', place]]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const [schema, level, at] = one
    found.push(...validateNode(schema, level, at, x))
    yield* validateAlternatives(schema, intOrStringForms(schema), at, x, found)
    const { items, properties, additionalProperties: more } = schema
    if (items) waiting.push([items, 'item', `${at}.items`])
    for (const [name, child] of properties) {
      waiting.push([child, 'field', `${at}.properties[${name}]`])
    }
    if (typeof more === 'object') waiting.push([more, 'field', `${at}.additionalProperties`])
    yield workOfNode
    if (found.length >= maxSchemaErrors) return
  }
}

/** What looking at one node takes, in the units of steps. */
const workOfNode = 2

function validateNode(schema: Schema, level: Level, place: string, x: string): Findings {
  const found: FieldError[] = []
  if (schema.type === 'array' && schema.items === undefined) {
    found.push(required(`${place}.items`, 'must be specified'))
  }
  if (schema.additionalProperties !== undefined && level === 'root') {
    found.push(forbidden(`${place}.additionalProperties`, 'must not be used at the root'))
  }
  if (schema.intOrString) found.push(...validateIntOrString(schema, place, x))
  found.push(...validateType(schema, level, place, x))
  if (level === 'root' || schema.embeddedResource)
    found.push(...validateObjectFields(schema, level, place))
  return found
}

function validateIntOrString(schema: Schema, place: string, x: string): Findings {
  const why = `must be false if x-${x}-int-or-string is true`
  return [
    ...(schema.preserveUnknownFields
      ? [invalid(`${place}.x-${x}-preserve-unknown-fields`, true, why)]
      : []),
    ...(schema.embeddedResource ? [invalid(`${place}.x-${x}-embedded-resource`, true, why)] : []),
  ]
}

const unnamed: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function validateType(schema: Schema, level: Level, place: string, x: string): Findings {
  const { type, embeddedResource, intOrString, preserveUnknownFields } = schema
  const at = `${place}.type`
  const found: FieldError[] = []
  if (embeddedResource && type !== 'object') {
    const why = `must be object if x-${x}-embedded-resource is true`
    found.push(type === '' ? required(at, why) : invalid(at, type, why))
  } else if (type === '' && !intOrString && !preserveUnknownFields) {
    found.push(required(at, unnamed[level]))
  }
  if (embeddedResource && schema.additionalProperties !== undefined) {
    const why = `must not be used if x-${x}-embedded-resource is set`
    found.push(forbidden(`${place}.additionalProperties`, why))
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    found.push(invalid(at, type, 'must be object at the root'))
  }
  if (embeddedResource && !preserveUnknownFields && schema.properties.size === 0) {
    const why = `must not be empty if x-${x}-embedded-resource is true without x-${x}-preserve-unknown-fields`
    found.push(required(`${place}.properties`, why))
  }
  return found
}

/** The fields of every object may be in a schema, but hardly be restricted. */
function validateObjectFields({ properties }: Schema, level: Level, place: string): Findings {
  const found: FieldError[] = []
  for (const name of ['kind', 'apiVersion']) {
    const one = properties.get(name)
    if (one !== undefined && one.type !== 'string') {
      found.push(invalid(`${place}.properties[${name}].type`, one.type, 'must be string'))
    }
  }
  const metadata = properties.get('metadata')
  if (metadata === undefined) return found
  const at = `${place}.properties[metadata]`
  if (metadata.type !== 'object') found.push(invalid(`${at}.type`, metadata.type, 'must be object'))
  if (level === 'root' && restrictsMetadata(metadata)) {
    const why =
      'must not specify anything other than name and generateName, but metadata is implicitly specified'
    found.push(forbidden(at, why))
  }
  return found
}

function restrictsMetadata({ raw, properties }: Schema): boolean {
  const words = Object.keys(raw).filter((word) => word !== 'type' && word !== 'properties')
  const names = [...properties.keys()].filter((name) => name !== 'name' && name !== 'generateName')
  return words.some((word) => word !== 'description' || raw[word] !== '') || names.length > 0
}

/** The two forms in which a number or a text may be spelled out although alternatives name no type. */
interface IntOrStringForms {
  readonly anyOf: boolean
  readonly firstAllOf: boolean
}

function intOrStringForms({ anyOf, allOf }: Schema): IntOrStringForms {
  return { anyOf: isIntOrString(anyOf), firstAllOf: isIntOrString(allOf[0]?.anyOf ?? []) }
}

function isIntOrString(alternatives: readonly Schema[]): boolean {
  const types = alternatives.map(({ raw, type }) => (Object.keys(raw).length === 1 ? type : ''))
  return types.length === 2 && types[0] === 'integer' && types[1] === 'string'
}

const noSkips: IntOrStringForms = { anyOf: false, firstAllOf: false }

function* validateAlternatives(
  schema: Schema,
  skips: IntOrStringForms,
  place: string,
  x: string,
  found: FieldError[],
): Steps<void> {
  for (const { step, schema: one } of alternativeSchemas(schema)) {
    if (skips.anyOf && step.startsWith('anyOf')) continue
    const anyOf = step === 'allOf[0]' && skips.firstAllOf
    yield* validateNested(one, { ...noSkips, anyOf }, `${place}.${step}`, x, found)
  }
}

/** A node inside an alternative: it may restrict values, and describe nothing. */
function* validateNested(
  schema: Schema,
  skips: IntOrStringForms,
  place: string,
  x: string,
  found: FieldError[],
): Steps<void> {
  if (found.length >= maxSchemaErrors) return
  yield workOfNode
  yield* validateAlternatives(schema, skips, place, x, found)
  const { items, properties } = schema
  if (items) yield* validateNested(items, noSkips, `${place}.items`, x, found)
  for (const [name, one] of properties) {
    yield* validateNested(one, noSkips, `${place}.properties[${name}]`, x, found)
  }
  for (const [word, must, is] of structuralKeywords(schema, x)) {
    if (is) found.push(forbidden(`${place}.${word}`, `must be ${must} to be structural`))
  }
  if (properties.has('metadata')) {
    const at = `${place}.properties[metadata]`
    found.push(forbidden(at, 'must not be specified in a nested context'))
  }
}

function structuralKeywords(
  schema: Schema,
  x: string,
): readonly (readonly [string, string, boolean])[] {
  const { raw } = schema
  return [
    ['type', 'empty', schema.type !== ''],
    ['additionalProperties', 'undefined', schema.additionalProperties !== undefined],
    ['default', 'undefined', schema.default !== undefined],
    ['title', 'empty', Boolean(raw.title)],
    ['description', 'empty', Boolean(raw.description)],
    ['nullable', 'false', schema.nullable],
    [`x-${x}-preserve-unknown-fields`, 'false', schema.preserveUnknownFields],
    [`x-${x}-embedded-resource`, 'false', schema.embeddedResource],
    [`x-${x}-int-or-string`, 'false', schema.intOrString],
    [`x-${x}-list-map-keys`, 'empty', schema.listMapKeys.length > 0],
    [`x-${x}-list-type`, 'undefined', schema.listType !== undefined],
    [`x-${x}-map-type`, 'undefined', schema.mapType !== undefined],
    [`x-${x}-validations`, 'empty', schema.validations.length > 0],
  ]
}
