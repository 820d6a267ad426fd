/**
 * Validation rules (CEL) as generated from schema files. They are in JSON schemas that have only what expressions can refer
 * to; `runtime/cel` compiles them on first use.
 */
import type { JsonObject } from '../values/json.ts'

/** A rule of a schema: an expression that must be true for every value of the schema. */
export interface ValidationRule {
  /** The expression. `self` is the value, `oldSelf` the value that it replaces. */
  readonly rule: string
  readonly message?: string
  /** An expression for a message that depends on the value. */
  readonly messageExpression?: string
  /** The reason of the field error; `FieldValueInvalid` by default. */
  readonly reason?: string
  /** The field that the error is about, relative to the value: `.spec.replicas`. */
  readonly fieldPath?: string
  /** `oldSelf` is an optional, and the rule also runs for new objects. */
  readonly optionalOldSelf?: boolean
}

/** The prefix of keywords in these schemas (`x-orch-validations`), whatever a platform publishes them under. */
export const ruleKeywordPrefix = 'orch'

/** The schemas of a scheme that have rules or that rules read, by the names that references use. */
export type RuleSchemas = Readonly<Record<string, () => JsonObject>>

/** The rules of a kind or a configuration: those of the schema `root` and of every schema below it. */
export interface RuleTable {
  readonly root: string
  readonly schemas: RuleSchemas
}
