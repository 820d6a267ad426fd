/**
 * Expressions in the Common Expression Language: compiled once, evaluated often, within a budget.
 *
 * The room knows values and types, never objects of a kind. It promises:
 *
 *  1. An expression that compiles has the types that its environment declares; what is dynamic is checked when it runs.
 *  2. Evaluation ends within its budget, and compiling within a bound of its own. A spent budget is not an error that an
 *     operator could absorb.
 *  3. Raw JSON is read where it lies, never changed, and never by a name that is not the object's own.
 *  4. Costs depend on the expression and its input alone, not on the machine.
 *
 * `syntax/` reads a source into the tree of `ast.ts`; `check/` finds types, references and mistakes; `plan/` makes
 * closures; `standard/` holds the functions of the language, `library/` those that a server adds; `estimate.ts` says
 * before any evaluation what the worst one costs. `test/conformance/cel.test.ts` holds it to the public vectors.
 */

import { check } from './check/checker.ts'
import type { Environment } from './check/environment.ts'
import { estimate } from './cost/estimate.ts'
import {
  evaluationStopped,
  maxBudgetSteps,
  maxCompileSteps,
  maxSteps,
  setStepsLeft,
  stepsLeft,
} from './cost/step-limit.ts'
import { type Bindings, Frame } from './plan/frame.ts'
import { type Plan, plan } from './plan/planner.ts'
import type { Expr } from './syntax/ast.ts'
import { fieldsReadOf } from './syntax/fields-read.ts'
import { parse } from './syntax/parser.ts'
import { type CompileError, lineColumnOf, printCompileErrors } from './syntax/source.ts'
import type { Range } from './types/functions.ts'
import type { Type } from './types/types.ts'
import { CelError, type Result, type Value } from './values/values.ts'

export {
  createEnvironment,
  type Environment,
  type EnvironmentOptions,
  type Variable,
  withVariables,
} from './check/environment.ts'
export { apiLibraries } from './library/api-libraries.ts'
export { type AsyncCelAuthorizer, withAuthorizationChecks } from './library/async-authorizer.ts'
export {
  type AuthorizationCheck,
  authorizerType,
  authorizerValue,
  type CelAuthorizer,
  type Decision,
  type ResourceAttributes,
  resourceCheckType,
  resourceCheckValue,
} from './library/authorizer.ts'
export type { Bindings } from './plan/frame.ts'
export {
  readSchema,
  type SchemaNode,
  type SchemaOptions,
  schemaOf,
  type ValidationRule,
} from './schema/json-schema.ts'
export { type SchemaType, schemaType } from './schema/schema-types.ts'
export { escapeName, unescapeName } from './syntax/escape.ts'
export { firstFieldsRead } from './syntax/fields-read.ts'
export type { FunctionDeclaration, Library, Overload } from './types/functions.ts'
export { method, overload } from './types/functions.ts'
export type { Bounds, Declared, Field, ObjectType, Type } from './types/types.ts'
export * as types from './types/types.ts'
export { costLimits, stepsOfCost } from './validation/cost-limits.ts'
export type { RuleProblem } from './validation/rule-compiler.ts'
export {
  compileRules,
  compileRulesInSteps,
  type RuleOptions,
  type RuleViolation,
  type SchemaRules,
} from './validation/schema-rules.ts'
export {
  isList,
  isMap,
  itemAt,
  itemsOf,
  keysOf,
  lengthOf,
  lookup,
  mapOf,
  sizeOfMap,
} from './values/collections.ts'
export { equals } from './values/equality.ts'
export { type SearchResult, searchWithin } from './values/regex.ts'
export {
  adopt,
  CelError,
  Double,
  Duration,
  fail,
  ListView,
  MapValue,
  MapView,
  ObjectView,
  Opaque,
  Optional,
  type Result,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values/values.ts'

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
      /** Whether it is an expression at all: what is wrong then is about types and names. */
      readonly parsed: boolean
    }

/**
 * Cost that may be spent, shared by the evaluations that it is passed to. `work`: what is left of the steps that costs do
 * not see (work.ts); full if it is not given.
 */
export interface Budget {
  remaining: number
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
  /** The worst case, from the bounds of the variables; saturates at 2^64. Worked out when it is first asked for. */
  readonly estimate: Range
  /**
   * Evaluates within `budget.remaining`, which goes down by the cost, and within `limit`, the most that one evaluation
   * may cost.
   */
  evaluate(bindings: Bindings, budget?: Budget, limit?: number): Evaluation
}

/** The outcome of an evaluation. `stopped`: the limit or the budget was spent, there is no value. */
export type Evaluation =
  | { readonly is: 'value'; readonly value: Value; readonly cost: number }
  | { readonly is: 'error'; readonly error: CelError; readonly cost: number }
  | { readonly is: 'stopped'; readonly by: 'limit' | 'budget'; readonly cost: number }

/** The most that one evaluation may cost if the caller names no limit. */
export const evaluationLimit = 1_000_000

/** Parses, checks and plans an expression. One that takes more work than its length explains is refused. */
export function compile(source: string, environment: Environment): Compilation {
  const outside = setStepsLeft(maxCompileSteps)
  try {
    return compilation(source, environment)
  } catch (error) {
    if (error !== evaluationStopped) throw error
    const message = 'compiling the expression takes too much work'
    return refused(source, [{ message, start: 0, end: source.length }], true)
  } finally {
    setStepsLeft(outside)
  }
}

function compilation(source: string, environment: Environment): Compilation {
  const parsed = parse(source, environment.macros)
  if (parsed.expr === undefined) return refused(source, [parsed.mistake], false)
  const checked = check(parsed.expr, environment)
  if (checked.errors.length > 0) {
    return refused(source, checked.errors, true, checked.furtherErrors)
  }
  const type = checked.types[checked.expr.id] as Type
  const worst = () => estimate(checked, environment)
  return {
    ok: true,
    program: programOf(source, type, plan(checked, environment), checked.expr, worst),
  }
}

function refused(
  source: string,
  mistakes: readonly CompileError[],
  parsed: boolean,
  further = 0,
): Compilation {
  const sorted = [...mistakes].sort((a, b) => a.start - b.start)
  const issues = sorted.map((mistake) => ({ ...mistake, ...lineColumnOf(source, mistake.start) }))
  return { ok: false, issues, text: printCompileErrors(source, sorted, further), parsed }
}

function programOf(
  source: string,
  type: Type,
  planned: Plan,
  expr: Expr,
  worst: () => Range,
): Program {
  let known: Range | undefined
  const run = runner(planned)
  return {
    source,
    type,
    variables: new Set(planned.slots.map(({ name }) => name)),
    reads: (variable) => fieldsReadOf(expr, variable),
    get estimate() {
      known ??= worst()
      return known
    },
    evaluate: (bindings, budget, limit = evaluationLimit) => {
      if (budget === undefined) return run(bindings, limit, 'limit', unshared)
      const scarce = budget.remaining < limit
      const left = scarce ? budget.remaining : limit
      budget.steps ??= maxBudgetSteps
      const evaluation = run(bindings, left, scarce ? 'budget' : 'limit', budget)
      budget.remaining -= evaluation.cost
      return evaluation
    },
  }
}

type By = 'limit' | 'budget'
type Run = (bindings: Bindings, left: number, by: By, shared: Pick<Budget, 'steps'>) => Evaluation

/** Stands for the work of an evaluation without a budget: it has its own limit only. */
const unshared: Pick<Budget, 'steps'> = {}

function runner({ code, slots }: Plan): Run {
  let idle: Frame | undefined = new Frame(slots)
  return (bindings, left, by, shared) => {
    const frame = idle ?? new Frame(slots)
    idle = undefined
    frame.start(bindings, left)
    const { steps: work = maxSteps } = shared
    const allowed = Math.min(work, maxSteps)
    const outside = setStepsLeft(allowed)
    try {
      return outcomeOf(code(frame), frame.left, left, by)
    } catch (error) {
      if (error !== evaluationStopped) throw error
      const late = allowed < maxSteps && stepsLeft() < 0
      return { is: 'stopped', by: late ? 'budget' : by, cost: Math.max(left - frame.left, 0) }
    } finally {
      if (shared !== unshared) shared.steps = work - (allowed - stepsLeft())
      setStepsLeft(outside)
      frame.end()
      idle = frame
    }
  }
}

function outcomeOf(
  result: Result,
  remaining: number,
  left: number,
  by: 'limit' | 'budget',
): Evaluation {
  const cost = left - remaining
  if (remaining < 0) return { is: 'stopped', by, cost }
  if (result instanceof CelError) return { is: 'error', error: result, cost }
  return { is: 'value', value: result, cost }
}
