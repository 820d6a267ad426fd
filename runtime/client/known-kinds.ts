import type { AnyKind, Kind } from '../kernel/descriptors/kind.ts'
import { type Discovered, discover } from './discovery.ts'
import type { DynamicObject } from './dynamic-kind.ts'
import { findKind, type KindReference, unknownKind } from './find-kind.ts'
import type { GroupSuffixes } from './platform-names.ts'
import type { RestClient } from './rest-client.ts'

/** What a client knows of the kinds that its server serves. */
export class KnownKinds {
  readonly #suffixes: GroupSuffixes | undefined
  #discovered: Promise<Discovered> | undefined

  constructor(suffixes: GroupSuffixes | undefined) {
    this.#suffixes = suffixes
  }

  /** What is served now. */
  all(client: RestClient, signal?: AbortSignal): Promise<Discovered> {
    return this.#discover(client, signal)
  }

  /**
   * The kind that a reference means. The server is asked once, and again for a kind that is not known: it may have been
   * installed since.
   */
  async find(
    client: RestClient,
    reference: KindReference,
    signal?: AbortSignal,
  ): Promise<Kind<DynamicObject>> {
    const known = await this.#discovered?.catch(() => undefined)
    const found = known && findKind(known.kinds, reference, this.#suffixes)
    if (found !== undefined) return found
    const { kinds, unknown } = await this.#discover(client, signal)
    const installed = findKind(kinds, reference, this.#suffixes)
    if (installed !== undefined) return installed
    throw unknownKind(kinds as readonly AnyKind[], reference, unknown)
  }

  #discover(client: RestClient, signal: AbortSignal | undefined): Promise<Discovered> {
    const discovered = discover(client, this.#suffixes, signal)
    this.#discovered = discovered
    return discovered
  }
}
