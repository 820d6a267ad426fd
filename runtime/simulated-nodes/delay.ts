import type { Random } from '../kernel/async/clock.ts'

/**
 * How long something takes, in milliseconds: always the same, anything between two bounds, or exponentially distributed about a mean, and
 * then never longer than `most` (ten times the mean, unless it says otherwise).
 */
export type Delay =
  | number
  | { readonly uniform: readonly [least: number, most: number] }
  | { readonly exponential: number; readonly most?: number }

/** One length of time out of those that a delay allows. */
export function sampleDelay(delay: Delay, random: Random): number {
  if (typeof delay === 'number') return Math.max(0, delay)
  if ('uniform' in delay) {
    const [least, most] = delay.uniform
    return least + (most - least) * random()
  }
  const { exponential, most = 10 * exponential } = delay
  return Math.min(most, -exponential * Math.log(1 - random()))
}
