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

/** The variables of admission expressions as JSON; null for what the request does not have. */
export interface Activation {
  readonly object: unknown
  readonly oldObject: unknown
  readonly request: unknown
  readonly params: unknown
  readonly namespaceObject: unknown
  /** The resource that `authorizer.requestResource` checks. */
  readonly resource: ResourceAttributes
}

/** The outcome of one expression. After `spent`, the end of the budget, no other expression may be evaluated. */
export type EvaluationOutcome =
  | { readonly is: 'value'; readonly value: Value }
  | { readonly is: 'error'; readonly text: string }
  | { readonly is: 'spent' }

/** The message of a request whose expressions exceed their cost budget. */
export const budgetExceededMessage =
  'validation failed due to running out of cost budget, no further validation rules will be run'

/**
 * Evaluates expressions for one request, one after the other. A composited variable is evaluated once, when an expression first
 * reads it, and its cost counts for that expression.
 */
export class Evaluator {
  readonly #bindings: Bindings
  #budget: Budget = { remaining: 0 }
  #spent = false
  #cost = 0

  constructor(
    activation: Activation,
    variables: readonly CompiledVariable[],
    authorizer: CelAuthorizer | undefined,
  ) {
    const { resource, ...objects } = activation
    this.#bindings = {
      ...objects,
      ...(authorizer && {
        authorizer: authorizerValue(authorizer),
        'authorizer.requestResource': resourceCheckValue(authorizer, resource),
      }),
      variables: Object.fromEntries(variables.map((one) => [one.name, this.#lazily(one)])),
    }
  }

  /** Evaluates an expression, and subtracts its cost from the budget. */
  evaluate({ program, problem }: CompiledExpression, budget: Budget): EvaluationOutcome {
    if (program === undefined) return { is: 'error', text: `compilation error: ${problem}` }
    this.#budget = budget
    this.#spent = false
    const before = budget.remaining
    const result = program.evaluate(this.#bindings, budget, costLimits.call)
    this.#cost += before - budget.remaining
    const isStopped = result.is === 'stopped' && result.by === 'budget'
    if (this.#spent || isStopped || budget.remaining < 0) return { is: 'spent' }
    if (result.is === 'value') return result
    const reason = result.is === 'error' ? result.error.message : costLimitMessage
    return { is: 'error', text: `expression '${program.source}' resulted in error: ${reason}` }
  }

  /** The cost of the evaluations since the last call, in steps. */
  takeCost(): number {
    const steps = stepsOfCost(this.#cost)
    this.#cost = 0
    return steps
  }

  /** Evaluates a variable at its first read; errors are remembered like values. */
  #lazily({ name, compiled }: CompiledVariable): () => Result {
    let result: Result | undefined
    return () => {
      result ??= this.#variable(name, compiled)
      return result
    }
  }

  /** A variable that spends the budget ends the expression that reads it, whatever that makes of the error. */
  #variable(name: string, { program, problem }: CompiledExpression): Result {
    const quoted = `composited variable ${JSON.stringify(name)}`
    if (program === undefined) return fail(`${quoted} fails to compile: ${problem}`)
    const result = program.evaluate(this.#bindings, this.#budget, costLimits.call)
    if (result.is === 'value') return result.value
    if (result.is === 'stopped' && result.by === 'budget') this.#spent = true
    const reason = result.is === 'error' ? result.error.message : costLimitMessage
    return fail(`${quoted} fails to evaluate: ${reason}`)
  }
}

const costLimitMessage = 'operation cancelled: actual cost limit exceeded'
