import type { Clock } from '../../runtime/kernel/async/clock.ts'

/** A clock that moves only when told. What is due at once runs in the next turn of the event loop: no time has to pass for it. */
export interface FakeClock extends Clock {
  /** Moves on and runs what came due, in order. */
  advance(ms: number): void
  /** Sets the time of day, as an administrator would: timers and `monotonic` go on as they were. */
  set(now: number): void
  /** How many timers wait. */
  readonly waiting: number
}

export function fakeClock(start = 0): FakeClock {
  const timers = new Set<{ readonly at: number; readonly run: () => void }>()
  let now = start
  let shift = 0
  return {
    now: () => now + shift,
    monotonic: () => now,
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
    set(time) {
      shift = time - now
    },
    get waiting() {
      return timers.size
    },
  }
}
