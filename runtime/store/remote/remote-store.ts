/**
 * The store of another process of the same server: what its owner has, as seen from here. Everything is asked of the owner but how far the
 * log goes, which is looked up.
 */
import type { Duplex } from 'node:stream'
import { onAbort } from '../../kernel/async/abort-signal.ts'
import { type Deferred, deferred } from '../../kernel/async/deferred.ts'
import type { Entry, ListOptions, Page, Revision, StoreEvent } from '../contract.ts'
import { StoreError } from '../errors.ts'
import { Feed } from '../feed.ts'
import type { Change, LogStore, Write } from '../log-store.ts'
import { SharedReads } from '../shared-reads.ts'
import { Channel } from './channel.ts'
import type { HeadReader } from './head-file.ts'
import { type Calls, type Reply, type Request, receivedError } from './messages.ts'

/** Where the owner is. */
export interface RemoteLocation {
  readonly kind: 'remote'
  /** Our end of the socket whose other end `serveStore` has. */
  readonly socket: Duplex
  /** Where the latest revision stands. */
  readonly head: HeadReader
}

/** A call that is not answered yet. */
interface OpenCall {
  readonly settled: Deferred<unknown>
  readonly hear: (item: unknown) => void
}

/** Opens the store; resolves once the owner has answered. */
export async function openRemoteStore(location: RemoteLocation): Promise<LogStore> {
  const store = new RemoteStore(location)
  await store.greeted
  return store
}

class RemoteStore implements LogStore {
  readonly #channel: Channel<Request, Reply>
  readonly #head: HeadReader
  readonly #calls = new Map<number, OpenCall>()
  /** Calls that give pieces until they are cancelled. */
  readonly #streams = new Map<number, OpenCall>()
  readonly #greeting: Deferred<void> = deferred()
  readonly #ended = new AbortController()
  readonly #latest = new SharedReads(() => this.#call('revision', []))
  #id = ''
  #compacted: Revision = 0
  #received: Revision = 0
  #made = 0
  #closing: Promise<void> | undefined

  constructor({ socket, head }: RemoteLocation) {
    this.#head = head
    this.#greeting.promise.catch(() => {})
    this.#channel = new Channel(socket, {
      heard: (reply) => this.#hear(reply),
      ended: () => this.#end(new Error('the process that owns the store is gone')),
    })
  }

  /** Resolves once the owner has said what the store is. */
  get greeted(): Promise<void> {
    return this.#greeting.promise
  }

  get id(): string {
    return this.#id
  }

  get knownRevision(): Revision | undefined {
    if (this.#ended.signal.aborted) return undefined
    const noted = this.#head.read()
    return noted === undefined ? undefined : Math.max(noted, this.#received)
  }

  async revision(): Promise<Revision> {
    this.#checkOpen()
    return this.knownRevision ?? this.#latest.latest()
  }

  compactedRevision(): Revision {
    return this.#compacted
  }

  check(): Promise<void> {
    return this.#call('check', [])
  }

  get(key: string): Promise<Entry | undefined> {
    return this.#call('get', [key])
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Page> {
    const entries: Entry[] = []
    const end = await this.#call('list', [prefix, options], (piece) => void entries.push(...piece))
    return { entries, ...end }
  }

  async append(write: Write): Promise<Change> {
    const landed = await this.#call('append', [write])
    return { ...landed, key: write.key, value: write.value }
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

  delete(key: string, expected: Revision): Promise<StoreEvent> {
    return this.#call('delete', [key, expected])
  }

  watch(prefix: string, after: Revision, signal: AbortSignal): Feed<StoreEvent> {
    return this.#follow('watch', [prefix, after], signal)
  }

  changes(after: Revision, signal: AbortSignal): Feed<Change> {
    return this.#follow('changes', [after], signal, (changes) => {
      this.#received = Math.max(this.#received, changes.at(-1)?.revision ?? 0)
    })
  }

  async replaced(revisions: readonly Revision[]): Promise<ReadonlyMap<Revision, Entry>> {
    const found = new Map<Revision, Entry>()
    await this.#call('replaced', [revisions], (entries) => {
      for (const entry of entries) found.set(entry.revision, entry)
    })
    return found
  }

  compact(revision: Revision): Promise<void> {
    return this.#call('compact', [revision])
  }

  /** The owner compacts. */
  run(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal: ended } = this.#ended
      onAbort(signal, resolve)
      onAbort(ended, () => (ended.reason instanceof StoreError ? resolve() : reject(ended.reason)))
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#calls.values()].map(({ settled }) => settled.promise))
    this.#end(new StoreError('Closed', 'the store is closed'))
    this.#channel.close()
  }

  #call<N extends keyof Calls>(
    name: N,
    args: Calls[N]['args'],
    hear: (item: Calls[N]['item']) => void = () => {},
  ): Promise<Calls[N]['result']> {
    const { aborted, reason } = this.#ended.signal
    if (aborted) return Promise.reject(reason)
    const { settled } = this.#open(this.#calls, name, args, hear)
    return settled.promise as Promise<Calls[N]['result']>
  }

  /** What a call gives piece by piece, until the signal aborts. */
  #follow<N extends 'changes' | 'watch'>(
    name: N,
    args: Calls[N]['args'],
    signal: AbortSignal,
    received: (item: Calls[N]['item']) => void = () => {},
  ): Feed<Calls[N]['item'][number]> {
    let forget = (): void => {}
    const feed: Feed<Calls[N]['item'][number]> = new Feed(() => {
      forget()
      if (this.#streams.delete(id)) this.#channel.send({ id, cancel: true })
    })
    const { id, settled } = this.#open(this.#streams, name, args, (item: Calls[N]['item']) => {
      received(item)
      for (const one of item) feed.push(one)
      feed.wake()
    })
    forget = onAbort(signal, () => void feed.return())
    settled.promise.then(
      () => feed.end(),
      (error: unknown) => feed.end(error),
    )
    const { aborted, reason } = this.#ended.signal
    if (aborted) feed.end(reason instanceof StoreError ? undefined : reason)
    return feed
  }

  #open<N extends keyof Calls>(
    calls: Map<number, OpenCall>,
    name: N,
    args: Calls[N]['args'],
    hear: (item: Calls[N]['item']) => void,
  ): { readonly id: number; readonly settled: Deferred<unknown> } {
    this.#made += 1
    const [id, settled] = [this.#made, deferred<unknown>()]
    calls.set(id, { settled, hear: hear as OpenCall['hear'] })
    this.#channel.send({ id, name, args })
    return { id, settled }
  }

  #hear(reply: Reply): void {
    if ('compacted' in reply) {
      this.#compacted = reply.compacted
      if ('store' in reply) this.#greet(reply.store)
      return
    }
    const { id } = reply
    const calls = this.#calls.has(id) ? this.#calls : this.#streams
    const call = calls.get(id)
    if (call === undefined) return
    if ('item' in reply) {
      call.hear(reply.item)
      return
    }
    calls.delete(id)
    if ('error' in reply) call.settled.reject(receivedError(reply.error))
    else call.settled.resolve(reply.result)
  }

  #greet(id: string): void {
    this.#id = id
    this.#greeting.resolve()
  }

  /** Ends everything that waits: reads with the reason, streams with it where it is a failure. */
  #end(reason: Error): void {
    if (this.#ended.signal.aborted) return
    this.#ended.abort(reason)
    this.#greeting.reject(reason)
    const isClosed = reason instanceof StoreError
    for (const { settled } of this.#calls.values()) settled.reject(lost(reason))
    for (const { settled } of this.#streams.values()) {
      if (isClosed) settled.resolve(undefined)
      else settled.reject(reason)
    }
    this.#calls.clear()
    this.#streams.clear()
  }

  #checkOpen(): void {
    this.#ended.signal.throwIfAborted()
  }
}

/** What a call ends with that was sent and not answered: it may have been carried out. */
function lost(reason: Error): Error {
  if (reason instanceof StoreError) return reason
  return new StoreError('Unknown', `${reason.message}: whether it stored this is not known`)
}
