import type { Clock } from '../kernel/async/clock.ts'
import type { Environment } from './environment.ts'

/** What of an orchconfig counts. */
export interface ConfigSelection {
  /** The context to take. Default: the `current-context`. */
  readonly context?: string
  /** Where names without a namespace are looked up. Default: what the context says, else `default`. */
  readonly namespace?: string
  /** Default: that of this process. */
  readonly environment?: Environment
  readonly clock?: Clock
}
