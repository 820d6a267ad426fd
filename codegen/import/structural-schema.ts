/**
 * Structural schemas of definitions in the words of schema files. What schema files cannot say becomes a rule where an
 * expression says the same; the rest is noted and left out: the server that owns the kind goes on checking it.
 */
import { isObject } from '../../runtime/kernel/values/json.ts'
import { formats, isPropertyName, isUsablePattern } from '../schema/lint/types.ts'
import type { LeaveOut } from './left-out.ts'

/** A schema as it was read: nothing about it is known. */
export type Untyped = Readonly<Record<string, unknown>>

/** A mapping of a schema file. */
export type SchemaFileNode = Readonly<Record<string, unknown>>

/** Where the definitions of the machinery stand. */
const scalars = 'orch:meta/v1/scalars.yaml#/definitions'

/** Keywords that have no counterpart and whose absence changes what is accepted. */
const unsupported = ['allOf', 'anyOf', 'not', 'nullable', 'oneOf', 'uniqueItems']

/** The schema of a field, an item or a value. */
export function importSchema(schema: Untyped, path: string, note: LeaveOut): SchemaFileNode {
  const description =
    typeof schema.description === 'string' ? { description: schema.description } : {}
  const special = specialType(schema)
  for (const keyword of unsupported) {
    if (keyword in schema && !(keyword === 'anyOf' && special !== undefined))
      note(`"${keyword}"`, path)
  }
  if (special !== undefined) return { ...description, ...special, ...defaultOf(schema) }
  const { rules, ...typed } = typedSchema(schema, path, note)
  const all = [...rules, ...listOf(schema['x-kubernetes-validations'])]
  return {
    ...description,
    ...typed,
    ...defaultOf(schema),
    ...(all.length > 0 && {
      'x-orch-validations': all.map((rule) => importRule(rule, path, note)),
    }),
  }
}

/** The schema of an item or a value: one that holds anything is of a type of its own, since it is no field that could say so. */
function importElement(schema: Untyped, path: string, note: LeaveOut): SchemaFileNode {
  const { 'x-orch-preserve-unknown-fields': open, ...element } = importSchema(schema, path, note)
  const typed = 'type' in element || '$ref' in element
  if (open !== true || typed)
    return open === undefined ? element : { ...element, 'x-orch-preserve-unknown-fields': open }
  return { ...element, $ref: `${scalars}/Any` }
}

/** Types that the public documents spell with extension keys. */
function specialType(schema: Untyped): SchemaFileNode | undefined {
  if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string') {
    const amount = typeof schema.pattern === 'string' && schema.pattern.includes('numkMGTPE')
    return { $ref: `${scalars}/${amount ? 'Quantity' : 'IntOrString'}` }
  }
  if (schema.type === 'string' && schema.format === 'duration') {
    return { $ref: `${scalars}/Duration` }
  }
  const open =
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['x-kubernetes-embedded-resource'] === true
  if (!open || schema.properties !== undefined || schema.additionalProperties !== undefined) {
    return undefined
  }
  const object = schema.type === 'object' ? { type: 'object' } : {}
  return { ...object, 'x-orch-preserve-unknown-fields': true }
}

/** The keywords of a type, and the rules for what they cannot say. */
interface Typed extends SchemaFileNode {
  readonly rules: readonly SchemaFileNode[]
}

function typedSchema(schema: Untyped, path: string, note: LeaveOut): Typed {
  const format = formatOf(schema, path, note)
  switch (schema.type) {
    case 'object':
      return objectSchema(schema, path, note)
    case 'array':
      return arraySchema(schema, path, note)
    case 'string':
      return { type: 'string', ...format, ...textBounds(schema, path, note) }
    case 'integer':
      return { type: 'integer', ...format, ...numberBounds(schema, path, note) }
    case 'number':
      return { type: 'number', ...format, ...numberBounds(schema, path, note) }
    case 'boolean':
      return { type: 'boolean', rules: valuesRule(schema.enum) }
    default:
      note('a schema without a type', path)
      return { 'x-orch-preserve-unknown-fields': true, rules: [] }
  }
}

/** A format that readers do not check would be a promise without effect. */
function formatOf({ type, format }: Untyped, path: string, note: LeaveOut): SchemaFileNode {
  if (typeof format !== 'string') return {}
  if (formats[String(type)]?.includes(format)) return { format }
  note(`the format "${format}"`, path)
  return {}
}

/** A map if the schema says what its values are, else a struct, which may have no fields. */
function objectSchema(schema: Untyped, path: string, note: LeaveOut): Typed {
  const values = schema.additionalProperties
  const atomic = schema['x-kubernetes-map-type'] === 'atomic' && { 'x-orch-map-type': 'atomic' }
  if (isObject(values)) {
    return {
      type: 'object',
      additionalProperties: importElement(values, `${path}[*]`, note),
      ...atomic,
      rules: sizeRules(schema),
    }
  }
  const { properties, required } = importProperties(schema, path, note)
  if (values !== undefined && values !== false) note('additional properties of any type', path)
  for (const keyword of ['minProperties', 'maxProperties']) {
    if (keyword in schema) note(`"${keyword}"`, path)
  }
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === true && {
      'x-orch-preserve-unknown-fields': true,
    }),
    ...atomic,
    properties,
    rules: [],
  }
}

/** The properties of a struct whose names can be generated. */
export function importProperties(
  schema: Untyped,
  path: string,
  note: LeaveOut,
): { readonly properties: SchemaFileNode; readonly required: readonly string[] } {
  const given = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const known = given.filter(([name, value]) => {
    const usable = isPropertyName(name) && isObject(value)
    if (!usable) note('a property whose name cannot be generated', `${path}.${name}`)
    return usable
  })
  const names = new Set(known.map(([name]) => name))
  const properties = known.map(
    ([name, value]) => [name, importSchema(value as Untyped, `${path}.${name}`, note)] as const,
  )
  const required = listOf(schema.required).filter((name) => names.has(name as string)) as string[]
  return { properties: Object.fromEntries(properties), required }
}

/** A list without a schema for its items holds anything. */
function arraySchema(schema: Untyped, path: string, note: LeaveOut): Typed {
  const items = isObject(schema.items) ? schema.items : {}
  const keys = schema['x-kubernetes-list-map-keys']
  const isKeyed = listOf(keys).every((key) => isPromised(items, String(key)))
  if (!isKeyed) note('a list with keys that items may lack', path)
  const type = isKeyed ? schema['x-kubernetes-list-type'] : undefined
  return {
    type: 'array',
    items: importElement(items, `${path}[]`, note),
    ...picked(schema, ['minItems', 'maxItems']),
    ...(type !== undefined && { 'x-orch-list-type': type }),
    ...(keys !== undefined && isKeyed && { 'x-orch-list-map-keys': keys }),
    rules: [],
  }
}

/** True for a field that every item has: by its schema, or by a default. */
function isPromised({ required, properties }: Untyped, name: string): boolean {
  const field = isObject(properties) ? properties[name] : undefined
  return listOf(required).includes(name) || (isObject(field) && 'default' in field)
}

/** Enumerations of texts may list null, which no field keeps. */
function textBounds(schema: Untyped, path: string, note: LeaveOut): Typed {
  const { pattern } = schema
  const texts = listOf(schema.enum).filter((value) => typeof value === 'string')
  const usable = typeof pattern === 'string' && isUsablePattern(pattern)
  if (pattern !== undefined && !usable) note('a pattern that may take long here', path)
  return {
    ...(texts.length > 0 && { enum: texts }),
    ...picked(schema, ['minLength', 'maxLength']),
    ...(usable && { pattern }),
    rules: [],
  }
}

/** Definitions write an exclusive bound as a flag beside the bound. */
function numberBounds(schema: Untyped, path: string, note: LeaveOut): Typed {
  const { minimum, maximum, multipleOf, type } = schema
  const least = schema.exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum'
  const most = schema.exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum'
  const whole = type === 'integer' && Number.isSafeInteger(multipleOf)
  if (multipleOf !== undefined && !whole) note('"multipleOf"', path)
  return {
    ...(minimum !== undefined && { [least]: minimum }),
    ...(maximum !== undefined && { [most]: maximum }),
    rules: [
      ...(whole
        ? [{ rule: `self % ${multipleOf} == 0`, message: `must be a multiple of ${multipleOf}` }]
        : []),
      ...valuesRule(schema.enum),
    ],
  }
}

/** Only texts have enumerations in schema files. */
function valuesRule(values: unknown): readonly SchemaFileNode[] {
  const plain = listOf(values).filter((value) => value !== null)
  if (plain.length === 0) return []
  return [{ rule: `self in ${JSON.stringify(plain)}` }]
}

/** Only lists have bounds on their size in schema files. */
function sizeRules({
  minProperties: least,
  maxProperties: most,
}: Untyped): readonly SchemaFileNode[] {
  return [
    ...(typeof least === 'number' ? [{ rule: `size(self) >= ${least}` }] : []),
    ...(typeof most === 'number' ? [{ rule: `size(self) <= ${most}` }] : []),
  ]
}

const ruleKeys = ['rule', 'message', 'messageExpression', 'reason', 'fieldPath', 'optionalOldSelf']

/** A rule without the keys of later releases, which are noted. */
function importRule(rule: unknown, path: string, note: LeaveOut): SchemaFileNode {
  const given = isObject(rule) ? rule : {}
  for (const key of Object.keys(given))
    if (!ruleKeys.includes(key)) note(`"${key}" of a rule`, path)
  return picked(given, ruleKeys)
}

/** A default of null is none, and so is one that its own schema refuses: published documents have zeros where there is none. */
function defaultOf(schema: Untyped): SchemaFileNode {
  const { default: value } = schema
  return value === undefined || value === null || isRefusedZero(value, schema)
    ? {}
    : { default: value }
}

function isRefusedZero(value: unknown, { minimum, minLength, enum: values }: Untyped): boolean {
  if (value === 0) return typeof minimum === 'number' && minimum > 0
  if (value !== '') return false
  const isListed = values === undefined || listOf(values).includes('')
  return !isListed || (typeof minLength === 'number' && minLength > 0)
}

/** Those of the keywords that are there. */
function picked(schema: Untyped, keys: readonly string[]): SchemaFileNode {
  return Object.fromEntries(
    keys.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])),
  )
}

/** The items of a list; of anything else none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
