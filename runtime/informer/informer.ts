/**
 * The informer: a typed, indexed copy of a collection that follows the server.
 *
 *  1. It lists, then watches from the list's revision; a stream that ends is resumed from the last revision seen, and
 *     when history is gone it lists again. Each failure decides the next state in `state.ts`, and there alone.
 *  2. Handlers hear every difference between two states of the cache once, in order, after the cache has it. What was
 *     deleted while there was no watch is found by the next list.
 *  3. The cache never goes back: an object in it is replaced by a later version, or removed.
 *  4. `cache.waitForWrite(write)` waits until the cache shows what a write did; `show` brings it in at once, ahead of the watch.
 *  5. Objects in the cache are shared and readonly: change by spread.
 */
export {
  type Cache,
  type CacheReader,
  createCache,
  type Indexers,
} from './cache.ts'
export {
  createInformer,
  type Informer,
  type InformerOptions,
} from './create-informer.ts'
export type { ResourceEventHandler } from './handlers.ts'
export { type InformerState, type InformerStep, nextState, retryDelayMs } from './informer-state.ts'
export { joinCaches } from './joined-cache.ts'
export { formatKey, objectKey, parseKey } from './object-key.ts'
