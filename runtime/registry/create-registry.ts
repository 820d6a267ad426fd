import { randomUUID } from 'node:crypto'
import {
  createAdmission,
  type PluginContext,
  type PluginSelection,
} from '../admission/admission.ts'
import {
  defaultServiceRanges,
  fromStorageVersion,
  type Pools,
  servicePools,
  toStorageVersion,
} from '../apis/apis.ts'
import { alwaysAllow } from '../auth/auth.ts'
import { type Clock, type Random, systemRandom } from '../kernel/async/clock.ts'
import { type EnabledGates, enabledGatesOf } from '../kernel/descriptors/enabled-gates.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { noMetrics, silentLog } from '../observe/observe.ts'
import type { WatchCache } from '../watch/watch.ts'
import type { RegistryContext } from './context.ts'
import { pluginLister, pluginWriter } from './plugin-storage.ts'
import type { Registry, Target } from './registry.ts'
import { withAllocations } from './storage/allocations.ts'
import { Conversions, currentConversions } from './storage/conversions.ts'
import { collectionPrefix } from './storage/keys.ts'
import { versionedStore } from './storage/versioned-store.ts'
import { act } from './subresources/actions.ts'
import { getScale, patchScale, scaleSubresourceOf, updateScale } from './subresources/scale.ts'
import { apply } from './verbs/apply.ts'
import { type ComputedKinds, computedBy, getComputed, listComputed } from './verbs/computed.ts'
import { create } from './verbs/create.ts'
import { deleteObject } from './verbs/delete.ts'
import { deleteCollection } from './verbs/delete-collection.ts'
import { get, peek } from './verbs/get.ts'
import { list } from './verbs/list.ts'
import { parsePatch, patch, patchWarnings } from './verbs/patch.ts'
import { review } from './verbs/review.ts'
import { update } from './verbs/update.ts'
import { watch } from './verbs/watch.ts'

export interface RegistryOptions {
  /** A cache that was made with `withRevision` as its seal. */
  readonly store: WatchCache
  readonly scheme: Scheme
  readonly clock: Clock
  /** What generated names are made of. */
  readonly random?: Random
  /** Gives a new uid at each call. */
  readonly uid?: () => string
  readonly gates?: EnabledGates
  /** How the objects of kinds come about that are found out at each read. */
  readonly computed?: ComputedKinds
  /** The ranges that objects divide among them. Default: those of a cluster with the usual flags. */
  readonly pools?: Pools
  /** The plugins of admission. Default: only that which keeps objects in namespaces that are there. */
  readonly admission?: PluginSelection &
    Partial<Pick<PluginContext, 'log' | 'metrics' | 'authorizer' | 'resolve' | 'settings'>>
}

/** The kinds come and go while the registry works: definitions of custom resources make them. */
type MutableContext = RegistryContext & { scheme: Scheme }

/** The verbs over one store, for the kinds of one tree. */
export function createRegistry(options: RegistryOptions): Registry {
  const defaults = {
    random: systemRandom,
    uid: () => randomUUID(),
    gates: enabledGatesOf(options.scheme),
  }
  const authorizer = options.admission?.authorizer ?? alwaysAllow
  const bare: MutableContext = { ...defaults, authorizer, ...withoutAdmission(options) }
  const admission = admissionFor(bare, options.admission)
  const context: MutableContext = { ...bare, admission }
  const of = ({ kind }: Target): RegistryContext => {
    const store = versionedStore(kind, context.store)
    return store === context.store ? context : { ...context, store }
  }
  const sources = {
    store: options.store,
    pools: options.pools ?? servicePools(defaultServiceRanges),
    random: bare.random,
  }
  /** Runs a write, which may need objects in several versions of its kind, or values that no other object holds. */
  const writing = <T>(
    target: Target,
    { dryRun }: { readonly dryRun: boolean },
    write: (context: RegistryContext) => Promise<T>,
  ): Promise<T> => {
    if (target.kind.allocator !== undefined) {
      const { kind } = target
      return withAllocations(sources, kind, dryRun, (claims) =>
        write({ ...of(target), allocations: claims }),
      )
    }
    if (target.kind.customResource?.convert === undefined) return write(of(target))
    const conversions = new Conversions()
    return conversions.retryWithConversions(() => write({ ...of(target), conversions }))
  }
  const removeOne: Registry['delete'] = (...args) =>
    writing(args[0], args[1], (it) => deleteObject(it, ...args))
  return {
    get scheme() {
      return context.scheme
    },
    get revision() {
      return context.store.currentRevision
    },
    replaceTree(scheme) {
      context.scheme = scheme
      bare.scheme = scheme
    },
    get(target, given) {
      const compute = computedBy(options.computed, target.kind)
      if (compute) return getComputed(target, compute)
      const scaling = scaleSubresourceOf(target)
      return scaling ? getScale(of(target), target, scaling, given) : get(of(target), target, given)
    },
    peek: (target) => (scaleSubresourceOf(target) ? undefined : peek(of(target), target)),
    list(target, given) {
      const compute = computedBy(options.computed, target.kind)
      return compute
        ? listComputed(context, target, given, compute)
        : list(of(target), target, given)
    },
    count(kind) {
      const { entries, remaining } = options.store.listCached(collectionPrefix({ kind }), {
        limit: 1,
      })
      return entries.length + remaining
    },
    watch: (...args) => watch(of(args[0]), ...args),
    create(target, ...args) {
      if (target.kind.review !== undefined) return review(of(target), target, ...args)
      return writing(target, args[1], (it) => create(it, target, ...args))
    },
    update(target, ...args) {
      const scaling = scaleSubresourceOf(target)
      return writing(target, args[1], (it) =>
        scaling ? updateScale(it, target, scaling, ...args) : update(it, target, ...args),
      )
    },
    async patch(target, type, sent, given) {
      const { value } = sent
      const patching = { ...given, patching: true }
      if (type === 'apply') return writing(target, given, (it) => apply(it, target, sent, patching))
      const scaling = scaleSubresourceOf(target)
      const patcher = parsePatch(scaling?.kind ?? target.kind, type, value)
      const body = { ...sent, duplicates: patchWarnings(type, sent) }
      return writing(target, given, (it) =>
        scaling
          ? patchScale(it, target, scaling, patcher, body, patching)
          : patch(it, target, patcher, body, patching),
      )
    },
    act: (...args) => act(of(args[0]), ...args),
    delete: removeOne,
    deleteCollection: (...args) => deleteCollection(of(args[0]), ...args, removeOne),
    close: () => admission.close(),
  }
}

function withoutAdmission({ admission, ...options }: RegistryOptions) {
  return options
}

const namespaceLifecycleOnly: PluginSelection = { only: ['NamespaceLifecycle'] }

function admissionFor(
  context: RegistryContext,
  options: RegistryOptions['admission'] = namespaceLifecycleOnly,
) {
  const world: PluginContext = {
    ...context,
    get scheme() {
      return context.scheme
    },
    log: options.log ?? silentLog,
    metrics: options.metrics ?? noMetrics(),
    lister: pluginLister(context),
    writer: pluginWriter(context),
    convert: (object, from, to) => {
      const asked = to.customResource?.convert && currentConversions()
      return asked
        ? asked.convert(to, object)
        : fromStorageVersion(to, toStorageVersion(from, object))
    },
    resolve: options.resolve ?? refuseToResolve,
    settings: options.settings ?? {},
  }
  return createAdmission(world, options)
}

async function refuseToResolve(namespace: string, name: string): Promise<never> {
  throw new Error(`service ${namespace}/${name} cannot be reached: nothing resolves services here`)
}
