import { randomUUID } from 'node:crypto'
import { createAdmission, type Selection, type World } from '../admission/admission.ts'
import { allowAll } from '../kernel/access.ts'
import { type Gates, gatesOf } from '../kernel/gates.ts'
import { type Clock, type Random, systemRandom } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import {
  defaultServiceRanges,
  fromStored,
  type Pools,
  servicePools,
  toStored,
} from '../kinds/kinds.ts'
import { noMetrics, silentLog } from '../observe/observe.ts'
import type { WatchCache } from '../watch/watch.ts'
import { act } from './actions.ts'
import { answer } from './answer.ts'
import { apply } from './apply.ts'
import { claiming } from './claims.ts'
import { removeCollection } from './collection.ts'
import { type Computed, computeOf, getComputed, listComputed } from './computed.ts'
import type { Context } from './context.ts'
import { Conversions, conversionsUnderWay } from './conversions.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { prefixOf } from './keys.ts'
import { list } from './list.ts'
import { listerOf, writerOf } from './lister.ts'
import { patch, patcherOf, patchTexts } from './patch.ts'
import { get, peek } from './read.ts'
import type { Registry, Target } from './registry.ts'
import { getScale, patchScale, scalingOf, updateScale } from './scale.ts'
import { storeOf } from './storage-view.ts'
import { update } from './update.ts'
import { watch } from './watch.ts'

export interface RegistryOptions {
  /** A cache that was made with `withRevision` as its seal. */
  readonly store: WatchCache
  readonly tree: Tree
  readonly clock: Clock
  /** What generated names are made of. */
  readonly random?: Random
  /** Gives a new uid at each call. */
  readonly uid?: () => string
  readonly gates?: Gates
  /** How the objects of kinds come about that are found out at each read. */
  readonly computed?: Computed
  /** The ranges that objects divide among them. Default: those of a cluster with the usual flags. */
  readonly pools?: Pools
  /** The plugins of admission. Default: only that which keeps objects in namespaces that are there. */
  readonly admission?: Selection &
    Partial<Pick<World, 'log' | 'metrics' | 'authorize' | 'resolve' | 'settings'>>
}

/** The kinds come and go while the registry works: definitions of custom resources make them. */
type Changing = Context & { tree: Tree }

/** The verbs over one store, for the kinds of one tree. */
export function createRegistry(options: RegistryOptions): Registry {
  const defaults = { random: systemRandom, uid: () => randomUUID(), gates: gatesOf(options.tree) }
  const authorize = options.admission?.authorize ?? allowAll
  const bare: Changing = { ...defaults, authorize, ...withoutAdmission(options) }
  const admission = admissionOf(bare, options.admission)
  const context: Changing = { ...bare, admission }
  const of = ({ kind }: Target): Context => {
    const store = storeOf(kind, context.store)
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
    write: (context: Context) => Promise<T>,
  ): Promise<T> => {
    if (target.kind.allocates !== undefined) {
      const { kind } = target
      return claiming(sources, kind, dryRun, (claims) => write({ ...of(target), claims }))
    }
    if (target.kind.custom?.convert === undefined) return write(of(target))
    const conversions = new Conversions()
    return conversions.patiently(() => write({ ...of(target), conversions }))
  }
  const removeOne: Registry['delete'] = (...args) =>
    writing(args[0], args[1], (it) => remove(it, ...args))
  return {
    get tree() {
      return context.tree
    },
    get revision() {
      return context.store.current
    },
    replaceTree(tree) {
      context.tree = tree
      bare.tree = tree
    },
    get(target, given) {
      const compute = computeOf(options.computed, target.kind)
      if (compute) return getComputed(target, compute)
      const scaling = scalingOf(target)
      return scaling ? getScale(of(target), target, scaling, given) : get(of(target), target, given)
    },
    peek: (target) => (scalingOf(target) ? undefined : peek(of(target), target)),
    list(target, given) {
      const compute = computeOf(options.computed, target.kind)
      return compute
        ? listComputed(context, target, given, compute)
        : list(of(target), target, given)
    },
    count(kind) {
      const { entries, remaining } = options.store.stale(prefixOf({ kind }), { limit: 1 })
      return entries.length + remaining
    },
    watch: (...args) => watch(of(args[0]), ...args),
    create(target, ...args) {
      if (target.kind.answers !== undefined) return answer(of(target), target, ...args)
      return writing(target, args[1], (it) => create(it, target, ...args))
    },
    update(target, ...args) {
      const scaling = scalingOf(target)
      return writing(target, args[1], (it) =>
        scaling ? updateScale(it, target, scaling, ...args) : update(it, target, ...args),
      )
    },
    async patch(target, type, sent, given) {
      const { value } = sent
      const patching = { ...given, patching: true }
      if (type === 'apply') return writing(target, given, (it) => apply(it, target, sent, patching))
      const scaling = scalingOf(target)
      const patcher = patcherOf(scaling?.kind ?? target.kind, type, value)
      const body = { ...sent, duplicates: patchTexts(type, sent) }
      return writing(target, given, (it) =>
        scaling
          ? patchScale(it, target, scaling, patcher, body, patching)
          : patch(it, target, patcher, body, patching),
      )
    },
    act: (...args) => act(of(args[0]), ...args),
    delete: removeOne,
    deleteCollection: (...args) => removeCollection(of(args[0]), ...args, removeOne),
    close: () => admission.close(),
  }
}

function withoutAdmission({ admission, ...options }: RegistryOptions) {
  return options
}

const lifecycleOnly: Selection = { only: ['NamespaceLifecycle'] }

function admissionOf(context: Context, options: RegistryOptions['admission'] = lifecycleOnly) {
  const world: World = {
    ...context,
    get tree() {
      return context.tree
    },
    log: options.log ?? silentLog,
    metrics: options.metrics ?? noMetrics(),
    lister: listerOf(context),
    writer: writerOf(context),
    convert: (object, from, to) => {
      const asked = to.custom?.convert && conversionsUnderWay()
      return asked ? asked.inVersion(to, object) : fromStored(to, toStored(from, object))
    },
    resolve: options.resolve ?? unresolved,
    settings: options.settings ?? {},
  }
  return createAdmission(world, options)
}

async function unresolved(namespace: string, name: string): Promise<never> {
  throw new Error(`service ${namespace}/${name} cannot be reached: nothing resolves services here`)
}
