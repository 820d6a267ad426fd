/** How long a volume that cannot be made waits for the next try: half a second, twice as long each time up to about two minutes. */
const firstMs = 500
const mostMs = 122_000

/** The wait after one more failure. */
export function afterMountFailure(beforeMs: number | undefined): number {
  return beforeMs === undefined ? firstMs : Math.min(beforeMs * 2, mostMs)
}
