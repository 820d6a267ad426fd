/** What admission plugins read and write of the store. */
import type { Lister, StatusWriter } from '../admission/admission.ts'
import { type AnyKind, resourceName } from '../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../kernel/errors/status-error.ts'
import type { WatchCache } from '../watch/watch.ts'
import type { RegistryContext } from './contract/context.ts'
import type { Item } from './contract/contract.ts'
import { itemOf } from './storage/item.ts'
import { collectionPrefix, existingObjectKey } from './storage/keys.ts'
import { versionedStore } from './storage/versioned-store.ts'
import { guaranteedUpdate } from './write/guaranteed-update.ts'

/** Reads for plugins. Lists are kept until the next change of the store: the plugins of one request read the same ones. */
export function pluginLister({ store }: Pick<RegistryContext, 'store'>): Lister {
  return new StoreLister(store)
}

class StoreLister implements Lister {
  readonly #store: WatchCache
  readonly #lists = new Map<AnyKind, Map<string, readonly Item[]>>()
  /** The revision that the lists are of. */
  #revision: number

  constructor(store: WatchCache) {
    this.#store = store
    this.#revision = store.currentRevision
  }

  /** The cached object, without waiting. A plugin that needs the latest one uses `find`. */
  peek(kind: AnyKind, name: string, namespace?: string): Item | undefined {
    const key = keyUnlessImpossible(kind, name, namespace)
    const entry = key === undefined ? undefined : versionedStore(kind, this.#store).getCached(key)
    return entry && itemOf(entry)
  }

  async find(kind: AnyKind, name: string, namespace?: string): Promise<Item | undefined> {
    const known = this.peek(kind, name, namespace)
    const key = keyUnlessImpossible(kind, name, namespace)
    if (known !== undefined || key === undefined) return known
    const entry = await versionedStore(kind, this.#store).get(key)
    return entry && itemOf(entry)
  }

  list(kind: AnyKind, namespace = ''): readonly Item[] {
    if (this.#revision !== this.#store.currentRevision) this.#lists.clear()
    this.#revision = this.#store.currentRevision
    const lists = this.#lists.get(kind) ?? new Map<string, readonly Item[]>()
    const items = lists.get(namespace) ?? this.#read(kind, namespace)
    this.#lists.set(kind, lists.set(namespace, items))
    return items
  }

  #read(kind: AnyKind, namespace: string): readonly Item[] {
    const prefix = collectionPrefix({ kind, ...(namespace && { namespace }) })
    if (!this.#store.isCached(prefix)) throw notCached(kind)
    return versionedStore(kind, this.#store).listCached(prefix).entries.map(itemOf)
  }
}

/** What decides by all objects of a kind refuses rather than to decide by none. */
function notCached(kind: AnyKind): StatusError {
  const why = `admission has to go through all ${resourceName(kind)}, which this server does not keep in memory (--uncached-resources)`
  return new StatusError('InternalError', `Internal error occurred: ${why}`)
}

/** The key of an object; undefined for a name that no object can have, which reads as an object that is not there. */
function keyUnlessImpossible(kind: AnyKind, name: string, namespace?: string): string | undefined {
  try {
    return existingObjectKey({ kind, name, ...(namespace !== undefined && { namespace }) })
  } catch (error) {
    if (isStatus(error, 'NotFound') || isStatus(error, 'BadRequest')) return undefined
    throw error
  }
}

/** Writes of plugins. They are the server's own, so no plugin looks at them. */
export function pluginWriter(context: RegistryContext): StatusWriter {
  const manager = `${context.scheme.platform.prefix}-apiserver`
  const options = { dryRun: false, fieldValidation: 'Ignore', manager } as const
  return {
    /** Changes the status of an object; `to` returns undefined to leave it as it is. A lost race is tried again. */
    async changeStatus(kind, { namespace, name }, to) {
      const place = { name, ...(namespace !== undefined && { namespace }) }
      const target = { kind, subresource: 'status', ...place }
      const view = { ...context, store: versionedStore(kind, context.store) }
      await guaranteedUpdate({ context: view, target, options }, (current) => {
        const object = current.object()
        const next = to(object)
        const unchanged = next === undefined
        return {
          object: next ?? object,
          fieldErrors: [],
          warnings: [],
          ...(unchanged && { unchanged }),
        }
      })
    },
  }
}
