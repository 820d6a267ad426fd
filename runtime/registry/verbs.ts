import { randomUUID } from 'node:crypto'
import { type Clock, type Random, systemRandom } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import type { WatchCache } from '../watch/watch.ts'
import { removeCollection } from './collection.ts'
import type { Context } from './context.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { list } from './list.ts'
import { patch } from './patch.ts'
import { get } from './read.ts'
import type { Registry, Target } from './registry.ts'
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
}

/** The verbs over one store, for the kinds of one tree. */
export function createRegistry(options: RegistryOptions): Registry {
  const context = { random: systemRandom, uid: () => randomUUID(), ...options }
  const of = ({ kind }: Target): Context => {
    const store = storeOf(kind, context.store)
    return store === context.store ? context : { ...context, store }
  }
  return {
    tree: options.tree,
    get: (...args) => get(of(args[0]), ...args),
    list: (...args) => list(of(args[0]), ...args),
    watch: (...args) => watch(of(args[0]), ...args),
    create: (...args) => create(of(args[0]), ...args),
    update: (...args) => update(of(args[0]), ...args),
    patch: (...args) => patch(of(args[0]), ...args),
    delete: (...args) => remove(of(args[0]), ...args),
    deleteCollection: (...args) => removeCollection(of(args[0]), ...args),
  }
}
