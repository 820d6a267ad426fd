/**
 * JSON schemas for the expression engine: what a rule needs to know of a type, and no more. Where a rule is declared,
 * everything below can be read; above it only the way there is kept. The lint compiles rules against these schemas; the
 * generated ones leave out what no rule reads.
 */

import { ruleKeywordPrefix } from '../../../runtime/kernel/descriptors/validation-rules.ts'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import { validations } from '../build/validation-rules.ts'
import type { Expression, Field, NamedType, Scalar, StructType, Type } from '../named-type.ts'
import { once } from '../once.ts'
import {
  type FieldsRead,
  type FieldsReadByRules,
  fieldsReadByRules,
  hasRules,
  reachableFrom,
  refsIn,
  type Types,
  typesLeadingToRules,
} from './reachable-types.ts'

/** The schemas of all structs that rules concern. */
export interface RuleSchemaSet {
  /** True for a root with rules in it or below. */
  has(id: string): boolean
  /** The ids of a type and of all that can be reached from it and lead to rules. */
  reachable(id: string): ReadonlySet<string>
  /** The name of a struct in the table. */
  nameOf(id: string): string
  /** The schemas that `roots` need, by name in order of names. */
  rows(roots: readonly string[]): ReadonlyMap<string, JsonObject>
  /** The rule that an entry of a schema's list of rules was made from. */
  expressionOf(rule: object): Expression | undefined
}

/** The schemas of a list of types; with `looksAt`, without the fields that no rule reads. */
export function ruleSchemasOf(
  all: readonly NamedType[],
  looksAt: FieldsRead = () => undefined,
): RuleSchemaSet {
  const types: Types = new Map(all.map((type) => [type.id, type]))
  const leading = typesLeadingToRules(all)
  const seen = once(() => fieldsReadByRules(types, looksAt))
  const expressions = new Map<object, Expression>()
  const writer = new Writer(types, leading, seen, expressions)
  return {
    has: (id) => leading.has(id),
    nameOf: ruleName,
    reachable: (id) => reachableFrom(id, types, leading),
    rows: (roots) => writer.rows(roots.filter((id) => leading.has(id))),
    expressionOf: (rule) => expressions.get(rule),
  }
}

function ruleName(id: string): string {
  return id.replaceAll('/', '.')
}

const keyword = (name: string): string => `x-${ruleKeywordPrefix}-${name}`

/** Writes the schemas of structs, each once: a struct that contains itself refers to its own name. */
class Writer {
  readonly #types: Types
  readonly #leading: ReadonlySet<string>
  readonly #seen: () => FieldsReadByRules
  readonly #expressions: Map<object, Expression>
  readonly #rows = new Map<string, JsonObject>()

  constructor(
    types: Types,
    leading: ReadonlySet<string>,
    seen: () => FieldsReadByRules,
    expressions: Map<object, Expression>,
  ) {
    this.#types = types
    this.#leading = leading
    this.#seen = seen
    this.#expressions = expressions
  }

  rows(roots: readonly string[]): ReadonlyMap<string, JsonObject> {
    for (const root of roots) {
      const type = this.#types.get(root)
      if (type?.is === 'struct') this.#add(type)
    }
    return new Map([...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #add(struct: StructType): void {
    const name = ruleName(struct.id)
    if (this.#rows.has(name)) return
    this.#rows.set(name, {})
    this.#rows.set(name, this.#struct(struct))
  }

  #struct(struct: StructType): JsonObject {
    const seen = this.#seen().get(struct.id)
    const fields = struct.fields.filter((field) => this.#shown(field, struct, seen))
    const required = fields.filter((field) => field.required && field.default === undefined)
    return {
      type: 'object',
      ...(seen === 'all' && required.length > 0 && { required: required.map(({ name }) => name) }),
      ...(struct.preserveUnknown && { [keyword('preserve-unknown-fields')]: true }),
      ...(struct.mapType && { [keyword('map-type')]: struct.mapType }),
      properties: Object.fromEntries(fields.map((field) => [field.name, this.#field(field)])),
      ...this.#rules(struct.rules),
    }
  }

  /** Of the metadata of a whole object rules read the names, which the engine knows without a schema. */
  #shown(
    { name, type }: Field,
    { root }: StructType,
    seen: ReturnType<FieldsReadByRules['get']>,
  ): boolean {
    if (hasRules(type) || refsIn(type).some((id) => this.#leading.has(id))) return true
    return (seen === 'all' || seen?.has(name) === true) && !(root && name === 'metadata')
  }

  #field({ type, list, keys, map }: Field): JsonObject {
    return {
      ...this.#type(type),
      ...(list && { [keyword('list-type')]: list }),
      ...(keys && { [keyword('list-map-keys')]: keys }),
      ...(map && { [keyword('map-type')]: map }),
    }
  }

  #type(type: Type): JsonObject {
    const named = type.is === 'ref' ? this.#types.get(type.to) : undefined
    const inherited = named === undefined || named.is === 'struct' ? [] : (named.rules ?? [])
    return { ...this.#plain(type), ...this.#rules([...inherited, ...(type.rules ?? [])]) }
  }

  #plain(type: Type): JsonObject {
    switch (type.is) {
      case 'string': {
        const { maxLength, values } = type.bounds
        const format = type.format === undefined ? {} : { format: type.format }
        return {
          type: 'string',
          ...format,
          ...(maxLength !== undefined && { maxLength }),
          ...(values && { enum: values }),
        }
      }
      case 'integer':
      case 'number':
      case 'boolean':
        return { type: type.is }
      case 'list': {
        const { items, maxItems } = type
        return {
          type: 'array',
          items: this.#type(items),
          ...(maxItems !== undefined && { maxItems }),
        }
      }
      case 'map':
        return { type: 'object', additionalProperties: this.#type(type.values) }
      case 'ref':
        return this.#named(this.#types.get(type.to))
    }
  }

  #named(type: NamedType | undefined): JsonObject {
    switch (type?.is) {
      case 'struct':
        this.#add(type)
        return { $ref: ruleName(type.id) }
      case 'enum':
        return { type: 'string', ...(type.closed && { enum: type.values }) }
      case 'scalar':
        return scalars[type.scalar]
      default:
        return {}
    }
  }

  #rules(rules: readonly Expression[] = []): JsonObject {
    if (rules.length === 0) return {}
    const list = rules.map((expression) => {
      const { at: _, ...rule } = expression
      this.#expressions.set(rule, expression)
      return rule as unknown as JsonObject
    })
    return { [keyword(validations)]: list }
  }
}

/**
 * Scalars with a text form are texts; a rule makes a quantity or a duration of one by a function. Readers write both in
 * their canonical form, which is short whatever was sent: hence the bounds.
 */
const scalars: Readonly<Record<Scalar, JsonObject>> = {
  time: { type: 'string', format: 'date-time' },
  'micro-time': { type: 'string', format: 'date-time' },
  duration: { type: 'string', maxLength: 32 },
  quantity: { type: 'string', maxLength: 32 },
  'int-or-string': { [keyword('int-or-string')]: true },
  'raw-extension': { type: 'object', [keyword('preserve-unknown-fields')]: true },
  'fields-v1': { type: 'object', [keyword('preserve-unknown-fields')]: true },
  any: { [keyword('preserve-unknown-fields')]: true },
}
