/**
 * Rules in the expression language as generated from schema files: facts only. They stand in schemas that hold what an
 * expression needs to know and no more; `runtime/cel` compiles them when they are first needed.
 */
import type { JsonObject } from '../values/json.ts'

/** A rule as a schema states it: what must hold for the value beside which it stands. */
export interface ValidationRule {
  /** Reads the value as `self`, and what it replaces as `oldSelf`. */
  readonly rule: string
  readonly message?: string
  /** Gives the message, where it depends on the value. */
  readonly messageExpression?: string
  /** The word for the cause of a refusal; a value that is not valid, without it. */
  readonly reason?: string
  /** The field that the finding is about, from the value on: `.spec.replicas`. */
  readonly fieldPath?: string
  /** The rule runs for new objects, too: `oldSelf` is an optional. */
  readonly optionalOldSelf?: boolean
}

/** What keywords of these schemas begin with after `x-`, whatever a platform publishes them under. */
export const ruleKeywordPrefix = 'orch'

/** The schemas of a tree that rules stand in or look at, by the names that references give them. */
export type RuleSchemas = Readonly<Record<string, () => JsonObject>>

/** The rules of a kind, or of the configuration of a daemon: those in the schema `root` and below. */
export interface RuleTable {
  readonly root: string
  readonly schemas: RuleSchemas
}
