import { parseNanoseconds } from '../../kernel/values/duration.ts'

/** What servers give a webhook by default, and at most. */
const [usualMs, longestMs] = [10_000, 30_000]

/** Left for the way back, so that the caller hears what took so long. */
const wayBackMs = 500

/** Milliseconds in which a review has to be answered: a little less than what the server says in its query, `?timeout=10s`. */
export function answerTimeMs(query: string): number {
  const text = new URLSearchParams(query).get('timeout') ?? ''
  const nanos = parseNanoseconds(text)
  const given = nanos === undefined || nanos <= 0n ? usualMs : Number(nanos / 1_000_000n)
  const ms = Math.min(given, longestMs)
  return ms - Math.min(wayBackMs, ms / 10)
}
