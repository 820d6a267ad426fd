/** Runs a plan within its cost limit, its budget, and the steps of work that costs do not count. */
import {
  evaluationStopped,
  maxBudgetSteps,
  maxSteps,
  setStepsLeft,
  stepsLeft,
} from '../limits/step-limit.ts'
import { type Bindings, Frame } from '../plan/frame.ts'
import type { Plan } from '../plan/planner.ts'
import { CelError, type Result } from '../values/values.ts'
import {
  type Budget,
  type Evaluation,
  evaluationLimit,
  type Program,
  type StoppedBy,
} from './program.ts'

/** The `evaluate` of a program with this plan. */
export function evaluatorOf(plan: Plan): Program['evaluate'] {
  const run = runner(plan)
  return (bindings, budget, limit = evaluationLimit) => {
    if (budget === undefined) return run(bindings, limit, 'limit', unshared)
    const scarce = budget.remaining < limit
    const left = scarce ? budget.remaining : limit
    budget.steps ??= maxBudgetSteps
    const evaluation = run(bindings, left, scarce ? 'budget' : 'limit', budget)
    budget.remaining -= evaluation.cost
    return evaluation
  }
}

type SharedSteps = Pick<Budget, 'steps'>
type Run = (bindings: Bindings, left: number, by: StoppedBy, shared: SharedSteps) => Evaluation

/** Stands for the budget's steps where there is no budget: the evaluation has the steps of its own limit only. */
const unshared: SharedSteps = {}

/** Runs a plan in a frame that is reused; an evaluation inside one of the same program gets another frame. */
function runner({ code, slots }: Plan): Run {
  let idle: Frame | undefined = new Frame(slots)
  return (bindings, left, by, shared) => {
    const frame = idle ?? new Frame(slots)
    idle = undefined
    frame.start(bindings, left)
    const { steps = maxSteps } = shared
    const allowed = Math.min(steps, maxSteps)
    const outside = setStepsLeft(allowed)
    try {
      return outcomeOf(code(frame), frame.left, left, by)
    } catch (error) {
      if (error !== evaluationStopped) throw error
      const overBudget = allowed < maxSteps && stepsLeft() < 0
      const cost = Math.max(left - frame.left, 0)
      return { is: 'stopped', by: overBudget ? 'budget' : by, cost }
    } finally {
      if (shared !== unshared) shared.steps = steps - (allowed - stepsLeft())
      setStepsLeft(outside)
      frame.end()
      idle = frame
    }
  }
}

function outcomeOf(result: Result, remaining: number, left: number, by: StoppedBy): Evaluation {
  const cost = left - remaining
  if (remaining < 0) return { is: 'stopped', by, cost }
  if (result instanceof CelError) return { is: 'error', error: result, cost }
  return { is: 'value', value: result, cost }
}
