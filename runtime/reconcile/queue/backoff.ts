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
