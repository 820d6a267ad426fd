/** How long a lease holds. */
export interface LeaseTiming {
  /** Milliseconds without a renewal after which others take a lease over, in whole seconds. Default 15,000. */
  readonly leaseMs?: number
  /** Milliseconds without a renewal after which the holder's own term is over: well below `leaseMs`. Default 10,000. */
  readonly renewDeadlineMs?: number
  /** Milliseconds between two renewals, and about so many between two looks of a candidate. Default 2,000. */
  readonly retryMs?: number
}

/**
 * The timing with what it leaves out.
 *
 * @throws RangeError for times in the wrong order, with which two candidates could have a term at once.
 */
export function leaseTiming(timing: LeaseTiming): Required<LeaseTiming> {
  const { leaseMs = 15_000, renewDeadlineMs = 10_000, retryMs = 2_000 } = timing
  if (!(retryMs > 0 && retryMs * jitter < renewDeadlineMs && renewDeadlineMs < leaseMs)) {
    throw new RangeError(
      `lease: retryMs ${retryMs} times ${jitter}, renewDeadlineMs ${renewDeadlineMs} and leaseMs ${leaseMs} must each be less than the next`,
    )
  }
  if (leaseMs % 1000 !== 0) {
    throw new RangeError(`lease: leaseMs ${leaseMs} must be whole seconds, as leases count in them`)
  }
  return { leaseMs, renewDeadlineMs, retryMs }
}

/** A candidate looks again after one to 2.2 times `retryMs`, so that many do not look at once. */
const jitter = 1.2

/** Milliseconds until a candidate looks again. */
export function nextLookMs({ retryMs }: Required<LeaseTiming>, random: () => number): number {
  return retryMs * (1 + random() * jitter)
}
