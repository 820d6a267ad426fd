import type { RegistryContext } from './contract/context.ts'
import type { Target } from './contract/contract.ts'
import { type AllocationSources, withAllocations } from './storage/allocation-transaction.ts'
import { RequestConversions } from './storage/conversions.ts'
import { versionedStore } from './storage/versioned-store.ts'

/** What the verbs work with, request by request. */
export class RequestContexts {
  readonly #shared: RegistryContext
  readonly #sources: AllocationSources

  /** `sources`: what values are allocated from, over the store itself. */
  constructor(shared: RegistryContext, sources: AllocationSources) {
    this.#shared = shared
    this.#sources = sources
  }

  /** The context of a read: the store as the version of the target's kind sees it. */
  for({ kind }: Pick<Target, 'kind'>): RegistryContext {
    const store = versionedStore(kind, this.#shared.store)
    return store === this.#shared.store ? this.#shared : { ...this.#shared, store }
  }

  /** Runs a write, which may allocate values, or need objects in versions that a webhook converts. */
  write<T>(
    target: Target,
    { dryRun }: { readonly dryRun: boolean },
    run: (context: RegistryContext) => Promise<T>,
  ): Promise<T> {
    const { kind } = target
    const context = this.for(target)
    if (kind.allocator !== undefined) {
      return withAllocations(this.#sources, kind, dryRun, (allocations) =>
        run({ ...context, allocations }),
      )
    }
    if (kind.customResource?.convert === undefined) return run(context)
    return run({ ...context, conversions: new RequestConversions() })
  }
}
