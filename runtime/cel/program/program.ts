/** What compiling an expression gives, and what evaluating it gives. */

import type { Range } from '../functions/functions.ts'
import type { Bindings } from '../plan/frame.ts'
import type { CompileError } from '../syntax/source.ts'
import type { Type } from '../types/types.ts'
import type { CelError, Value } from '../values/values.ts'

/** One error of an expression. `line` counts from 1, `column` counts code points from 0. */
export interface Issue extends CompileError {
  readonly line: number
  readonly column: number
}

/** A program, or the errors of an expression (at most 100 of them) and the text in which clients see them. */
export type Compilation =
  | { readonly ok: true; readonly program: Program }
  | {
      readonly ok: false
      readonly issues: readonly Issue[]
      readonly text: string
      /** False if the text is no expression; true if its names, types or constants are wrong. */
      readonly parsed: boolean
      /** The type of an expression of which only constants are wrong: one is no pattern, or no value of its type. */
      readonly type?: Type
    }

/** Cost that several evaluations share, such as all match conditions of a webhook. */
export interface Budget {
  /** Units of cost left; negative after an evaluation that spent more. */
  remaining: number
  /** Steps left of the work that costs do not count (`limits/step-limit.ts`); the maximum if absent. */
  steps?: number
}

/** A compiled expression, which can be evaluated any number of times. */
export interface Program {
  /** The text that was compiled. */
  readonly source: string
  /** The type of the result; `dyn` if it is known only at run time. */
  readonly type: Type
  /** The variables of the environment that the expression reads. */
  readonly variables: ReadonlySet<string>
  /** The fields of a variable that the expression names: `spec.replicas` of `self.spec.replicas`. */
  reads(variable: string): readonly string[]
  /** The worst-case cost, derived from the bounds of the variables; saturates at 2^64. Computed on first use. */
  readonly estimate: Range
  /**
   * Evaluates within `budget.remaining`, which decreases by the cost, and within `limit`, the most that this evaluation
   * may cost (`evaluationLimit` by default). Never throws for what an expression does.
   */
  evaluate(bindings: Bindings, budget?: Budget, limit?: number): Evaluation
}

/** The outcome of an evaluation. `stopped`: the limit or the budget was spent before there was a value. */
export type Evaluation =
  | { readonly is: 'value'; readonly value: Value; readonly cost: number }
  | { readonly is: 'error'; readonly error: CelError; readonly cost: number }
  | { readonly is: 'stopped'; readonly by: StoppedBy; readonly cost: number }

/** Which of the two ended an evaluation: its own limit, or the budget that it shares. */
export type StoppedBy = 'limit' | 'budget'

/** The most that one evaluation may cost unless the caller passes another limit, in units of cost. */
export const evaluationLimit = 1_000_000
