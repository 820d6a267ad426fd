/**
 * Schemas as rules see them: JSON Schema that says of a type what an expression needs to know, and of the rest nothing.
 * Where a rule stands, everything below can be read; on the way to it, only what leads there is kept. The lint checks
 * rules in these schemas, and they are generated for those who evaluate rules: it is the same text.
 */
import type { JsonObject } from '../../runtime/kernel/json.ts'
import { ruleKeywords } from '../../runtime/kernel/rules.ts'
import { validations } from './expressions.ts'
import type { Expression, Field, NamedType, Scalar, StructType, Type } from './ir.ts'

type Types = ReadonlyMap<string, NamedType>

/** The schemas of all structs that rules have to do with. */
export interface RuleSchemaSet {
  /** True for a root with rules in it or below. */
  has(id: string): boolean
  /** The ids of a type and of all that can be reached from it and lead to rules. */
  reachable(id: string): ReadonlySet<string>
  /** The name of a struct in the table. */
  nameOf(id: string): string
  /** The rows that `roots` need, by name in order of names. */
  rows(roots: readonly string[]): ReadonlyMap<string, JsonObject>
  /** The rule that an entry of a schema's list of rules is. */
  expressionOf(rule: object): Expression | undefined
}

/** Finds out once for all types what rules need to know of them. */
export function ruleSchemasOf(all: readonly NamedType[]): RuleSchemaSet {
  const types: Types = new Map(all.map((type) => [type.id, type]))
  const leading = leadingTypes(all)
  const whole = wholeTypes(types)
  const expressions = new Map<object, Expression>()
  const writer = new Writer(types, leading, whole, expressions)
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

/** The types in which a rule stands, or from which one can be reached. */
function leadingTypes(all: readonly NamedType[]): ReadonlySet<string> {
  const users = new Map<string, string[]>()
  const found = new Set<string>()
  const add = (id: string): void => {
    if (found.has(id)) return
    found.add(id)
    users.get(id)?.forEach(add)
  }
  for (const type of all) {
    for (const to of partsOf(type).flatMap(refsIn)) {
      const known = users.get(to)
      if (known === undefined) users.set(to, [type.id])
      else known.push(type.id)
    }
  }
  for (const type of all) if (type.rules || partsOf(type).some(hasRules)) add(type.id)
  return found
}

/** The types that a rule may look into: those beside which one stands, and all below them. */
function wholeTypes(types: Types): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (id: string): void => {
    const type = types.get(id)
    if (type === undefined || found.has(id)) return
    found.add(id)
    partsOf(type).flatMap(refsIn).forEach(add)
  }
  for (const type of types.values()) {
    if (type.rules) add(type.id)
    partsOf(type).flatMap(ruledParts).flatMap(refsIn).forEach(add)
  }
  return found
}

function reachableFrom(
  root: string,
  types: Types,
  leading: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (id: string): void => {
    const type = types.get(id)
    if (type === undefined || found.has(id) || !leading.has(id)) return
    found.add(id)
    partsOf(type).flatMap(refsIn).forEach(add)
  }
  add(root)
  return found
}

function partsOf(type: NamedType): readonly Type[] {
  return type.is === 'struct' ? type.fields.map((field) => field.type) : []
}

/** The type, and those that it is made of without a name. */
function within(type: Type): readonly Type[] {
  if (type.is === 'list') return [type, ...within(type.items)]
  return type.is === 'map' ? [type, ...within(type.values)] : [type]
}

function refsIn(type: Type): readonly string[] {
  return within(type).flatMap((each) => (each.is === 'ref' ? [each.to] : []))
}

function hasRules(type: Type): boolean {
  return within(type).some(({ rules }) => rules !== undefined)
}

function ruledParts(type: Type): readonly Type[] {
  return within(type).filter(({ rules }) => rules !== undefined)
}

const keyword = (name: string): string => `x-${ruleKeywords}-${name}`

class Writer {
  readonly #types: Types
  readonly #leading: ReadonlySet<string>
  readonly #whole: ReadonlySet<string>
  readonly #expressions: Map<object, Expression>
  readonly #rows = new Map<string, JsonObject>()

  constructor(
    types: Types,
    leading: ReadonlySet<string>,
    whole: ReadonlySet<string>,
    expressions: Map<object, Expression>,
  ) {
    this.#types = types
    this.#leading = leading
    this.#whole = whole
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
    const whole = this.#whole.has(struct.id)
    const fields = struct.fields.filter((field) => this.#shown(field, struct, whole))
    const required = fields.filter((field) => field.required && field.default === undefined)
    return {
      type: 'object',
      ...(whole && required.length > 0 && { required: required.map(({ name }) => name) }),
      ...(struct.preserveUnknown && { [keyword('preserve-unknown-fields')]: true }),
      ...(struct.mapType && { [keyword('map-type')]: struct.mapType }),
      properties: Object.fromEntries(fields.map((field) => [field.name, this.#field(field)])),
      ...this.#rules(struct.rules),
    }
  }

  /** Of the metadata of a whole object rules see the names, which they know without a schema. */
  #shown({ name, type }: Field, struct: StructType, whole: boolean): boolean {
    const leads = hasRules(type) || refsIn(type).some((id) => this.#leading.has(id))
    return leads || (whole && !(struct.root && name === 'metadata'))
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

/** Text forms are what they are in JSON; a rule makes a quantity or a duration of one by a function. */
const scalars: Readonly<Record<Scalar, JsonObject>> = {
  time: { type: 'string', format: 'date-time' },
  'micro-time': { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  quantity: { type: 'string' },
  'int-or-string': { [keyword('int-or-string')]: true },
  'raw-extension': { type: 'object', [keyword('preserve-unknown-fields')]: true },
  'fields-v1': { type: 'object', [keyword('preserve-unknown-fields')]: true },
  any: { [keyword('preserve-unknown-fields')]: true },
}
