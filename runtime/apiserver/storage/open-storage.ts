import type { Metrics } from '../../observe/observe.ts'
import { withResourceVersion } from '../../serializer/serializer.ts'
import { type LogStore, MemoryStore, openStore, type StoreOptions } from '../../store/store.ts'
import { createWatchCache, type StoreCache } from '../../watch/watch.ts'
import { defined } from '../defined.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { ApiServerOptions, ServerSnapshot } from '../options.ts'
import { type Encryption, startEncryption } from './start-encryption.ts'
import { uncachedPrefixes } from './uncached-resources.ts'

/** The store and the live view of it. */
export interface Storage {
  readonly cache: StoreCache
  /** Absent where objects are stored as they are. */
  readonly encryption?: Encryption
  /** Rejects if the store cannot be read or written. */
  readonly check: () => Promise<void>
  readonly snapshot: (at?: number) => Promise<ServerSnapshot>
}

/** The store is followed until the end; its watch cache is closed before it. */
export async function openStorage(
  options: ApiServerOptions,
  metrics: Metrics | undefined,
  lifecycle: Lifecycle,
): Promise<Storage> {
  const { clock, historyMs, historyBytes, from, scheme, uncachedResources = [] } = options
  const stamp = options.encryption ? undefined : stampObject
  const database = await openDatabase(options, { stamp })
  lifecycle.onStop(() => database.close())
  const encryption = await encryptionOf(database, options, metrics, lifecycle)
  const store = encryption?.store ?? database
  const cache = await createWatchCache(store, {
    clock,
    stampResourceVersion: stampObject,
    checkStored: checkPlain,
    uncached: uncachedPrefixes(scheme, uncachedResources),
    ...defined({ historyMs, maxHistoryBytes: historyBytes, from: from?.cache }),
  })
  lifecycle.onStop(() => cache.close())
  lifecycle.run((signal) => store.run(signal))
  return {
    cache,
    ...defined({ encryption }),
    check: async () => {
      await store.check()
      // Fails if the cache could not follow the store.
      await cache.waitForRevision(0, 0)
    },
    snapshot: (at) => snapshotOf(database, cache, at),
  }
}

/** Opens what keeps the objects. */
export function openDatabase(
  options: ApiServerOptions,
  { stamp, onCommit }: { readonly [K in 'stamp' | 'onCommit']?: StoreOptions[K] | undefined },
): Promise<LogStore> {
  const { storage, clock, log, historyMs, historyBytes, objectBytes, from } = options
  const location = from && storage.kind === 'memory' ? { ...storage, from: from.store } : storage
  return openStore(location, {
    clock,
    erase: options.encryption !== undefined,
    onCompactionFailure: (error) => log.error('compaction failed', {}, error),
    onReadOnly: (why) => log.error('nothing can be written', {}, why),
    onAway: (why) => log.error(why),
    onBack: (what) => log.info(what),
    onWeakDurability: (why) => log.warn(why),
    ...defined({
      stamp,
      onCommit,
      retentionMs: historyMs,
      retainedBytes: historyBytes,
      maxValueBytes: options.encryption ? Number.POSITIVE_INFINITY : objectBytes,
    }),
  })
}

function encryptionOf(
  store: LogStore,
  { encryption: configuration, clock, log, objectBytes }: ApiServerOptions,
  metrics: Metrics | undefined,
  lifecycle: Lifecycle,
): Promise<Encryption> | undefined {
  if (configuration === undefined) return undefined
  return startEncryption(store, { configuration, clock, log, metrics, objectBytes }, lifecycle)
}

const brace = 0x7b

/** The bytes of an object with its resourceVersion. */
function stampObject(
  value: Uint8Array,
  revision: number,
  allocate?: (bytes: number) => Buffer,
): Uint8Array {
  checkPlain(value)
  return withResourceVersion(value, revision, allocate)
}

/** @throws Error for a value that is not the text of an object. */
function checkPlain(value: Uint8Array): void {
  if (value[0] === brace) return
  throw new Error(
    'the database holds encrypted objects: start with the file of --encryption-provider-config that they were encrypted by',
  )
}

/** Both as of one revision. */
async function snapshotOf(
  store: LogStore,
  cache: StoreCache,
  at: number | undefined,
): Promise<ServerSnapshot> {
  if (!(store instanceof MemoryStore)) {
    throw new Error('only a server that keeps its objects in memory can be forked')
  }
  while (!cache.isFresh) await cache.revision()
  if (at === undefined) return { store: store.snapshot(), cache: cache.snapshot() }
  const { entries, revision, tree } = cache.snapshot(at)
  return { store: { entries, revision }, cache: { entries, revision, tree } }
}
