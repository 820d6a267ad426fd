import type { Clock } from '../kernel/async/clock.ts'

/** How the wait grows with each failure. */
export interface Backoff {
  /** The wait after the first failure, in milliseconds; it doubles with each further one. Default 50. */
  readonly baseMs?: number
  /** The longest wait, in milliseconds. Default 300,000. */
  readonly maxMs?: number
}

/** Milliseconds to wait after the given number of failures in a row. */
export function backoffMs(
  failures: number,
  { baseMs = 50, maxMs: mostMs = 300_000 }: Backoff = {},
): number {
  return Math.min(mostMs, baseMs * 2 ** (failures - 1))
}

/** A token bucket: `burst` tokens at first, `perSecond` more each second. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** A token bucket. Each call takes a token and gives the milliseconds to wait for it. */
export function createTokenBucket({ perSecond, burst }: Rate, clock: Clock): () => number {
  let tokens = burst
  let last = clock.monotonic()
  return () => {
    const now = clock.monotonic()
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * perSecond)
    last = now
    tokens -= 1
    return tokens >= 0 ? 0 : Math.ceil((-tokens / perSecond) * 1000)
  }
}
