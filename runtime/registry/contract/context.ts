import type { Admission } from '../../admission/admission.ts'
import type { Authorizer, RuleResolver, TokenService } from '../../auth/auth.ts'
import type { Clock, Random } from '../../kernel/async/clock.ts'
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { WatchCache } from '../../watch/watch.ts'
import type { ObjectTarget, Target, WriteOptions } from './contract.ts'

/** What every verb works with. One is made for each request; what is optional is set for the kinds that need it. */
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
  /** What roles and bindings give to whom; absent where there are none that count. */
  readonly rules?: RuleResolver
  /** Knows and issues tokens; absent where there are none. */
  readonly tokens?: TokenService
  /** Set where values may be stored otherwise than a write of them would store them now. */
  readonly isOutdated?: (key: string) => boolean
  /** Set for a kind whose versions a webhook converts. */
  readonly conversions?: WriteConversions
  /** Set for a write of a kind whose objects have values of common ranges, such as the addresses of services. */
  readonly allocations?: WriteAllocations
  /** Decides about writes; absent for the server's own writes, which no plugin looks at. */
  readonly admission?: Admission
}

/** A write that a verb was called for, before its admission begins. */
export interface WriteCall {
  readonly context: RegistryContext
  readonly target: Target
  readonly options: WriteOptions
  /** Set where a request that is no creation makes the object that it did not find. */
  readonly makesMissing?: true
}

/** A write to one stored object. */
export interface UpdateCall extends WriteCall {
  readonly target: ObjectTarget
}

/** The values of common ranges that one write allocates and releases. */
export interface WriteAllocations {
  /** Allocates what the object names or lacks. @throws StatusError Invalid if a value is taken or out of range. */
  allocate(object: ApiObject, old: ApiObject | undefined): Promise<ApiObject>
  /** Allocates nothing. @throws StatusError as `allocate` would. */
  judge(object: ApiObject, old: ApiObject | undefined): Promise<void>
  /** Notes what an object has allocated that is about to change or to go. */
  expectRelease(old: ApiObject | undefined): void
  /** Notes that the write took place, and what it left; undefined for a deletion. */
  commit(object: ApiObject | undefined): void
}

/** Objects in versions that a webhook converts: awaited ahead, so that what compares them need not wait. */
export interface WriteConversions {
  /** @throws StatusError if the webhook fails. */
  prepare(versions: readonly AnyKind[], objects: readonly ApiObject[]): Promise<void>
  /** An object in a version that it was converted to by `prepare`. */
  converted(version: AnyKind, object: ApiObject): ApiObject
}

/** The kind of namespaces; a scheme without it has no namespaces to check. */
export function namespaceKind(scheme: Scheme): AnyKind | undefined {
  return Object.hasOwn(scheme.routes, 'api/v1/namespaces')
    ? scheme.routes['api/v1/namespaces']
    : undefined
}
