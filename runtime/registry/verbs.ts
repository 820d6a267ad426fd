import { randomUUID } from 'node:crypto'
import { defaultGates, type Gates } from '../kernel/gates.ts'
import { type Clock, type Random, systemRandom } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import type { WatchCache } from '../watch/watch.ts'
import { act } from './actions.ts'
import { apply } from './apply.ts'
import { removeCollection } from './collection.ts'
import type { Context } from './context.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { list } from './list.ts'
import { patch, patcherOf, patchTexts } from './patch.ts'
import { get } from './read.ts'
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
}

/** The verbs over one store, for the kinds of one tree. */
export function createRegistry(options: RegistryOptions): Registry {
  const defaults = { random: systemRandom, uid: () => randomUUID(), gates: defaultGates }
  const context = { ...defaults, ...options }
  const of = ({ kind }: Target): Context => {
    const store = storeOf(kind, context.store)
    return store === context.store ? context : { ...context, store }
  }
  return {
    get tree() {
      return context.tree
    },
    get revision() {
      return context.store.current
    },
    replaceTree(tree) {
      context.tree = tree
    },
    get(target, given) {
      const scaling = scalingOf(target)
      return scaling ? getScale(of(target), target, scaling, given) : get(of(target), target, given)
    },
    list: (...args) => list(of(args[0]), ...args),
    watch: (...args) => watch(of(args[0]), ...args),
    create: (...args) => create(of(args[0]), ...args),
    update(target, ...args) {
      const scaling = scalingOf(target)
      return scaling
        ? updateScale(of(target), target, scaling, ...args)
        : update(of(target), target, ...args)
    },
    async patch(target, type, { value, duplicates }, given) {
      if (type === 'apply') return apply(of(target), target, { value, duplicates }, given)
      const scaling = scalingOf(target)
      const patcher = patcherOf(scaling?.kind ?? target.kind, type, value)
      const body = { value, duplicates: patchTexts(type, { value, duplicates }) }
      return scaling
        ? patchScale(of(target), target, scaling, patcher, body, given)
        : patch(of(target), target, patcher, body, given)
    },
    act: (...args) => act(of(args[0]), ...args),
    delete: (...args) => remove(of(args[0]), ...args),
    deleteCollection: (...args) => removeCollection(of(args[0]), ...args),
  }
}
