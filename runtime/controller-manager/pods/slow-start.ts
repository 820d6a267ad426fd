/** How far a slow start came. */
export interface SlowStart {
  /** How many were made. */
  readonly made: number
  /** The first error of the round that was the last one, if one failed. */
  readonly error: unknown
}

/**
 * Makes `count` things, 1, 2, 4, ... at a time, and stops after a round in which one failed: what would fail many times fails a few
 * times only.
 */
export async function slowStart(
  count: number,
  create: (index: number) => Promise<unknown>,
): Promise<SlowStart> {
  let made = 0
  let begun = 0
  for (let size = 1; begun < count; size *= 2) {
    const first = begun
    begun = Math.min(count, first + size)
    const round = Array.from({ length: begun - first }, (_, at) => create(first + at))
    const settled = await Promise.allSettled(round)
    const failed = settled.find((one) => one.status === 'rejected')
    made += settled.filter((one) => one.status === 'fulfilled').length
    if (failed?.status === 'rejected') return { made, error: failed.reason }
  }
  return { made, error: undefined }
}
