import type { PluginContext, PluginSelection } from '../admission/admission.ts'
import type { Pools } from '../apis/apis.ts'
import type { Authorizer, RuleResolver, TokenService } from '../auth/auth.ts'
import type { Clock, Random } from '../kernel/async/clock.ts'
import type { EnabledGates } from '../kernel/descriptors/enabled-gates.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { WatchCache } from '../watch/watch.ts'
import type { ComputedKinds } from './verbs/computed.ts'

/** What a registry works over, and which of its parts are other than the default. */
export interface RegistryOptions {
  /** A cache that was made with `withResourceVersion` as its `stampResourceVersion`. */
  readonly store: WatchCache
  readonly scheme: Scheme
  readonly clock: Clock
  /** True where other servers write to the store, too. */
  readonly shared?: boolean
  /** The source of generated names. */
  readonly random?: Random
  /** A new uid at each call. Default: random UUIDs. */
  readonly uid?: () => string
  readonly gates?: EnabledGates
  /** The kinds whose objects are computed at each read. */
  readonly computed?: ComputedKinds
  /** The ranges of addresses and ports that services share. Default: those of a cluster with the usual flags. */
  readonly pools?: Pools
  /** Decides what users may do, in access reviews and in admission. Default: everything is allowed. */
  readonly authorizer?: Authorizer
  /** What roles and bindings give to whom: what the writers of roles and bindings may give. Default: nothing to anyone. */
  readonly rules?: RuleResolver
  /** Knows and issues tokens. Default: no token is good, and none is issued. */
  readonly tokens?: TokenService
  /** True for a key whose value, as it is stored, is not what a write of the same value would store now. Default: none. */
  readonly isOutdated?: (key: string) => boolean
  /** The plugins of admission. Default: only NamespaceLifecycle. */
  readonly admission?: PluginSelection &
    Partial<Pick<PluginContext, 'log' | 'metrics' | 'resolve' | 'settings'>>
}
