/**
 * Limits the work that costs do not count: comparing deep values costs by their first level, the size of a string costs
 * one unit whatever its length. A step is about ten nanoseconds. Costs stay as documented; an evaluation that does far
 * more work than it paid for is stopped, after the same step on every machine.
 */

/** The steps of the innermost evaluation that runs, and a number for it. */
const meter = { left: Number.POSITIVE_INFINITY, evaluation: 0 }

/** Thrown when an evaluation has spent what it may. Only `evaluate` and `compile` catch it. */
export const evaluationStopped = { stopped: true }

/** The steps that one evaluation may take beyond its costs. */
export const maxSteps = 2_000_000

/** The steps of compiling one expression: its types and patterns can be far larger than its text. */
export const maxCompileSteps = 20_000_000

/**
 * The steps that all evaluations of one budget may take together: those of twenty. Between evaluations a caller may
 * yield.
 */
export const maxBudgetSteps = 40_000_000

/** Takes steps; throws `evaluationStopped` when none are left. */
export function spendSteps(steps: number): void {
  meter.left -= steps
  if (meter.left < 0) throw evaluationStopped
}

/** Sets the steps left and returns those that were left before: an evaluation may run inside another. */
export function setStepsLeft(steps: number): number {
  const before = meter.left
  meter.left = steps
  meter.evaluation++
  return before
}

/** The steps left of what was set last; negative after a stop. */
export function stepsLeft(): number {
  return meter.left
}

/** A number that changes when an evaluation begins or ends: what is paid for once in each compares it. */
export function currentEvaluation(): number {
  return meter.evaluation
}
