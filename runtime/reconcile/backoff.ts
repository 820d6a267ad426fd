import type { Clock } from '../kernel/async/clock.ts'

export interface Backoff {
  /** The wait after the first failure, in milliseconds; it doubles with each further one. Default 50. */
  readonly baseMs?: number
  /** Default five minutes. */
  readonly maxMs?: number
}

/** The wait after the given number of failures in a row. */
export function backoffMs(
  failures: number,
  { baseMs = 50, maxMs: mostMs = 300_000 }: Backoff = {},
): number {
  return Math.min(mostMs, baseMs * 2 ** (failures - 1))
}

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** A token bucket: gives each caller the milliseconds to wait for its token. */
export function createTokenBucket({ perSecond, burst }: Rate, clock: Clock): () => number {
  let tokens = burst
  let last = clock.now()
  return () => {
    const now = clock.now()
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * perSecond)
    last = now
    tokens -= 1
    return tokens >= 0 ? 0 : Math.ceil((-tokens / perSecond) * 1000)
  }
}
