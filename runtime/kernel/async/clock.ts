/** Time and timers, as an argument: tests pass a fake clock. */
export interface Clock {
  /** Milliseconds since the epoch. It may jump, in both directions: for times that others read. */
  now(): number
  /** Milliseconds since some moment. It never goes back, whatever the machine's time is set to: for measuring and waiting. */
  monotonic(): number
  /**
   * Calls `run` once after `ms` milliseconds, which may be any finite number; the returned function cancels it. The timer does
   * not keep the process alive.
   */
  after(ms: number, run: () => void): () => void
  /**
   * Decides what comes first of things that may happen at the same moment in any order, such as keys of a queue. Absent: what was
   * asked for first. A test that explores orders has it.
   */
  readonly ties?: Random
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    let timer: NodeJS.Timeout
    const wait = (left: number): void => {
      const rest = left - longestTimerMs
      timer = rest > 0 ? setTimeout(() => wait(rest), longestTimerMs) : setTimeout(run, left)
      timer.unref()
    }
    wait(ms)
    return () => clearTimeout(timer)
  },
}

/** Node fires a timer of more milliseconds, 24.8 days, at once. */
const longestTimerMs = 2 ** 31 - 1

/** Milliseconds since the epoch as a `Time` field: RFC 3339 in UTC with whole seconds. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== printed.second) {
    printed.text = `${new Date(ms).toISOString().slice(0, 19)}Z`
    printed.second = second
  }
  return printed.text
}

/** The last second that was printed: a busy server prints the same one thousands of times. */
const printed = { second: Number.NaN, text: '' }

/** Milliseconds since the epoch as a `MicroTime` field. */
export function microTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}

/** Gives random numbers in [0, 1), for jitter and generated names. Tests pass a constant. */
export type Random = () => number

/** Math.random: not for secrets. */
export const systemRandom: Random = () => Math.random()

/** Keeps the process alive until the returned function is called. */
export function keepAlive(): () => void {
  const handle = setInterval(() => {}, 2 ** 30)
  return () => clearInterval(handle)
}

/** Resolves after `ms` milliseconds, or when `signal` aborts. Never rejects: callers check the signal. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const cancel = clock.after(ms, finish)
    signal?.addEventListener('abort', finish, { once: true })
    function finish(): void {
      cancel()
      signal?.removeEventListener('abort', finish)
      resolve()
    }
  })
}
