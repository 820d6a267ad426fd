import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the young generation of this process small, and those of threads that start afterwards: what is made of a file is garbage before
 * the next one is read, and would fill a young generation of any size. It stays as large as it begins (1 MB). Called before the code of a
 * command is loaded, and again in each thread: the engine goes back to a growth of two with each heap that it makes.
 */
export function keepHeapSmall(): void {
  isSmall = true
  setFlagsFromString('--semi-space-growth-factor=1')
}

let isSmall = false

/**
 * Does something under the growth that the engine sets with each heap: it takes a compiled form only under the flags that the form was made
 * with, and a thread that begins changes them for all.
 */
export function withUsualHeap<T>(work: () => T): T {
  setFlagsFromString('--semi-space-growth-factor=2')
  const result = work()
  if (isSmall) keepHeapSmall()
  return result
}

/** The same for a thread, in the words of node:worker_threads. */
export const smallHeap = { maxYoungGenerationSizeMb: 3 } as const
