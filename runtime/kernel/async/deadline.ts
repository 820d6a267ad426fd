import type { Clock } from './clock.ts'

/** A signal that aborts at some time. `end` releases its timer and its listener. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Aborts it before its time. */
  abort(): void
  end(): void
}

/**
 * A signal that aborts `graceMs` after `outer` does, or `limitMs` from now, whichever comes first. Lighter than
 * AbortSignal.any, and on the given clock.
 */
export function deadline(
  clock: Clock,
  outer: AbortSignal,
  graceMs: number,
  limitMs?: number,
): Deadline {
  const own = new AbortController()
  const abort = (): void => own.abort()
  const cancels = limitMs === undefined ? [] : [clock.after(limitMs, abort)]
  const follow = (): void => {
    if (graceMs === 0) abort()
    else cancels.push(clock.after(graceMs, abort))
  }
  if (outer.aborted) follow()
  else outer.addEventListener('abort', follow, { once: true })
  return {
    signal: own.signal,
    abort,
    end() {
      outer.removeEventListener('abort', follow)
      for (const cancel of cancels) cancel()
    },
  }
}
