/** The only source of time and of waiting; tests pass a fake one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `run` once after `ms` milliseconds. The returned function cancels it. Never keeps the process alive. */
  after(ms: number, run: () => void): () => void
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** RFC 3339 with seconds, UTC: how `Time` fields are written. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== printed.second) {
    printed.text = `${new Date(ms).toISOString().slice(0, 19)}Z`
    printed.second = second
  }
  return printed.text
}

/** The second that was last asked for: a busy server asks for the same one thousands of times. */
const printed = { second: Number.NaN, text: '' }

/** A number in [0, 1): what jitter is made of. Tests pass a constant. */
export type Random = () => number

/** The machine's randomness. */
export const systemRandom: Random = () => Math.random()

/** Keeps the process alive until the returned function is called: what runs until told holds on to it meanwhile. */
export function keepAlive(): () => void {
  const handle = setInterval(() => {}, 2 ** 30)
  return () => clearInterval(handle)
}

/** Resolves after `ms` milliseconds, or as soon as `signal` aborts: callers look at the signal themselves. */
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
