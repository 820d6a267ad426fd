/** What a schema says of a value, whether the schema is a file of a platform or a definition among the documents. */
import type { Json } from '../../kernel/values/json.ts'

/** A line of a schema file, or of the document of a definition. */
export interface SchemaPlace {
  /** As it is shown. */
  readonly file: string
  /** Where the file is; absent for one that cannot be opened. */
  readonly path?: string
  readonly line: number
}

/** Which values there are, as far as typing one is concerned. */
export type Shape =
  | 'object'
  | 'list'
  /** An object of any keys, whose values have a schema. */
  | 'map'
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  /** Nothing is known. */
  | 'any'

/** A rule in the expression language. */
export interface RuleText {
  readonly rule: string
  readonly message?: string
}

/** What is said of a value. */
export interface ValueSchema {
  readonly shape: Shape
  /** As people write it: `[]Container`, `map[string]string`, `integer, int32`. */
  readonly type: string
  /** What the field is for, or, without one, the type. */
  readonly description: string | undefined
  readonly default: Json | undefined
  /** The values that are named; others are refused unless `isOpen`. */
  readonly values: readonly string[]
  readonly isOpen: boolean
  /** Bounds and forms: `minimum: 0`. */
  readonly constraints: readonly string[]
  readonly rules: readonly RuleText[]
  /** The feature gate without which it is dropped. */
  readonly gate: string | undefined
  /** The release that brought the field, or the kind. */
  readonly since: string | undefined
  readonly isDeprecated: boolean
  /** Where the field is declared, and where its type is. */
  readonly place: SchemaPlace | undefined
  readonly typePlace: SchemaPlace | undefined
  /** The fields of an object, in the order of their declaration. */
  readonly fields: readonly FieldSchema[]
  /** The schema of items, or of the values of a map. */
  readonly part: ValueSchema | undefined
}

/** A field of an object. */
export interface FieldSchema {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: ValueSchema
}

/** The field of that name. */
export function fieldOf(schema: ValueSchema, name: string): FieldSchema | undefined {
  return schema.fields.find((one) => one.name === name)
}

/** The schema of what a path leads to; undefined where the schema knows nothing of it. */
export function schemaAt(
  root: ValueSchema | undefined,
  path: readonly (string | number)[],
): ValueSchema | undefined {
  let schema = root
  for (const step of path) {
    if (schema === undefined) return undefined
    if (typeof step === 'number') schema = schema.shape === 'list' ? schema.part : undefined
    else if (schema.shape === 'map') schema = schema.part
    else
      schema =
        fieldOf(schema, step)?.schema ?? (schema.shape === 'object' ? schema.part : undefined)
  }
  return schema
}
