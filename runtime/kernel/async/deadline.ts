import type { Clock } from './clock.ts'

/** A signal that aborts at some time. `end` releases its timer and its listener. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Aborts it before its time. */
  abort(): void
  /** Moves the time at which it aborts by itself to `limitMs` from now; one without a limit stays without. Costs no timer. */
  extend(limitMs: number): void
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
  const cancels: (() => void)[] = []
  let extendedTo: number | undefined
  const due = (): void => {
    const left = extendedTo === undefined ? 0 : extendedTo - clock.monotonic()
    if (left > 0) cancels[0] = clock.after(left, due)
    else abort()
  }
  if (limitMs !== undefined) cancels.push(clock.after(limitMs, due))
  const follow = (): void => {
    if (graceMs === 0) abort()
    else cancels.push(clock.after(graceMs, abort))
  }
  if (outer.aborted) follow()
  else outer.addEventListener('abort', follow, { once: true })
  return {
    signal: own.signal,
    abort,
    extend(ms) {
      extendedTo = clock.monotonic() + ms
    },
    end() {
      outer.removeEventListener('abort', follow)
      for (const cancel of cancels) cancel()
    },
  }
}
