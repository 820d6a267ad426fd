/**
 * Milliseconds until certainly more than so many seconds have passed since something happened whose time is told in whole seconds: it happened
 * within the second that is told, and not after now. Negative where they have passed.
 */
export function certainlyPastMs(since: number, seconds: number, now: number): number {
  const happenedBy = Math.min(since + 999, Math.max(since, now))
  return happenedBy + seconds * 1000 + 1 - now
}
