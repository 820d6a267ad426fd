import type { UserInfo } from '../../kernel/auth/user-info.ts'
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Reading } from '../../kernel/validation/reading.ts'

/** What a hook may need to know beside the object. */
export interface StrategyContext {
  readonly platform: Platform
  /** Milliseconds since 1970. */
  readonly now: number
  readonly gates: EnabledGates
  /** The subresource that is written; absent for the object's own path. */
  readonly subresource?: string
  /** Who makes a new object; absent for the server itself. */
  readonly user?: UserInfo
  /** The reader refused the object in a way that expressions cannot be evaluated on. */
  readonly malformed?: boolean
  /** What reading the object found. */
  readonly reading?: Reading | undefined
}
