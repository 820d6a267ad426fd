import {
  authorizerValue,
  type Bindings,
  type Budget,
  type CelAuthorizer,
  costLimits,
  fail,
  type ResourceAttributes,
  type Result,
  resourceCheckValue,
  stepsOfCost,
  type Value,
} from '../cel/cel.ts'
import type { CompiledExpression } from './compile-expression.ts'
import type { CompiledVariable } from './variables.ts'

/** What expressions are evaluated over, as plain JSON; null stands for what is not there. */
export interface Activation {
  readonly object: unknown
  readonly oldObject: unknown
  readonly request: unknown
  readonly params: unknown
  readonly namespaceObject: unknown
  /** What the request is about, for checks of rights. */
  readonly resource: ResourceAttributes
}

/** The outcome of one expression. `spent`: the budget of all of them is, and none may follow. */
export type EvaluationOutcome =
  | { readonly is: 'value'; readonly value: Value }
  | { readonly is: 'error'; readonly text: string }
  | { readonly is: 'spent' }

/** What is said when a budget is spent. */
export const budgetExceededMessage =
  'validation failed due to running out of cost budget, no further validation rules will be run'

/**
 * The expressions about one request, evaluated one after the other. A variable is evaluated when it is first read, at
 * most once, at the expense of the expression that reads it.
 */
export class Evaluator {
  readonly #bindings: Bindings
  #budget: Budget = { remaining: 0 }
  #spent = false
  #cost = 0

  constructor(
    inputs: Activation,
    variables: readonly CompiledVariable[],
    authority: CelAuthorizer | undefined,
  ) {
    const { resource, ...bound } = inputs
    this.#bindings = {
      ...bound,
      ...(authority && {
        authorizer: authorizerValue(authority),
        'authorizer.requestResource': resourceCheckValue(authority, resource),
      }),
      variables: Object.fromEntries(variables.map((one) => [one.name, this.#lazily(one)])),
    }
  }

  /** Evaluates within a budget, which goes down by the cost. */
  evaluate({ program, problem }: CompiledExpression, budget: Budget): EvaluationOutcome {
    if (program === undefined) return { is: 'error', text: `compilation error: ${problem}` }
    this.#budget = budget
    this.#spent = false
    const before = budget.remaining
    const result = program.evaluate(this.#bindings, budget, costLimits.call)
    this.#cost += before - budget.remaining
    const stopped = result.is === 'stopped' && result.by === 'budget'
    if (this.#spent || stopped || budget.remaining < 0) return { is: 'spent' }
    if (result.is === 'value') return result
    const why = result.is === 'error' ? result.error.message : costLimitMessage
    return { is: 'error', text: `expression '${program.source}' resulted in error: ${why}` }
  }

  /** What the evaluations since the last call took, in the units of steps. */
  takeWork(): number {
    const work = stepsOfCost(this.#cost)
    this.#cost = 0
    return work
  }

  #lazily({ name, compiled }: CompiledVariable): () => Result {
    let known: Result | undefined
    return () => {
      known ??= this.#variable(name, compiled)
      return known
    }
  }

  #variable(name: string, { program, problem }: CompiledExpression): Result {
    const quoted = `composited variable ${JSON.stringify(name)}`
    if (program === undefined) return fail(`${quoted} fails to compile: ${problem}`)
    const result = program.evaluate(this.#bindings, this.#budget, costLimits.call)
    if (result.is === 'value') return result.value
    if (result.is === 'stopped' && result.by === 'budget') this.#spent = true
    const why = result.is === 'error' ? result.error.message : costLimitMessage
    return fail(`${quoted} fails to evaluate: ${why}`)
  }
}

const costLimitMessage = 'operation cancelled: actual cost limit exceeded'
