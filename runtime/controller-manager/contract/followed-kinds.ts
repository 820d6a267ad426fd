import type { CacheReader } from '../../informer/informer.ts'
import { aborted } from '../../kernel/async/abort-signal.ts'
import { deadline } from '../../kernel/async/deadline.ts'
import { deferred } from '../../kernel/async/deferred.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { KeyContext, KeysOf, WatchScope } from '../../reconcile/reconcile.ts'

/** How often a server is asked which kinds it serves. */
export const discoveryMs = 30_000

/** How long caches of kinds are waited for before a controller works without those that are not filled. */
export const patienceMs = 30_000

/** The key of what is served: no object has it, since it has no namespace. */
export const discoveryKey = { name: 'discovery' }

/** How kinds are followed. */
export interface Following {
  /** What wakes the controller, and how much of the objects is cached. */
  readonly watch: (kind: AnyKind) => {
    readonly keys: KeysOf
    readonly scope: WatchScope
  }
  /** Hears of each kind whose cache is filled. */
  readonly filled: (kind: AnyKind, cache: CacheReader<ApiObject>, resource: string) => void
  /** Hears of each kind that is followed no more. */
  readonly gone: (kind: AnyKind, resource: string) => void
}

/** The kinds of a server that a controller watches, which come and go. */
export class FollowedKinds {
  readonly #following: Following
  /** What ends the watch of each kind, by the name of its resource. */
  readonly #watched = new Map<string, { readonly kind: AnyKind; readonly stop: AbortController }>()
  readonly #ready = deferred()

  constructor(following: Following) {
    this.#following = following
  }

  /** Resolves when the first kinds have been followed, or the signal aborts. */
  async ready(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#ready.promise, aborted(signal)])
  }

  /** Watches these kinds, by resource, and no others. Resolves when their caches are filled, or have been waited for long enough. */
  async follow(kinds: ReadonlyMap<string, AnyKind>, context: KeyContext): Promise<void> {
    const { clock, log, signal } = context
    for (const [resource, { kind, stop }] of this.#watched) {
      if (kinds.has(resource)) continue
      stop.abort()
      this.#watched.delete(resource)
      this.#following.gone(kind, resource)
    }
    const fresh = [...kinds].filter(([resource]) => !this.#watched.has(resource))
    const waiting = new Set(fresh.map(([resource]) => resource))
    const filled = Promise.all(
      fresh.map(async ([resource, kind]) => {
        await this.#watch(resource, kind, context)
        waiting.delete(resource)
      }),
    )
    const limit = deadline(clock, signal, 0, patienceMs)
    await Promise.race([filled, aborted(limit.signal)])
    limit.end()
    if (waiting.size > 0) log.warn('kinds cannot be listed', { kinds: [...waiting].join(', ') })
    this.#ready.resolve()
  }

  async #watch(resource: string, kind: AnyKind, context: KeyContext): Promise<void> {
    const stop = new AbortController()
    this.#watched.set(resource, { kind, stop })
    const { keys, scope } = this.#following.watch(kind)
    const cache = await context.watch<ApiObject>(kind, keys, scope, stop.signal)
    if (!stop.signal.aborted) this.#following.filled(kind, cache, resource)
  }
}
