import type { Entry } from './contract.ts'

/** Why the store refused; the registry turns it into a status. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly reason:
    | 'AlreadyExists'
    | 'NotFound'
    | 'Conflict'
    | 'Expired'
    | 'Future'
    | 'TooLarge'
    | 'CannotWrite'
    /** The database does not answer: nothing was written, and later it may be. */
    | 'Unavailable'
    /** The database did not say whether it wrote. */
    | 'Unknown'
    | 'Closed'
  /** The key's latest entry, where a write lost against it. */
  readonly current: Entry | undefined

  constructor(reason: StoreError['reason'], message: string, current?: Entry) {
    super(message)
    this.reason = reason
    this.current = current
  }
}
