import type { Clock } from './clock.ts'

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
