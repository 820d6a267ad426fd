/** What compiling the validation rules of a schema takes and gives. */
import type { ValidationRule } from '../../kernel/descriptors/validation-rules.ts'
import type { Issue, Program } from '../program/program.ts'
import type { Result } from '../values/values.ts'

/** How rules are compiled and run. */
export interface RuleOptions {
  /** The prefix of extension keywords in paths and messages: `orch` for `x-orch-validations`. */
  readonly extension: string
  /** The feature gate of rules that run without an old value. */
  readonly optionalOldSelf?: boolean
  /** Values that did not change may stay invalid, except for transition rules. */
  readonly ratcheting?: boolean
  /** The root is no resource: rules see neither `metadata` nor `apiVersion` and `kind` there. */
  readonly notResource?: boolean
  /** The expressions that were stored before: they may use functions that new ones may not. Undefined: all may. */
  readonly stored?: ReadonlySet<string> | undefined
  /** The form of rules is judged elsewhere: they are compiled whatever it is, if they have an expression. */
  readonly formsChecked?: boolean
  /** Costs were estimated when the rules were written and are not estimated again. */
  readonly costChecked?: boolean
  /**
   * The rules are those of our own schemas: the other rules of a node that has a malformed one are compiled, too, and
   * worst cases bound what optionals hold.
   */
  readonly compileAll?: boolean
}

/** One mistake of a rule, for its author, who knows the rule rather than its path in the schema. */
export interface RuleProblem {
  readonly rule: ValidationRule
  readonly part: keyof ValidationRule
  readonly is: 'form' | 'syntax' | 'type' | 'cost'
  readonly message: string
  /** Set if the part is an expression that does not compile: its errors with their positions. */
  readonly issues?: readonly Issue[]
}

/** A rule that compiled. */
export interface CompiledRule {
  readonly rule: ValidationRule
  readonly program: Program
  /** The compiled `messageExpression`. */
  readonly message: Program | undefined
  /** It reads `oldSelf`. */
  readonly transition: boolean
  /** The path that its errors are reported at, relative to the node; empty for the node itself. */
  readonly fieldPath: string
}

/** A node that has rules in it or below it. */
export interface RuleNode {
  readonly type: string
  /** Reads a JSON value as a value of the node's type. */
  readonly read: (raw: unknown) => Result
  readonly rules: readonly CompiledRule[]
  /**
   * False for atomic maps and structs, and for lists that are not of type `map`: below them, old and new values cannot
   * be matched.
   */
  readonly correlatable: boolean
  readonly listMapKeys: readonly string[]
  readonly properties: ReadonlyMap<string, RuleNode>
  readonly additional: RuleNode | undefined
  readonly items: RuleNode | undefined
}

/** The estimated cost of an expression: its worst case times how often it can run for one object. */
export interface ExpressionCost {
  readonly path: string
  readonly cost: number
}
