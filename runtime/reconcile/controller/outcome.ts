/** How a run ended, and so when the next one is due. There are no others. */
export type Outcome =
  | { readonly is: 'done' }
  | { readonly is: 'again'; readonly ms: number; readonly why?: string }
  | { readonly is: 'failed'; readonly error: unknown }
  | { readonly is: 'terminal'; readonly why: string }

/** The world is as the object says: run again when something changes. */
export const done: Outcome = { is: 'done' }

/**
 * Not there yet, and nothing went wrong: look again in `ms` milliseconds, or when something changes. 0 is as soon as may be, later
 * each time, as after a failure.
 *
 * @throws RangeError if `ms` is negative or not finite.
 */
export function again(ms: number, why?: string): Outcome {
  if (!isDelay(ms)) {
    throw new RangeError(
      `again(${ms}): milliseconds are a finite number from 0 on; give done to wait for a change`,
    )
  }
  return why === undefined ? { is: 'again', ms } : { is: 'again', ms, why }
}

/** True for what a run may give, by a program without types, too. */
export function isOutcome(value: unknown): value is Outcome {
  const { is, ms } = (value ?? {}) as { readonly is?: unknown; readonly ms?: unknown }
  if (is === 'again') return isDelay(ms)
  return is === 'done' || is === 'failed' || is === 'terminal'
}

function isDelay(ms: unknown): boolean {
  return typeof ms === 'number' && ms >= 0 && ms < Number.POSITIVE_INFINITY
}

/** Something went wrong that may pass: run again, later each time. To throw says the same. */
export function failed(error: unknown): Outcome {
  return { is: 'failed', error }
}

/** The object itself is at fault: no run will help before it changes. */
export function terminal(why: string): Outcome {
  return { is: 'terminal', why }
}
