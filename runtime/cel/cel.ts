/**
 * Expressions in the Common Expression Language: compiled once, evaluated often, within a budget.
 *
 * The room knows values and types, never objects of a kind. It promises:
 *
 *  1. An expression that compiles has the types that its environment declares; what is dynamic is checked when it runs.
 *  2. Evaluation ends within its budget. A spent budget is not an error that an operator could absorb.
 *  3. Raw JSON is read where it lies, never changed, and never by a name that is not the object's own.
 *  4. Costs depend on the expression and its input alone, not on the machine.
 */
import type { Library } from './library.ts'
import type { Bounds, Type } from './types.ts'
import type { CelError, Result, Value } from './values.ts'

/** A variable of an environment. The name may have dots: `authorizer.requestResource`. */
export interface Variable {
  readonly name: string
  readonly type: Type
  /** Turns what is bound into a value; `adopt` if not given. */
  readonly read?: (raw: unknown) => Result
  readonly bounds?: Bounds
}

/** What an environment is made of. The standard library is always there. */
export interface EnvironmentOptions {
  readonly variables?: readonly Variable[]
  readonly libraries?: readonly Library[]
  /** The namespace that names are resolved in first: `a.b` finds `x` as `a.b.x`, `a.x`, `x`. */
  readonly container?: string
  /** Members of a list or map literal must have one type. True if not given. */
  readonly homogeneousLiterals?: boolean
  /** The macros of optional and two-variable comprehensions and `cel.bind`. `optionals` true, the others false if not given. */
  readonly macros?: {
    readonly optionals?: boolean
    readonly twoVariables?: boolean
    readonly bind?: boolean
  }
}

/** One thing wrong with an expression: `line` and `column` from 1 and 0, as the texts of the language count them. */
export interface Issue {
  readonly message: string
  readonly start: number
  readonly end: number
  readonly line: number
  readonly column: number
}

/** What compiling gives: a program, or everything that is wrong, with the text that clients are shown. */
export type Compilation =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly issues: readonly Issue[]; readonly text: string }

/** What is bound to variables. A function is called when the variable is first read, at most once in an evaluation. */
export type Bindings = Readonly<Record<string, unknown>>

/** Cost that may be spent, shared by the evaluations that it is passed to. */
export interface Budget {
  remaining: number
}

/** A compiled expression. */
export interface Program {
  readonly source: string
  readonly type: Type
  /** The variables that the expression reads. */
  readonly variables: ReadonlySet<string>
  /** The worst case, from the bounds of the variables; saturates at 2^64 - 1. */
  readonly estimate: { readonly min: number; readonly max: number }
  /**
   * Evaluates within `budget.remaining` (which goes down by the cost) and `limit`, the most that one evaluation may cost.
   */
  evaluate(bindings: Bindings, budget?: Budget, limit?: number): Evaluation
}

/** The outcome of an evaluation. `stopped`: the limit or the budget was spent, there is no value. */
export type Evaluation =
  | { readonly is: 'value'; readonly value: Value; readonly cost: number }
  | { readonly is: 'error'; readonly error: CelError; readonly cost: number }
  | { readonly is: 'stopped'; readonly by: 'limit' | 'budget'; readonly cost: number }
