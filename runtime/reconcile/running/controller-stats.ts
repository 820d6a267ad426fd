import type { Outcome } from '../controller/outcome.ts'

/** What a controller has done so far, and what it has before it. */
export interface ControllerStats {
  readonly runs: Readonly<Record<Outcome['is'], number>>
  /** Milliseconds that the runs took together. */
  readonly busyMs: number
  /** Runs under way. */
  readonly active: number
  /** Objects that could be looked at now. */
  readonly depth: number
  /** Objects that wait for their time. */
  readonly delayed: number
}

/** Counts runs by outcome: four series a controller, whatever it works on. */
export interface RunCounter {
  begin(now: number): (outcome: Outcome, now: number) => void
  read(): Pick<ControllerStats, 'runs' | 'busyMs' | 'active'>
}

/** A counter at zero. */
export function createRunCounter(): RunCounter {
  const runs: Record<Outcome['is'], number> = { done: 0, again: 0, failed: 0, terminal: 0 }
  let busyMs = 0
  let active = 0
  return {
    begin(start) {
      active++
      return (outcome, end) => {
        active--
        busyMs += end - start
        runs[outcome.is]++
      }
    },
    read: () => ({ runs: { ...runs }, busyMs, active }),
  }
}
