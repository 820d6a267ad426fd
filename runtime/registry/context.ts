import type { Admission } from '../admission/admission.ts'
import type { Authorizer } from '../kernel/access.ts'
import type { Gates } from '../kernel/gates.ts'
import type { AnyKind } from '../kernel/kind.ts'
import type { Clock, Random } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import type { WatchCache } from '../watch/watch.ts'
import type { Claims } from './claims.ts'
import type { Conversions } from './conversions.ts'

/** What every verb works with. */
export interface Context {
  readonly store: WatchCache
  readonly tree: Tree
  readonly clock: Clock
  readonly random: Random
  /** A new uid at each call. */
  readonly uid: () => string
  readonly gates: Gates
  /** Who decides what callers may do. */
  readonly authorize: Authorizer
  /** Set for a kind whose versions somebody else's program converts. */
  readonly conversions?: Conversions
  /** Set for a write of a kind whose objects hold values of common ranges. */
  readonly claims?: Claims
  /** Who decides about writes; absent for writes that are nobody's request. */
  readonly admission?: Admission
}

/** The kind of namespaces; a tree without it has no namespaces to check. */
export function namespaceKind(tree: Tree): AnyKind | undefined {
  return Object.hasOwn(tree.routes, 'api/v1/namespaces')
    ? tree.routes['api/v1/namespaces']
    : undefined
}
