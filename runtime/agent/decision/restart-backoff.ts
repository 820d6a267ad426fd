/** How long a container that ended waits for its next start: 10 s, twice as long each time up to 5 min, from the beginning after 10 min of running. */
const firstMs = 10_000
const mostMs = 300_000
const forgottenMs = 600_000

/** What is remembered of the restarts of a container. */
export interface RestartBackoff {
  /** The wait before the next start, after the end of the last one. */
  readonly waitMs: number
  /** When it was started last. */
  readonly at: number
}

/** What is remembered after a restart at `now`. */
export function afterRestart(before: RestartBackoff | undefined, now: number): RestartBackoff {
  if (before === undefined || now - before.at > forgottenMs) return { waitMs: firstMs, at: now }
  return { waitMs: Math.min(before.waitMs * 2, mostMs), at: now }
}

/** Milliseconds until a container that ended may start again. */
export function restartWaitMs(
  backoff: RestartBackoff | undefined,
  finishedAt: number,
  now: number,
): number {
  if (backoff === undefined || finishedAt - backoff.at > forgottenMs) return 0
  return Math.max(0, finishedAt + backoff.waitMs - now)
}
