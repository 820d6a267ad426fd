/** What compiling an expression gives, and what evaluating it gives. */

import type { Range } from '../functions/functions.ts'
import type { Bindings } from '../plan/frame.ts'
import type { CompileError } from '../syntax/source.ts'
import type { Type } from '../types/types.ts'
import type { CelError, Value } from '../values/values.ts'

/** One thing wrong with an expression. `line` counts from 1, `column` in code points from 0. */
export interface Issue extends CompileError {
  readonly line: number
  readonly column: number
}

/** What compiling gives: a program, or what is wrong (the first hundred things), with the text that clients are shown. */
export type Compilation =
  | { readonly ok: true; readonly program: Program }
  | {
      readonly ok: false
      readonly issues: readonly Issue[]
      readonly text: string
      /** False if the text is no expression; true if its names or types are wrong. */
      readonly parsed: boolean
    }

/** Cost that may be spent, shared by the evaluations that it is passed to. */
export interface Budget {
  /** Units of cost that are left; negative after an evaluation that spent more. */
  remaining: number
  /** Steps that are left of those that costs do not count (`cost/step-limit.ts`); the maximum if absent. */
  steps?: number
}

/** A compiled expression. */
export interface Program {
  readonly source: string
  readonly type: Type
  /** The variables that the expression reads. */
  readonly variables: ReadonlySet<string>
  /** The fields of a variable that the expression names: `spec.replicas` of `self.spec.replicas`. */
  reads(variable: string): readonly string[]
  /** The worst case, from the bounds of the variables; saturates at 2^64. Computed on first use. */
  readonly estimate: Range
  /**
   * Evaluates within `budget.remaining`, which goes down by the cost, and within `limit`, the most that one evaluation
   * may cost (`evaluationLimit` by default). Never throws for what an expression does.
   */
  evaluate(bindings: Bindings, budget?: Budget, limit?: number): Evaluation
}

/** The outcome of an evaluation. `stopped`: the limit or the budget was spent, there is no value. */
export type Evaluation =
  | { readonly is: 'value'; readonly value: Value; readonly cost: number }
  | { readonly is: 'error'; readonly error: CelError; readonly cost: number }
  | { readonly is: 'stopped'; readonly by: StoppedBy; readonly cost: number }

/** What an evaluation spent before it could end. */
export type StoppedBy = 'limit' | 'budget'

/** The most that one evaluation may cost where the caller names no limit, in units of cost. */
export const evaluationLimit = 1_000_000
