/** Bounds and forms of single values in the words of JSON Schema. */
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import type { SchemaNode } from './schema-node.ts'

/** The bounds that both languages share. */
const shared = [
  ...['maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'maxLength'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
]

const exclusives = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const

/** Formats that validators read as servers do. */
const formats = ['int32', 'int64', 'float', 'double', 'byte']

/** The times that a server reads: validators that know the format refuse hours of one digit, which it takes. */
function timeSchema(fraction: string): JsonObject {
  const offset = '(Z|[+-][0-9]{2}:[0-9]{2})'
  const day = '[0-9]{4}-[0-9]{2}-[0-9]{2}'
  const pattern = `^${day}T[0-9]{1,2}:[0-9]{2}:[0-9]{2}${fraction}${offset}$`
  return { type: 'string', pattern }
}

/** Types that have a form of their own. */
const scalars: Readonly<Record<string, JsonObject>> = {
  any: {},
  duration: { type: 'string' },
  'fields-v1': { type: 'object' },
  'int-or-string': { type: ['integer', 'string'], minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  'micro-time': timeSchema('[.,][0-9]{6}'),
  quantity: {
    type: ['string', 'number'],
    pattern: '^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]*)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$',
  },
  'raw-extension': {},
  time: timeSchema('([.,][0-9]+)?'),
}

/** What definitions say of such a field; those of servers have integers of 32 bits. */
const integerOrString: JsonObject = { type: ['integer', 'string'] }

/** True for a form of texts that a schema states and the published one does not. */
export function isUnsaidForm<At>(node: SchemaNode<At>): boolean {
  const [format, pattern] = [node.text('format'), node.text('pattern')]
  const isDuration = node.word('scalar') === 'duration'
  const isUnknown = isDuration || (format !== undefined && !formats.includes(format))
  return isUnknown || (pattern !== undefined && !compiles(pattern))
}

/** A text, a number, a boolean or anything. */
export function scalarSchema<At>(
  node: SchemaNode<At>,
  mayBeNull: boolean,
  isJudged: boolean,
): JsonObject {
  const scalar = node.word('scalar')
  const isEither = scalar === undefined && node.word('int-or-string') === true
  const form = isEither ? integerOrString : scalars[String(scalar)]
  if (form !== undefined) return withNull(form, mayBeNull)
  const type = node.text('type')
  if (type === undefined) return isJudged ? plainEnum(node, mayBeNull) : {}
  const own = isJudged ? { ...boundsOf(node), ...plainEnum(node, mayBeNull) } : formatOf(node)
  return { ...withNull({ type }, mayBeNull), ...own }
}

/** The bounds that stand at a schema. Where a zero value is an absent one, no bound keeps it out. */
export function boundsOf<At>(node: SchemaNode<At>): JsonObject {
  const bounds: Record<string, Json> = {}
  for (const key of shared) {
    const value = node.keyword(key)
    if (value !== undefined) bounds[key] = value
  }
  const [minimum, minLength] = [node.keyword('minimum'), node.keyword('minLength')]
  if (typeof minimum === 'number')
    bounds.minimum = node.zeroIsAbsent ? Math.min(minimum, 0) : minimum
  for (const [exclusive, bound] of exclusives) {
    // In definitions it says whether the bound itself is kept out, in draft 7 it is the bound.
    if (typeof bounds[exclusive] !== 'boolean') continue
    if (bounds[exclusive] && bounds[bound] !== undefined) bounds[exclusive] = bounds[bound]
    else delete bounds[exclusive]
  }
  const needed = node.word('missing') !== undefined && node.text('type') === 'string'
  if (needed) bounds.minLength = 1
  else if (minLength !== undefined && (!node.zeroIsAbsent || node.isRequired))
    bounds.minLength = minLength
  Object.assign(bounds, formatOf(node))
  const pattern = node.text('pattern')
  if (pattern !== undefined && compiles(pattern)) bounds.pattern = pattern
  const known = node.word('known-values')
  if (known !== undefined) bounds.examples = known
  return bounds
}

function formatOf<At>(node: SchemaNode<At>): JsonObject {
  const format = node.text('format')
  return format !== undefined && formats.includes(format) ? { format } : {}
}

function plainEnum<At>(node: SchemaNode<At>, mayBeNull: boolean): JsonObject {
  const values = node.keyword('enum')
  if (!Array.isArray(values)) return {}
  const zero = node.zeroIsAbsent && node.text('type') === 'string' ? [''] : []
  return { enum: [...new Set<Json>([...values, ...zero, ...(mayBeNull ? [null] : [])])] }
}

function withNull(schema: JsonObject, mayBeNull: boolean): JsonObject {
  const { type } = schema
  if (!mayBeNull || type === undefined) return schema
  return { ...schema, type: [...(Array.isArray(type) ? type : [type]), 'null'] }
}

/** Servers write expressions in a language that is almost that of validators. */
function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
