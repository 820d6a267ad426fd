/** Value schemas of JSON Schemas with places: those of schema files with their vendor keywords, and those in definitions of kinds. */
import { isObject, type Json } from '../../kernel/values/json.ts'
import {
  entriesOf,
  entryOf,
  keywordOf,
  type NamedSchema,
  nodeOf,
  type PlacedSchema,
  type SchemaDialect,
  textOf,
} from './placed-schema.ts'
import type { FieldSchema, RuleText, SchemaPlace, Shape, ValueSchema } from './value-schema.ts'

/** The schema of a value. Fields are read when they are asked for, so that types may contain themselves. */
export function jsonSchema<At>(
  node: PlacedSchema<At>,
  dialect: SchemaDialect<At>,
  at?: At,
): ValueSchema {
  return new JsonSchemaView(node, dialect, at)
}

const bounds = [
  ...['format', 'minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems'],
  ...['minProperties', 'maxProperties'],
]
/** Keywords with a prefix that say how a value is treated. */
const treatment = ['list-type', 'list-map-keys', 'map-type']

class JsonSchemaView<At> implements ValueSchema {
  readonly #node: PlacedSchema<At>
  readonly #dialect: SchemaDialect<At>
  readonly #at: At | undefined
  /** Where the reference leads; the schema itself without one. */
  readonly #target: { readonly node: PlacedSchema<At>; readonly dialect: SchemaDialect<At> }
  readonly #named: NamedSchema<At> | undefined
  #fields: readonly FieldSchema[] | undefined
  #part: ValueSchema | undefined

  constructor(node: PlacedSchema<At>, dialect: SchemaDialect<At>, at: At | undefined) {
    this.#node = node
    this.#dialect = dialect
    this.#at = at
    const ref = textOf(node, '$ref')
    this.#named = ref === undefined ? undefined : dialect.resolve(ref)
    this.#target = this.#named ?? { node, dialect }
  }

  get shape(): Shape {
    const { node } = this.#target
    if (entriesOf(nodeOf(node, 'properties')).length > 0 || this.#inlined.length > 0)
      return 'object'
    if (this.part !== undefined) return nodeOf(node, 'items') === undefined ? 'map' : 'list'
    const type = textOf(node, 'type')
    if (type === 'array') return 'list'
    if (type === 'string' || type === 'integer' || type === 'number' || type === 'boolean')
      return type
    return this.#keyword('scalar') === 'quantity' ? 'string' : 'any'
  }

  get type(): string {
    const { node } = this.#target
    const name = this.#named?.name
    if (this.part !== undefined && (name === undefined || this.shape !== 'object')) {
      return this.shape === 'list' ? `[]${this.part.type}` : `map[string]${this.part.type}`
    }
    if (this.shape === 'object') return name ?? 'object'
    if (this.#keyword('int-or-string') === true) return name ?? 'integer or string'
    const words = [textOf(node, 'type'), textOf(node, 'format')].filter((one) => one !== undefined)
    const own = words.length === 0 ? 'any value' : words.join(', ')
    return name === undefined ? own : `${name} (${own})`
  }

  get description(): string | undefined {
    return textOf(this.#node, 'description') ?? textOf(this.#target.node, 'description')
  }

  get default(): Json | undefined {
    return this.#value('default')
  }

  get values(): readonly string[] {
    const stated = this.#value('enum') ?? this.#keyword('known-values')
    return Array.isArray(stated) ? stated.filter((one) => one !== null).map(String) : []
  }

  get isOpen(): boolean {
    return this.#value('enum') === undefined
  }

  get constraints(): readonly string[] {
    const own = bounds.flatMap((key) => {
      const value = this.#value(key)
      return value === undefined || (key === 'format' && this.type.includes(String(value)))
        ? []
        : [`${key}: ${stated(value)}`]
    })
    const treated = treatment.flatMap((key) => {
      const value = this.#keyword(key)
      return value === undefined ? [] : [`${key}: ${stated(value)}`]
    })
    return [...own, ...treated]
  }

  get rules(): readonly RuleText[] {
    const sets = [this.#node, this.#target.node].map((node, index) =>
      index === 1 && node === this.#node
        ? undefined
        : keywordOf(node, `${this.#dialect.prefix}validations`),
    )
    return sets.flatMap((set) => (Array.isArray(set) ? set.flatMap(ruleOf) : []))
  }

  get gate(): string | undefined {
    const gate = this.#keyword('feature-gate')
    return typeof gate === 'string' ? gate : undefined
  }

  get since(): string | undefined {
    const since = keywordOf(this.#node, `${this.#dialect.prefix}since`)
    return typeof since === 'string' ? since : undefined
  }

  get isDeprecated(): boolean {
    if (this.#value('deprecated') === true) return true
    return /(^|, )deprecated[.:]/i.test(this.description ?? '')
  }

  get place(): SchemaPlace | undefined {
    return this.#dialect.place(this.#at ?? this.#node.at)
  }

  get typePlace(): SchemaPlace | undefined {
    return this.#named?.dialect.place(this.#named.at)
  }

  get fields(): readonly FieldSchema[] {
    this.#fields ??= this.#readFields()
    return this.#fields
  }

  get part(): ValueSchema | undefined {
    const { node, dialect } = this.#target
    const found = entryOf(node, 'items') ?? entryOf(node, 'additionalProperties')
    if (found?.value.is !== 'map') return undefined
    this.#part ??= jsonSchema(found.value, dialect, found.keyAt)
    return this.#part
  }

  /** Structs whose fields stand among its own. */
  get #inlined(): readonly PlacedSchema<At>[] {
    const all = nodeOf(this.#target.node, 'allOf')
    return all?.is === 'list' ? all.items : []
  }

  #readFields(): readonly FieldSchema[] {
    const { node, dialect } = this.#target
    const required = keywordOf(node, 'required')
    const names = new Set(Array.isArray(required) ? required.map(String) : [])
    const own = entriesOf(nodeOf(node, 'properties')).map(({ key, keyAt, value }) => ({
      name: key,
      isRequired: names.has(key),
      schema: jsonSchema(value, dialect, keyAt),
    }))
    return [...this.#inlined.flatMap((one) => jsonSchema(one, dialect).fields), ...own]
  }

  #value(key: string): Json | undefined {
    return keywordOf(this.#node, key) ?? keywordOf(this.#target.node, key)
  }

  #keyword(key: string): Json | undefined {
    return this.#value(this.#dialect.prefix + key)
  }
}

function ruleOf(given: Json): readonly RuleText[] {
  if (!isObject(given) || typeof given.rule !== 'string') return []
  const { rule, message } = given
  return [{ rule, ...(typeof message === 'string' && { message }) }]
}

function stated(value: Json): string {
  return typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : String(value)
}
