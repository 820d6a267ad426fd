/**
 * Bounds the work that costs do not see: comparing deep values costs by their first level, the size of a string costs
 * one unit whatever its length. A step is about ten nanoseconds. Costs stay as they are documented; an evaluation that
 * does far more work than it paid for is stopped, at the same step on every machine.
 */
const meter = { left: Number.POSITIVE_INFINITY, evaluation: 0 }

/** Thrown when an evaluation has spent what it may. Nothing in this room catches it but `evaluate` and `compile`. */
export const evaluationStopped = { stopped: true }

/** The steps that one evaluation may take beyond its costs. */
export const maxSteps = 2_000_000

/** The steps that compiling one expression may take: its types and patterns can be far larger than its text. */
export const maxCompileSteps = 20_000_000

/** The steps that all evaluations of one budget may take together: those of twenty. Between them a caller may pause. */
export const maxBudgetSteps = 40_000_000

/** Takes steps; stops the evaluation when none are left. */
export function spendSteps(steps: number): void {
  meter.left -= steps
  if (meter.left < 0) throw evaluationStopped
}

/** Sets the steps left and gives those that were left before: an evaluation may run inside another. */
export function setStepsLeft(steps: number): number {
  const before = meter.left
  meter.left = steps
  meter.evaluation++
  return before
}

/** The steps left of what was allowed last. */
export function stepsLeft(): number {
  return meter.left
}

/** A number that changes when an evaluation begins or ends: what is paid for once in each is known by it. */
export function currentEvaluation(): number {
  return meter.evaluation
}
