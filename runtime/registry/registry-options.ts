import type { PluginContext, PluginSelection } from '../admission/admission.ts'
import type { Pools } from '../apis/apis.ts'
import type { Clock, Random } from '../kernel/async/clock.ts'
import type { EnabledGates } from '../kernel/descriptors/enabled-gates.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { WatchCache } from '../watch/watch.ts'
import type { ComputedKinds } from './verbs/computed.ts'

export interface RegistryOptions {
  /** A cache that was made with `withResourceVersion` as its `stampResourceVersion`. */
  readonly store: WatchCache
  readonly scheme: Scheme
  readonly clock: Clock
  /** What generated names are made of. */
  readonly random?: Random
  /** Gives a new uid at each call. */
  readonly uid?: () => string
  readonly gates?: EnabledGates
  /** How the objects of kinds come about that are computed at each read. */
  readonly computed?: ComputedKinds
  /** The ranges that objects divide among them. Default: those of a cluster with the usual flags. */
  readonly pools?: Pools
  /** The plugins of admission. Default: only NamespaceLifecycle. */
  readonly admission?: PluginSelection &
    Partial<Pick<PluginContext, 'log' | 'metrics' | 'authorizer' | 'resolve' | 'settings'>>
}
