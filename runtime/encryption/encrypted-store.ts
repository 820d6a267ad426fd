import { orAborted } from '../kernel/async/abort-signal.ts'
import type { Awaitable } from '../kernel/async/awaitable.ts'
import { deferred } from '../kernel/async/deferred.ts'
import { errorText } from '../kernel/errors/error-text.ts'
import {
  type Change,
  checkSize,
  compactedError,
  type Entry,
  type ListOptions,
  type LogStore,
  type Page,
  type Revision,
  StoreError,
  type StoreEvent,
  type Write,
} from '../store/store.ts'
import type { EncryptionRules } from './encryption-rules.ts'
import { type ExaminedStore, examineStore } from './examine-store.ts'
import { type EncryptionOptions, StoredValues } from './stored-values.ts'

/**
 * A store over another one, whose database holds encrypted values.
 *
 * @throws Error that names what cannot be decrypted, and what to do.
 */
export async function openEncryptedStore(
  store: LogStore,
  options: EncryptionOptions,
): Promise<EncryptedStore> {
  const encrypted = new EncryptedStore(store, options)
  await encrypted.examine(options.rules)
  return encrypted
}

/** Milliseconds until it is tried again to decrypt a change: a key service may be back. */
const unreadableRetryMs = 1000

/** Keeps the promises of the store below it. Nothing is encrypted twice, and what is no object is stored as it is. */
export class EncryptedStore implements LogStore {
  readonly #store: LogStore
  readonly #values: StoredValues
  readonly #options: EncryptionOptions
  /** Keys whose latest value would be stored otherwise now. */
  #outdated = new Set<string>()
  /** History after this revision can be decrypted. */
  #readableFrom: Revision = 0
  readonly #writes = new Set<Promise<unknown>>()
  /** Why a change cannot be decrypted that who follows the store waits for. */
  #unreadable: Error | undefined
  #replaced = deferred()

  constructor(store: LogStore, options: EncryptionOptions) {
    this.#store = store
    this.#values = new StoredValues(options)
    this.#options = options
  }

  get id(): string {
    return this.#store.id
  }

  get knownRevision(): Revision | undefined {
    return this.#store.knownRevision
  }

  /** True for a key whose value is not stored as a write of the same value would store it now. */
  isOutdated(key: string): boolean {
    return this.#outdated.has(key)
  }

  /** How many keys are outdated. */
  get outdated(): number {
    return this.#outdated.size
  }

  /**
   * Reads and writes by other rules from now on.
   *
   * @throws Error that names what those could not decrypt; the rules stay as they were then.
   */
  async replaceRules(next: EncryptionRules): Promise<void> {
    const former = this.#values.rules
    await this.examine(next)
    this.#useRules(next)
    await Promise.allSettled(this.#writes)
    try {
      await this.examine(next)
      this.#values.forgetFormerRules()
    } catch (error) {
      this.#useRules(former)
      throw error
    }
  }

  #useRules(rules: EncryptionRules): void {
    this.#values.replaceRules(rules)
    this.#replaced.resolve()
    this.#replaced = deferred()
  }

  /**
   * Looks at every value as it is stored, at its first bytes only. History that these rules cannot decrypt counts as compacted.
   *
   * @throws Error that names what is alive and these rules cannot decrypt.
   */
  async examine(rules: EncryptionRules): Promise<void> {
    const found = await this.#examined(rules)
    if (found.unreadable.length > 0) throw new Error(summary(found.unreadable))
    this.#outdated = found.outdated
    this.#readableFrom = found.readableFrom
  }

  /** Finds out what is outdated, once a provider encrypts otherwise than before. @throws as `examine`. */
  examineAnew(): Promise<void> {
    return this.examine(this.#values.rules)
  }

  /** History may be compacted meanwhile: what is left is looked at again. */
  async #examined(rules: EncryptionRules): Promise<ExaminedStore> {
    for (;;) {
      try {
        return await examineStore(this.#store, (key, value) =>
          this.#values.isOutdated(key, value, rules),
        )
      } catch (error) {
        if (!(error instanceof StoreError) || error.reason !== 'Expired') throw error
      }
    }
  }

  async get(key: string): Promise<Entry | undefined> {
    const entry = await this.#store.get(key)
    return entry && this.#opened(entry)
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Page> {
    if (options.revision !== undefined) this.#checkHistory(options.revision)
    const { entries, revision, remaining } = await this.#store.list(prefix, options)
    return {
      entries: await inOrder(entries, (entry) => this.#opened(entry)),
      revision,
      remaining,
    }
  }

  create(key: string, value: Uint8Array): Promise<Entry> {
    const write = { op: 'create', key, expected: 0, value } as const
    return this.#put(write, (sealed) => this.#store.create(key, sealed))
  }

  update(key: string, expected: Revision, value: Uint8Array): Promise<Entry> {
    const write = { op: 'update', key, expected, value } as const
    return this.#put(write, (sealed) => this.#store.update(key, expected, sealed))
  }

  async delete(key: string, expected: Revision): Promise<StoreEvent> {
    return this.#openedEvent(await this.#store.delete(key, expected))
  }

  async append(write: Write): Promise<Change> {
    const { value } = write
    if (value === undefined) return this.#store.append(write)
    const sealed = this.#sealed({ ...write, value })
    const change = await this.#written(this.#store.append({ ...write, value: sealed }))
    return { ...change, value }
  }

  /**
   * Every change. One that cannot be decrypted is waited for, with all behind it, and `check` says why: another server of the same
   * database has a new key sooner, or a key service is away.
   */
  async *changes(after: Revision, signal: AbortSignal): AsyncIterable<readonly Change[]> {
    this.#checkHistory(after)
    for await (const changes of this.#store.changes(after, signal)) {
      const opened = await this.#openedChanges(changes, signal)
      if (opened === undefined) return
      yield opened
    }
  }

  async *watch(
    prefix: string,
    after: Revision,
    signal: AbortSignal,
  ): AsyncIterable<readonly StoreEvent[]> {
    this.#checkHistory(after)
    for await (const events of this.#store.watch(prefix, after, signal)) {
      yield await Promise.all(events.map((event) => this.#openedEvent(event)))
    }
  }

  async replaced(
    revisions: readonly Revision[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Revision, Entry>> {
    const sealed = await this.#store.replaced(revisions, signal)
    const entries = await inOrder([...sealed.values()], (entry) => this.#opened(entry))
    return new Map(entries.map((entry) => [entry.revision, entry]))
  }

  revision(): Promise<Revision> {
    return this.#store.revision()
  }

  compactedRevision(): Revision {
    return Math.max(this.#store.compactedRevision(), this.#readableFrom)
  }

  compact(revision: Revision): Promise<void> {
    return this.#store.compact(revision)
  }

  async check(): Promise<void> {
    await this.#store.check()
    if (this.#unreadable !== undefined) throw this.#unreadable
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#store.run(signal)
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  /** @throws StoreError `TooLarge`, and `CannotWrite` with the reason if nothing can be encrypted now. */
  #sealed(write: Write & { readonly value: Uint8Array }): Uint8Array {
    checkSize(write, this.#options.maxValueBytes)
    try {
      return this.#values.seal(write.key, write.value)
    } catch (error) {
      throw new StoreError('CannotWrite', errorText(error))
    }
  }

  /** A refusal names the current entry as readers get it. */
  async #put(
    write: Write & { readonly value: Uint8Array },
    put: (sealed: Uint8Array) => Promise<Entry>,
  ): Promise<Entry> {
    try {
      const entry = await this.#written(put(this.#sealed(write)))
      return this.#opened(entry)
    } catch (error) {
      if (!(error instanceof StoreError) || error.current === undefined) throw error
      throw new StoreError(error.reason, error.message, await this.#opened(error.current))
    }
  }

  #checkHistory(revision: Revision): void {
    if (revision < this.#readableFrom) throw compactedError(revision, this.#readableFrom)
  }

  /** Remembers a write until it is done: rules are replaced between writes. */
  async #written<T>(write: Promise<T>): Promise<T> {
    this.#writes.add(write)
    try {
      return await write
    } finally {
      this.#writes.delete(write)
    }
  }

  #opened(entry: Entry): Awaitable<Entry> {
    return this.#openedValue(entry.key, entry.value, (value) => ({ ...entry, value }), entry)
  }

  /** Changes once they can be decrypted; undefined if `signal` aborts before. */
  async #openedChanges(
    changes: readonly Change[],
    signal: AbortSignal,
  ): Promise<readonly Change[] | undefined> {
    while (!signal.aborted) {
      const replaced = this.#replaced.promise
      try {
        const opened = await inOrder(changes, (change) => this.#openedChange(change))
        this.#unreadable = undefined
        return opened
      } catch (error) {
        if (this.#unreadable === undefined) this.#options.onUnreadable?.(errorText(error))
        this.#unreadable = error as Error
        await this.#retryTime(replaced, signal)
      }
    }
    return undefined
  }

  /** Resolves when other rules are there, after a time, or when `signal` aborts. */
  async #retryTime(replaced: Promise<void>, signal: AbortSignal): Promise<void> {
    const { promise: timeIsOver, resolve } = deferred()
    const cancel = this.#options.clock.after(unreadableRetryMs, resolve)
    await orAborted(Promise.race([replaced, timeIsOver]), signal)
    cancel()
  }

  #openedChange(change: Change): Awaitable<Change> {
    const { key, value } = change
    if (value === undefined || !this.#values.isOutdated(key, value)) this.#outdated.delete(key)
    else this.#outdated.add(key)
    if (value === undefined) return change
    return this.#openedValue(key, value, (opened) => ({ ...change, value: opened }), change)
  }

  async #openedEvent(event: StoreEvent): Promise<StoreEvent> {
    const { entry, previous } = event
    return {
      ...event,
      ...(entry && { entry: await this.#opened(entry) }),
      ...(previous && { previous: await this.#opened(previous) }),
    }
  }

  /** `same` if the value is stored as it is, else what `make` makes of it. */
  #openedValue<T>(
    key: string,
    stored: Uint8Array,
    make: (value: Uint8Array) => T,
    same: T,
  ): Awaitable<T> {
    const value = this.#values.open(key, stored)
    if (value instanceof Promise) return value.then(make)
    return value === stored ? same : make(value)
  }
}

/** What `open` makes of each item. Only what needs an answer of a key service is waited for. */
async function inOrder<T>(
  items: readonly T[],
  open: (item: T) => Awaitable<T>,
): Promise<readonly T[]> {
  const opened: T[] = []
  for (const item of items) {
    const one = open(item)
    opened.push(one instanceof Promise ? await one : one)
  }
  return opened
}

/** How many of the values that cannot be decrypted are named. */
const named = 5

function summary(texts: readonly string[]): string {
  const more = texts.length - named
  const rest = more > 0 ? [`and ${more} more`] : []
  return [...texts.slice(0, named), ...rest].join('\n')
}
