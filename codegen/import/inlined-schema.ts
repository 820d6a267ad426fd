import { isObject } from '../../runtime/kernel/values/json.ts'
import type { Untyped } from './structural-schema.ts'

/** A schema that is too large to be written out: what it refers to multiplies. */
export class SchemaTooLargeError extends Error {}

/** So many schemas may stand in one that is written out. */
const mostSchemas = 50_000

const prefix = '#/components/schemas/'

/** Anything, kept as it is: what a schema that contains itself says from there on. */
const anything: Untyped = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

const intOrText = { 'x-kubernetes-int-or-string': true }

/** Types of the machinery, by the ends of their names. Their schemas say less than is known of them. */
const known: readonly (readonly [end: string, schema: Untyped])[] = [
  ['.meta.v1.Time', { type: 'string', format: 'date-time' }],
  ['.meta.v1.MicroTime', { type: 'string', format: 'date-time' }],
  ['.meta.v1.ObjectMeta', anything],
  ['.util.intstr.IntOrString', intOrText],
  ['.api.resource.Quantity', { ...intOrText, pattern: '^[+-]?[0-9.]+([numkMGTPE]|[KMGTPE]i)?$' }],
  ['.runtime.RawExtension', anything],
]

/**
 * The schema with everything that it refers to written out, as definitions have it.
 *
 * @throws SchemaTooLargeError for one that multiplies beyond any use.
 */
export function inlinedSchema(schema: Untyped, schemas: Untyped): Untyped {
  return new Inlining(schemas).schema(schema, [])
}

class Inlining {
  readonly #schemas: Untyped
  #count = 0

  constructor(schemas: Untyped) {
    this.#schemas = schemas
  }

  /** `around`: the names of the schemas that this one stands in. */
  schema(node: Untyped, around: readonly string[]): Untyped {
    if (++this.#count > mostSchemas) {
      throw new SchemaTooLargeError(`a schema has more than ${mostSchemas} others in it`)
    }
    const reference = referenceOf(node)
    if (reference !== undefined) return this.#referred(node, reference, around)
    const { items, additionalProperties: values, properties } = node
    return {
      ...node,
      ...(isObject(items) && { items: this.schema(items, around) }),
      ...(isObject(values) && { additionalProperties: this.schema(values, around) }),
      ...(isObject(properties) && { properties: this.#properties(properties, around) }),
    }
  }

  #properties(properties: Untyped, around: readonly string[]): Untyped {
    const entries = Object.entries(properties).map(
      ([name, value]) => [name, isObject(value) ? this.schema(value, around) : value] as const,
    )
    return Object.fromEntries(entries)
  }

  /** What stands beside a reference goes before what it refers to, but for defaults of nothing. */
  #referred(node: Untyped, name: string, around: readonly string[]): Untyped {
    const { $ref: _, allOf: __, default: value, ...beside } = node
    const isEmpty = isObject(value) && Object.keys(value).length === 0
    const own = { ...beside, ...(value !== undefined && !isEmpty && { default: value }) }
    const [, special] = known.find(([end]) => name.endsWith(end)) ?? []
    if (special !== undefined) return { ...special, ...own }
    const target = Object.hasOwn(this.#schemas, name) ? this.#schemas[name] : undefined
    if (!isObject(target) || around.includes(name)) return { ...anything, ...own }
    return { ...this.schema(target, [...around, name]), ...own }
  }
}

/** The name that a schema refers to: by itself, or in an `allOf` of one, which is how a description stands beside it. */
function referenceOf({ $ref, allOf }: Untyped): string | undefined {
  const only = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : undefined
  const reference = $ref ?? (isObject(only) ? only.$ref : undefined)
  const isName = typeof reference === 'string' && reference.startsWith(prefix)
  return isName ? reference.slice(prefix.length) : undefined
}
