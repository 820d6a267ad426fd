import {
  type Authority,
  authorizerValue,
  type Bindings,
  type Budget,
  fail,
  limits,
  type Resource,
  type Result,
  resourceCheckValue,
  type Value,
  workOf,
} from '../cel/cel.ts'
import type { Compiled } from './compile.ts'
import type { CompiledVariable } from './variables.ts'

/** What expressions are evaluated over, as plain JSON; null stands for what is not there. */
export interface Inputs {
  readonly object: unknown
  readonly oldObject: unknown
  readonly request: unknown
  readonly params: unknown
  readonly namespaceObject: unknown
  /** What the request is about, for checks of rights. */
  readonly resource: Resource
}

/** The outcome of one expression. `spent`: the budget of all of them is, and none may follow. */
export type Outcome =
  | { readonly is: 'value'; readonly value: Value }
  | { readonly is: 'error'; readonly text: string }
  | { readonly is: 'spent' }

/** What is said when a budget is spent. */
export const spentText =
  'validation failed due to running out of cost budget, no further validation rules will be run'

/**
 * The expressions about one request, evaluated one after the other. A variable is evaluated when it is first read, at
 * most once, at the expense of the expression that reads it.
 */
export class Run {
  readonly #bindings: Bindings
  #budget: Budget = { remaining: 0 }
  #spent = false
  #cost = 0

  constructor(
    inputs: Inputs,
    variables: readonly CompiledVariable[],
    authority: Authority | undefined,
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
  evaluate({ program, problem }: Compiled, budget: Budget): Outcome {
    if (program === undefined) return { is: 'error', text: `compilation error: ${problem}` }
    this.#budget = budget
    this.#spent = false
    const before = budget.remaining
    const result = program.evaluate(this.#bindings, budget, limits.call)
    this.#cost += before - budget.remaining
    const stopped = result.is === 'stopped' && result.by === 'budget'
    if (this.#spent || stopped || budget.remaining < 0) return { is: 'spent' }
    if (result.is === 'value') return result
    const why = result.is === 'error' ? result.error.message : cancelled
    return { is: 'error', text: `expression '${program.source}' resulted in error: ${why}` }
  }

  /** What the evaluations since the last call took, in the units of steps. */
  work(): number {
    const work = workOf(this.#cost)
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

  #variable(name: string, { program, problem }: Compiled): Result {
    const quoted = `composited variable ${JSON.stringify(name)}`
    if (program === undefined) return fail(`${quoted} fails to compile: ${problem}`)
    const result = program.evaluate(this.#bindings, this.#budget, limits.call)
    if (result.is === 'value') return result.value
    if (result.is === 'stopped' && result.by === 'budget') this.#spent = true
    const why = result.is === 'error' ? result.error.message : cancelled
    return fail(`${quoted} fails to evaluate: ${why}`)
  }
}

const cancelled = 'operation cancelled: actual cost limit exceeded'
