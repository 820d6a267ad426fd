import type { Clock } from '../../runtime/kernel/async/clock.ts'

/** A clock that moves only when told. What is due at once runs in the next turn of the event loop: no time has to pass for it. */
export interface FakeClock extends Clock {
  /** Moves on and runs what came due, in order. */
  advance(ms: number): void
  /** How many timers wait. */
  readonly waiting: number
}

export function fakeClock(start = 0): FakeClock {
  const timers = new Set<{ readonly at: number; readonly run: () => void }>()
  let now = start
  return {
    now: () => now,
    after(ms, run) {
      if (ms <= 0) {
        const immediate = setImmediate(run)
        return () => clearImmediate(immediate)
      }
      const timer = { at: now + ms, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        timers.delete(next)
        now = next.at
        next.run()
      }
      now = end
    },
    get waiting() {
      return timers.size
    },
  }
}
