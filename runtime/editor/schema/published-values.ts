/** Bounds and forms of single values in the words of JSON Schema. */
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import type { SchemaNode } from './schema-node.ts'

/** The bounds that both languages share. */
const shared = [
  ...['exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf', 'maxLength'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
]

/** Formats that validators read as servers do. */
const formats = ['int32', 'int64', 'float', 'double', 'byte', 'date-time']

/** Types that have a form of their own. */
const scalars: Readonly<Record<string, JsonObject>> = {
  any: {},
  duration: { type: 'string' },
  'fields-v1': { type: 'object' },
  'int-or-string': { type: ['integer', 'string'] },
  'micro-time': { type: 'string', format: 'date-time' },
  quantity: {
    type: ['string', 'number'],
    pattern: '^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$',
  },
  'raw-extension': { type: 'object' },
  time: { type: 'string', format: 'date-time' },
}

/** A text, a number, a boolean or anything. */
export function scalarSchema<At>(
  node: SchemaNode<At>,
  mayBeNull: boolean,
  isJudged: boolean,
): JsonObject {
  const scalar = node.word('scalar') ?? (node.word('int-or-string') === true && 'int-or-string')
  const form = scalars[String(scalar)]
  if (form !== undefined) return withNull(form, mayBeNull)
  const type = node.text('type')
  if (type === undefined) return isJudged ? plainEnum(node, mayBeNull) : {}
  const own = isJudged ? { ...boundsOf(node), ...plainEnum(node, mayBeNull) } : {}
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
  const needed = node.word('missing') !== undefined && node.text('type') === 'string'
  if (needed) bounds.minLength = 1
  else if (minLength !== undefined && (!node.zeroIsAbsent || node.isRequired))
    bounds.minLength = minLength
  const [format, pattern] = [node.text('format'), node.text('pattern')]
  if (format !== undefined && formats.includes(format)) bounds.format = format
  if (pattern !== undefined && compiles(pattern)) bounds.pattern = pattern
  const known = node.word('known-values')
  if (known !== undefined) bounds.examples = known
  return bounds
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
