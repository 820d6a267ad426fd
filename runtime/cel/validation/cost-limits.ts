/**
 * The limits on the cost of validation rules: on estimates when a rule is written, on units spent when it runs
 * (supplement C-15).
 */
import { saturated } from '../cost/ranges.ts'

/** The limits, in units of cost. */
export const costLimits = {
  /** The estimate of one expression. */
  expression: 10_000_000,
  /** The estimates of all expressions of a schema together. */
  schema: 100_000_000,
  /** One evaluation. */
  call: 1_000_000,
  /** All evaluations for one object. */
  object: 10_000_000,
  /** All match conditions of one webhook or policy binding. */
  conditions: 2_500_000,
} as const

/** The product, saturating at the largest cost. */
export function saturatingMultiply(cost: number, often: number): number {
  return Math.min(cost * often, saturated)
}

/** The message for an estimate above its limit; undefined for one within it. */
export function overBudget(name: string, cost: number, limit: number): string | undefined {
  if (cost <= limit) return undefined
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'
  return `${name} exceeds budget by factor of ${factorText(cost / limit)} (${advice})`
}

function factorText(factor: number): string {
  if (factor > 100) return 'more than 100x'
  return factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
}

/** The time that units of cost take, in steps of `kernel/async/slices.ts`. */
export function stepsOfCost(cost: number): number {
  return cost / unitsPerStep
}

/** One step lasts as long as 50 units of cost. */
const unitsPerStep = 50
