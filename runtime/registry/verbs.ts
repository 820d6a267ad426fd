import { randomUUID } from 'node:crypto'
import { defaultGates, type Gates } from '../kernel/gates.ts'
import { type Clock, type Random, systemRandom } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import type { WatchCache } from '../watch/watch.ts'
import { act } from './actions.ts'
import { apply } from './apply.ts'
import { removeCollection } from './collection.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { list } from './list.ts'
import { patch, patcherOf, patchTexts } from './patch.ts'
import { get } from './read.ts'
import type { Registry } from './registry.ts'
import { getScale, patchScale, scalingOf, updateScale } from './scale.ts'
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
  return {
    tree: options.tree,
    get(target, given) {
      const scaling = scalingOf(target)
      return scaling ? getScale(context, target, scaling, given) : get(context, target, given)
    },
    list: (...args) => list(context, ...args),
    watch: (...args) => watch(context, ...args),
    create: (...args) => create(context, ...args),
    update(target, ...args) {
      const scaling = scalingOf(target)
      return scaling
        ? updateScale(context, target, scaling, ...args)
        : update(context, target, ...args)
    },
    async patch(target, type, { value, duplicates }, given) {
      if (type === 'apply') return apply(context, target, { value, duplicates }, given)
      const scaling = scalingOf(target)
      const patcher = patcherOf(scaling?.kind ?? target.kind, type, value)
      const body = { value, duplicates: patchTexts(type, { value, duplicates }) }
      return scaling
        ? patchScale(context, target, scaling, patcher, body, given)
        : patch(context, target, patcher, body, given)
    },
    act: (...args) => act(context, ...args),
    delete: (...args) => remove(context, ...args),
    deleteCollection: (...args) => removeCollection(context, ...args),
  }
}
