import { type Clock, type Random, systemClock } from '../kernel/async/clock.ts'
import { yieldToEventLoop } from '../kernel/async/slices.ts'
import { requestsUnderWay } from './requests-under-way.ts'

/**
 * A clock that moves only when told. What is due at once (`after` of zero milliseconds) runs in the next turn of the event loop:
 * no time has to pass for it, so that a manager gets ready and requests are answered while the clock stands.
 */
export interface VirtualClock extends Clock {
  /** Moves on and runs what came due, in order, before it returns. What that work waits for comes after the whole time has passed. */
  advance(ms: number): void
  /** Moves on from timer to timer, and lets what each of them began come to rest before the next. */
  advanceAsync(ms: number): Promise<void>
  /**
   * Moves on until no timer waits.
   *
   * @throws Error after `most` timers, of which there is no end where something repeats itself. Default 10,000.
   */
  runAll(most?: number): Promise<void>
  /** Sets the time of day, as an administrator would: timers and `monotonic` go on as they were. */
  set(now: number): void
  /** When the first timer is due that is due by `end`, on `monotonic`; undefined if there is none. */
  next(end?: number): number | undefined
  /** How many timers wait. */
  readonly waiting: number
}

/** Turns of the event loop in which work of the same process comes to rest. */
const restingTurns = 50

/** Milliseconds of the machine after which a request under way waits for the virtual clock itself. */
const longestRequestMs = 10_000

interface Timer {
  readonly at: number
  readonly run: () => void
}

/** A virtual clock that stands at `start`, in milliseconds since the epoch. Default: the first day of 2030. */
export function virtualClock(start: number = Date.UTC(2030, 0, 1)): VirtualClock {
  return virtualClockWith(undefined, start)
}

/** A virtual clock whose timers that are due at the same moment run in an order that `ties` decides. */
export function virtualClockWith(
  ties: Random | undefined,
  start: number = Date.UTC(2030, 0, 1),
): VirtualClock {
  const timers = new Set<Timer>()
  let now = start
  let shift = 0

  function earliest(end: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of timers) {
      if (timer.at <= end && (first === undefined || timer.at < first.at)) first = timer
    }
    return first
  }

  function firstBy(end: number): Timer | undefined {
    const first = earliest(end)
    if (ties === undefined || first === undefined) return first
    const { at } = first
    const due = [...timers].filter((timer) => timer.at === at)
    return due[Math.floor(ties() * due.length)]
  }

  /** Runs the first timer that is due by then; false if there is none. */
  function runNext(end: number): boolean {
    const next = firstBy(end)
    if (next === undefined) return false
    timers.delete(next)
    now = Math.max(now, next.at)
    next.run()
    return true
  }

  return {
    ...(ties && { ties }),
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
      while (runNext(end));
      now = end
    },
    async advanceAsync(ms) {
      const end = now + ms
      do await comeToRest()
      while (runNext(end))
      now = end
    },
    async runAll(most = 10_000) {
      await comeToRest()
      for (let count = 0; runNext(Number.POSITIVE_INFINITY); count++) {
        if (count === most) throw new Error(`${most} timers ran, and ${timers.size} still wait`)
        await comeToRest()
      }
    },
    set(time) {
      shift = time - now
    },
    next: (end = Number.POSITIVE_INFINITY) => earliest(end)?.at,
    get waiting() {
      return timers.size
    },
  }
}

/**
 * Lets what runs in this process go on until it waits for time or for another process. A request that a control plane works on may
 * load code or ask a webhook first: it is waited for.
 */
export async function comeToRest(): Promise<void> {
  const end = systemClock.monotonic() + longestRequestMs
  for (let quiet = 0; quiet < restingTurns; quiet++) {
    await yieldToEventLoop()
    if (requestsUnderWay() > 0 && systemClock.monotonic() < end) quiet = 0
  }
}
