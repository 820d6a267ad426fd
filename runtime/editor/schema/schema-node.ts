/** A JSON Schema whose keywords are asked for one by one. */
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { plainValue } from '../../validate/validate.ts'
import {
  entriesOf,
  keywordOf,
  type NamedSchema,
  nodeOf,
  type PlacedSchema,
  type SchemaDialect,
  textOf,
} from './placed-schema.ts'

/** A schema whose keywords are asked for one by one. */
export class SchemaNode<At> {
  readonly dialect: SchemaDialect<At>
  readonly isRequired: boolean
  /** True if zero and absent are the same. */
  readonly zeroIsAbsent: boolean
  readonly #node: PlacedSchema<At>

  /** `field` is the schema that refers to this one. */
  constructor(
    node: PlacedSchema<At>,
    dialect: SchemaDialect<At>,
    field: { readonly isRequired?: boolean; readonly zeroIsAbsent?: boolean } = {},
  ) {
    this.#node = node
    this.dialect = dialect
    this.isRequired = field.isRequired ?? false
    const zero = this.word('zero')
    this.zeroIsAbsent = field.zeroIsAbsent === true || zero === 'omit' || zero === 'keep'
  }

  /** Where its reference leads. */
  get target(): NamedSchema<At> | undefined {
    const ref = this.text('$ref')
    return ref === undefined ? undefined : this.dialect.resolve(ref)
  }

  /** True for an object whose fields are named. */
  get isStruct(): boolean {
    if (this.word('scalar') !== undefined) return false
    return nodeOf(this.#node, 'properties') !== undefined || this.#inlined.length > 0
  }

  /** True where fields that are not named have a schema, too. */
  get hasFreeFields(): boolean {
    return nodeOf(this.#node, 'additionalProperties') !== undefined
  }

  get items(): SchemaNode<At> | undefined {
    return this.#child('items')
  }

  /** The schema of the values of a map. */
  get values(): SchemaNode<At> | undefined {
    return this.#child('additionalProperties')
  }

  /** The schemas of which a value has one, in schema files. */
  get members(): readonly SchemaNode<At>[] {
    const all = this.text('type') === undefined ? nodeOf(this.#node, 'oneOf') : undefined
    const items = all?.is === 'list' ? all.items : []
    return items.map((one) => new SchemaNode(one, this.dialect))
  }

  /** The fields, those of structs that are spread among them first. */
  fields(): readonly NodeField<At>[] {
    const required = this.keyword('required')
    const names = new Set(Array.isArray(required) ? required.map(String) : [])
    const own = entriesOf(nodeOf(this.#node, 'properties')).map(({ key, value }) => {
      const isRequired = names.has(key)
      return { name: key, isRequired, schema: new SchemaNode(value, this.dialect, { isRequired }) }
    })
    const spread = this.#inlined.flatMap((one) => {
      const node = new SchemaNode(one, this.dialect)
      const { target } = node
      return (target ? new SchemaNode(target.node, target.dialect) : node).fields()
    })
    return [...spread, ...own]
  }

  /** The conditions of a definition that hold beside its fields, as they are. */
  conditions(): Readonly<Record<string, Json>> {
    if (this.dialect.absentIsZero !== undefined) return {}
    const stated = ['allOf', 'anyOf', 'oneOf', 'not'].flatMap((key) => {
      const value = this.keyword(key)
      return value === undefined ? [] : [[key, value] as const]
    })
    return Object.fromEntries(stated)
  }

  /** The keywords of what it refers to, and its own. */
  resolved(): JsonObject {
    const own = plainValue(this.#node)
    const target = this.target && plainValue(this.target.node)
    return { ...(isObject(target) && target), ...(isObject(own) && own) }
  }

  keyword(key: string): Json | undefined {
    return keywordOf(this.#node, key)
  }

  /** The text of a keyword. */
  text(key: string): string | undefined {
    return textOf(this.#node, key)
  }

  /** A keyword with the prefix of the dialect. */
  word(key: string): Json | undefined {
    return this.keyword(this.dialect.prefix + key)
  }

  get #inlined(): readonly PlacedSchema<At>[] {
    const all = this.dialect.absentIsZero === undefined ? undefined : nodeOf(this.#node, 'allOf')
    return all?.is === 'list' ? all.items : []
  }

  #child(key: string): SchemaNode<At> | undefined {
    const node = nodeOf(this.#node, key)
    return node?.is === 'map' ? new SchemaNode(node, this.dialect) : undefined
  }
}

/** A field of a schema. */
export interface NodeField<At> {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: SchemaNode<At>
}
