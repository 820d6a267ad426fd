/**
 * What servers that share a store have charged to quotas for objects that may not be stored yet. Each server has one entry for each quota,
 * which it writes before it charges; that a charge has ended it writes with the next one, or a little later.
 */
import { randomUUID } from 'node:crypto'
import type { PendingCharge, PendingCharges } from '../../admission/admission.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import { encodeJson, parseTrustedJson } from '../../serializer/serializer.ts'
import type { Entry } from '../../store/store.ts'
import type { WatchCache } from '../../watch/watch.ts'
import { isStoreError } from '../contract/errors.ts'

/** What the keys of charges begin with. No collection has this prefix, because no API group has this name. */
export const chargesPrefix = '/charges/'

/** How long the end of a charge may be told late. */
const lateMs = 50

/** Longer than any request may take: an entry that is the same for so long is of a server that is gone. */
const silentMs = 120_000

/** The charges of this server and of the others of its store. */
export class ChargeTable implements PendingCharges {
  readonly #store: WatchCache
  readonly #clock: Clock
  readonly #server = randomUUID()
  readonly #own = new Map<string, OwnEntry>()
  /** Since when entries of others are as they are, by the clock of this server. */
  readonly #seen = new Map<string, { readonly revision: number; readonly since: number }>()

  constructor(store: WatchCache, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async add(quota: string, charge: PendingCharge): Promise<() => void> {
    const own =
      this.#own.get(quota) ?? new OwnEntry(this.#store, `${chargesPrefix}${quota}/${this.#server}`)
    this.#own.set(quota, own)
    own.charges.add(charge)
    const end = (): void => {
      own.charges.delete(charge)
      this.#clock.after(lateMs, () => this.#tidy(quota, own))
    }
    try {
      await own.write()
    } catch (error) {
      end()
      throw error
    }
    return end
  }

  elsewhere(quota: string): readonly PendingCharge[] {
    const { entries } = this.#store.listCached(`${chargesPrefix}${quota}/`)
    return entries
      .filter((entry) => !entry.key.endsWith(this.#server) && !this.#isSilent(entry))
      .flatMap(({ value }) => (parseTrustedJson(value) as never as StoredCharges).charges)
  }

  #isSilent({ key, revision }: Entry): boolean {
    const now = this.#clock.monotonic()
    const known = this.#seen.get(key)
    if (known?.revision === revision) return now - known.since >= silentMs
    this.#seen.set(key, { revision, since: now })
    return false
  }

  /** What could not be told now is told with the next charge. */
  #tidy(quota: string, own: OwnEntry): void {
    void own
      .write()
      .then(() => {
        if (own.isGone && this.#own.get(quota) === own) this.#own.delete(quota)
      })
      .catch(() => {})
  }
}

interface StoredCharges {
  readonly charges: readonly PendingCharge[]
}

/** The entry of this server for one quota. */
class OwnEntry {
  readonly charges = new Set<PendingCharge>()
  readonly #store: WatchCache
  readonly #key: string
  #stored: Entry | undefined
  #text = ''
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(store: WatchCache, key: string) {
    this.#store = store
    this.#key = key
  }

  /** True where nothing is charged and nothing stored. */
  get isGone(): boolean {
    return this.charges.size === 0 && this.#stored === undefined && this.#running === undefined
  }

  /** Writes the charges as they are when it begins to: one write serves all who wait for it. */
  write(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#next
  }

  #start(): Promise<void> {
    this.#next = undefined
    const running = this.#write().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  async #write(): Promise<void> {
    const charges = [...this.charges]
    const text = charges.length === 0 ? '' : JSON.stringify(charges)
    if (text === this.#text) return
    try {
      this.#stored = await this.#replace(charges)
      this.#text = text
    } catch (error) {
      // Whatever became of it, the next write finds out.
      this.#stored = await this.#store.get(this.#key).catch(() => this.#stored)
      this.#text = '?'
      if (charges.length > 0) throw error
    }
  }

  async #replace(charges: readonly PendingCharge[]): Promise<Entry | undefined> {
    const [store, key, before] = [this.#store, this.#key, this.#stored]
    const name = key.slice(key.lastIndexOf('/') + 1)
    const value = encodeJson({ metadata: { name, uid: name }, charges } as never)
    try {
      if (before === undefined)
        return charges.length === 0 ? undefined : await store.create(key, value)
      if (charges.length > 0) return await store.update(key, before.revision, value)
      await store.delete(key, before.revision)
      return undefined
    } catch (error) {
      const lost = ['AlreadyExists', 'Conflict', 'NotFound'] as const
      if (!lost.some((reason) => isStoreError(error, reason))) throw error
      this.#stored = await store.get(key)
      return this.#replace(charges)
    }
  }
}
