/** What validation rules need to know of a schema, whichever document it was read from. */
import type { ValidationRule } from '../../kernel/descriptors/validation-rules.ts'
import type { JsonObject } from '../../kernel/values/json.ts'

/** One node of a schema. Absent limits mean unlimited. */
export interface SchemaNode {
  /** The name of the definition that it was found under. Nodes of one name have one type. */
  readonly name?: string
  /** The rules beside the reference that led here, as text: other nodes of that name need not have them. */
  readonly validationsBesideRef?: string
  readonly type: string
  readonly format: string
  readonly nullable: boolean
  readonly intOrString: boolean
  readonly embeddedResource: boolean
  readonly preserveUnknownFields: boolean
  readonly listType?: string
  readonly listMapKeys: readonly string[]
  readonly mapType?: string
  readonly maxLength?: number | undefined
  readonly maxItems?: number | undefined
  readonly maxProperties?: number | undefined
  readonly enum?: readonly unknown[] | undefined
  readonly hasDefault: boolean
  readonly required: ReadonlySet<string>
  readonly validations: readonly ValidationRule[]
  /** True if neither the node nor anything below it is known to have a rule. */
  readonly hasNoRules?: boolean
  /** Undefined if the schema has no `properties` at all. */
  readonly properties: ReadonlyMap<string, SchemaNode> | undefined
  readonly additionalProperties: SchemaNode | undefined
  /** True for `additionalProperties` that is true or false: any name leads to a value of no type. */
  readonly allowsAnyField?: boolean
  readonly items: SchemaNode | undefined
}

/** How a JSON schema is read. */
export interface SchemaOptions {
  /** The prefixes of extension keywords: `orch` for `x-orch-list-type`. The first that is present counts. */
  readonly prefixes: readonly string[]
  /** The schema that a `$ref` refers to. Unresolved references are nodes without a type. */
  readonly resolve?: (reference: string) => JsonObject | undefined
  /**
   * False for a schema that has no rule in or below it, so that the search for rules skips it. Without this every node
   * is searched.
   */
  readonly mayHaveRules?: (json: JsonObject) => boolean
  /** True for the schema of a definition, where the format `int-or-string` means nothing. */
  readonly structural?: boolean
}
