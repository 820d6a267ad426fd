import { type Clock, type Random, systemClock, systemRandom } from '../../kernel/async/clock.ts'
import { type Log, silentLog } from '../../observe/observe.ts'
import type { RunSettings } from './manager-contract.ts'

/** What a manager works with where its options leave it out. */
export interface Surroundings {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly drainMs: number
  readonly keepAlive: boolean
  readonly program: string
}

/** The surroundings of a manager. */
export function surroundingsOf(options: RunSettings): Surroundings {
  const { clock = systemClock, random = systemRandom, log = silentLog } = options
  const { drainMs = 10_000, keepAlive = true, name: program = 'controller-manager' } = options
  return { clock, random, log, drainMs, keepAlive, program }
}
