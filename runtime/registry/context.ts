import type { Admission } from '../admission/admission.ts'
import type { Authorizer } from '../auth/auth.ts'
import type { Clock, Random } from '../kernel/async/clock.ts'
import type { EnabledGates } from '../kernel/descriptors/enabled-gates.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { WatchCache } from '../watch/watch.ts'
import type { AllocationTransaction } from './storage/allocations.ts'
import type { Conversions } from './storage/conversions.ts'

/** What every verb works with. */
export interface RegistryContext {
  readonly store: WatchCache
  readonly scheme: Scheme
  readonly clock: Clock
  readonly random: Random
  /** A new uid at each call. */
  readonly uid: () => string
  readonly gates: EnabledGates
  /** Decides what users may do. */
  readonly authorizer: Authorizer
  /** Set for a kind whose versions somebody else's program converts. */
  readonly conversions?: Conversions
  /** Set for a write of a kind whose objects hold values of common ranges. */
  readonly allocations?: AllocationTransaction
  /** Who decides about writes; absent for writes that are nobody's request. */
  readonly admission?: Admission
}

/** The kind of namespaces; a tree without it has no namespaces to check. */
export function namespaceKind(scheme: Scheme): AnyKind | undefined {
  return Object.hasOwn(scheme.routes, 'api/v1/namespaces')
    ? scheme.routes['api/v1/namespaces']
    : undefined
}
