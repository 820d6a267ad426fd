/**
 * A store in the memory of this process, and nowhere else.
 *
 * A write lands at once and is acknowledged in the next turn of the event loop, as one that waits for its disk would be: who
 * writes without a pause lets others run. Nothing in it waits for a thread, so that a run repeats itself to the letter.
 */
import { randomUUID } from 'node:crypto'
import { aborted } from '../../kernel/async/abort-signal.ts'
import { type Clock, keepAlive } from '../../kernel/async/clock.ts'
import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { Entry, ListOptions, Page, Revision, StoreEvent } from '../contract.ts'
import type { StoreOptions } from '../driver.ts'
import { StoreError } from '../errors.ts'
import { compareKeys, isKey } from '../keys.ts'
import type { Change, LogStore, Write } from '../log-store.ts'
import { upToBytes } from '../page-bytes.ts'
import {
  checkPrecondition,
  checkSize,
  compactedError,
  futureError,
  refusalMessage,
} from '../refusals.ts'
import { LogSubscribers } from '../subscribers.ts'
import { type LoggedChange, MemoryLog } from './memory-log.ts'

/** What a store holds as of one revision. It never changes. */
export interface MemorySnapshot {
  readonly entries: ReadonlyMap<string, Entry>
  readonly revision: Revision
}

/** The entries by key, and the last changes. */
export class MemoryStore implements LogStore {
  #id: string | undefined
  readonly #clock: Clock
  readonly #maxValueBytes: number | undefined
  readonly #stamp: StoreOptions['stamp']
  readonly #onCommit: StoreOptions['onCommit']
  readonly #latest: Map<string, Entry>
  readonly #log: MemoryLog
  readonly #subscribers = new LogSubscribers<LoggedChange>()
  readonly #ended = new AbortController()
  /** An open store keeps the process alive, as an open database does. */
  readonly #release = keepAlive()
  #turn: Promise<void> | undefined

  constructor(
    { entries, revision }: MemorySnapshot,
    { clock, maxValueBytes, stamp, onCommit }: StoreOptions,
  ) {
    this.#stamp = stamp
    this.#onCommit = onCommit
    this.#clock = clock
    this.#latest = new Map(entries)
    this.#log = new MemoryLog(revision)
    this.#maxValueBytes = maxValueBytes
  }

  /** Made when it is first asked for: what makes it takes milliseconds to load, and a run of `orch validate` needs none. */
  get id(): string {
    this.#id ??= randomUUID()
    return this.#id
  }

  /** What it holds now, for another store to begin with: entries are shared, since they never change. */
  snapshot(): MemorySnapshot {
    this.#checkOpen()
    return { entries: new Map(this.#latest), revision: this.#log.end }
  }

  get knownRevision(): Revision | undefined {
    return this.#ended.signal.aborted ? undefined : this.#log.end
  }

  async revision(): Promise<Revision> {
    this.#checkOpen()
    return this.#log.end
  }

  compactedRevision(): Revision {
    return this.#log.start
  }

  async check(): Promise<void> {
    this.#checkOpen()
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#checkOpen()
    return this.#latest.get(key)
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Page> {
    this.#checkOpen()
    const { revision = this.#log.end, after, limit, bytes } = options
    const all = [...this.#at(revision).values()]
    const found = all.filter(({ key }) => key.startsWith(prefix) && isAfter(key, after))
    found.sort((one, other) => compareKeys(one.key, other.key))
    const entries = upToBytes(found.slice(0, limit), bytes)
    return { entries, revision, remaining: found.length - entries.length }
  }

  async append(write: Write): Promise<Change> {
    this.#checkOpen()
    invariant(isKey(write.key), 'keys are well-formed text without NUL')
    checkSize(write, this.#maxValueBytes)
    const latest = this.#latest.get(write.key)
    const refusal = checkPrecondition(write, latest)
    if (refusal !== undefined) {
      throw new StoreError(refusal, refusalMessage(refusal, write), latest)
    }
    const change = this.#land(write, latest)
    await this.#acknowledged()
    return change
  }

  async create(key: string, value: Uint8Array): Promise<Entry> {
    const { revision, createRevision } = await this.append({
      op: 'create',
      key,
      expected: 0,
      value,
    })
    return { key, revision, createRevision, value }
  }

  async update(key: string, expected: Revision, value: Uint8Array): Promise<Entry> {
    const { revision, createRevision } = await this.append({ op: 'update', key, expected, value })
    return { key, revision, createRevision, value }
  }

  async delete(key: string, expected: Revision): Promise<StoreEvent> {
    const previous = this.#latest.get(key)
    const { revision } = await this.append({ op: 'delete', key, expected })
    return { revision, key, ...(previous && { previous }) }
  }

  async *changes(
    after: Revision,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LoggedChange[], void> {
    let position = after
    while (!signal.aborted && !this.#ended.signal.aborted) {
      const past = position < this.#log.end
      if (past) this.#checkHistory(position)
      const batches = past ? [this.#log.after(position)] : this.#subscribers.add(signal)
      for await (const batch of batches) {
        const fresh = batch.filter(({ revision }) => revision > position)
        position = fresh.at(-1)?.revision ?? position
        if (fresh.length > 0 && !signal.aborted) yield fresh
      }
    }
  }

  async replaced(revisions: readonly Revision[]): Promise<ReadonlyMap<Revision, Entry>> {
    this.#checkOpen()
    const wanted = new Set(revisions)
    const entries = this.#log.after(this.#log.start).map(({ previous }) => previous)
    return new Map(
      entries.flatMap((entry) =>
        entry !== undefined && wanted.has(entry.revision) ? [[entry.revision, entry]] : [],
      ),
    )
  }

  async *watch(
    prefix: string,
    after: Revision,
    signal: AbortSignal,
  ): AsyncGenerator<readonly StoreEvent[], void> {
    for await (const batch of this.changes(after, signal)) {
      const matching = batch.filter(({ key }) => key.startsWith(prefix))
      if (matching.length > 0) yield matching.map(eventOf)
    }
  }

  async compact(revision: Revision): Promise<void> {
    this.#checkOpen()
    if (revision > this.#log.end) throw futureError(revision, this.#log.end)
    this.#log.forget(revision)
  }

  /** What is kept is bounded at every write: nothing is left to do. */
  async run(signal: AbortSignal): Promise<void> {
    await aborted(AbortSignal.any([signal, this.#ended.signal]))
  }

  async close(): Promise<void> {
    await this.#turn
    this.#ended.abort(new StoreError('Closed', 'the store is closed'))
    this.#release()
    this.#subscribers.end()
  }

  #land(write: Write, previous: Entry | undefined): LoggedChange {
    const { key } = write
    const revision = this.#log.end + 1
    const value = write.value && (this.#stamp?.(write.value, revision) ?? write.value)
    const createRevision = previous?.createRevision ?? revision
    const entry = value && { key, revision, createRevision, value }
    const previousRevision = previous?.revision ?? 0
    const at = this.#clock.monotonic()
    const change = { revision, key, previousRevision, createRevision, value, entry, previous, at }
    if (entry === undefined) this.#latest.delete(key)
    else this.#latest.set(key, entry)
    this.#log.push(change)
    this.#onCommit?.(revision)
    this.#subscribers.publish([change])
    return change
  }

  /** Resolves in the next turn of the event loop, for all writes of this one together. */
  #acknowledged(): Promise<void> {
    this.#turn ??= yieldToEventLoop().then(() => {
      this.#turn = undefined
    })
    return this.#turn
  }

  /** The entries as of a revision: those of now, with the changes since then taken back. */
  #at(revision: Revision): ReadonlyMap<string, Entry> {
    if (revision === this.#log.end) return this.#latest
    this.#checkHistory(revision)
    const entries = new Map(this.#latest)
    for (const { key, previous } of this.#log.after(revision).toReversed()) {
      if (previous === undefined) entries.delete(key)
      else entries.set(key, previous)
    }
    return entries
  }

  #checkOpen(): void {
    this.#ended.signal.throwIfAborted()
  }

  #checkHistory(revision: Revision): void {
    const { start, end } = this.#log
    if (revision > end) throw futureError(revision, end)
    if (revision < start) throw compactedError(revision, start)
  }
}

function eventOf({ revision, key, entry, previous }: LoggedChange): StoreEvent {
  return { revision, key, ...(entry && { entry }), ...(previous && { previous }) }
}

function isAfter(key: string, after: string | undefined): boolean {
  return after === undefined || compareKeys(key, after) > 0
}
