import type { Clock } from '../kernel/async/clock.ts'
import { deadline } from '../kernel/async/deadline.ts'

/** Milliseconds that a review may take. */
const limitMs = 10_000

/** What `ask` gives, if it does so in time. */
export async function withinLimit<T>(
  clock: Clock,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = deadline(clock, new AbortController().signal, 0, limitMs)
  try {
    return await ask(limit.signal)
  } finally {
    limit.end()
  }
}
