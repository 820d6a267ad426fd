/** Threads that share the files of a run. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { ObjectFacts, ValidatorOptions } from '../../../runtime/validate/validate.ts'
import { smallHeap } from '../small-heap.ts'
import type { CheckedFiles } from './checked-files.ts'
import type { FoundFile } from './files.ts'

/** How a thread judges. */
export interface ThreadSettings
  extends Pick<ValidatorOptions, 'release' | 'podSecurity' | 'today' | 'complete' | 'expressions'> {
  readonly platform: string
  readonly schemas: readonly string[]
  readonly maxFileSize: number
}

/** What all threads of a run have in common. */
export interface SharedRun extends ThreadSettings {
  /** The index of the platform whose marks a file has; -1 for none. */
  readonly first: number
  /** Files that decide about others, in the order in which they are learned. */
  readonly learned: readonly FoundFile[]
  readonly files: readonly FoundFile[]
  /** How many files were taken. */
  readonly taken: Int32Array
}

/** A part of what a thread found. */
export interface ThreadResult
  extends Pick<CheckedFiles, 'findings' | 'objects' | 'suppressed' | 'lines'> {
  readonly facts: readonly ObjectFacts[]
  /** The indexes of files that it took and did not check. */
  readonly commented: readonly number[]
  readonly isLast: boolean
}

/** A thread hands over what it found of so many objects at once, and keeps none of it. */
export const objectsOfPart = 256

/** A thread costs what a few hundred files do. */
const filesOfThread = 300
const maxThreads = 8

/** How many threads pay beside the main one. What can be read only once only one has. */
export function threadsFor(files: readonly FoundFile[]): number {
  const most = Math.floor(files.length / filesOfThread)
  if (most < 2 || files.some(({ once }) => once)) return 0
  return Math.min(availableParallelism(), maxThreads, most) - 1
}

/** The index of the next file that no thread has taken. */
export function nextOf(taken: Int32Array): number {
  return Atomics.add(taken, 0, 1)
}

/** Threads that load what they need while the main one does. */
export class CheckThreads {
  readonly #workers: readonly Worker[]
  readonly #results: readonly Promise<readonly ThreadResult[]>[]

  constructor(count: number) {
    const file = new URL('./validate-thread.js', import.meta.url)
    this.#workers = Array.from(
      { length: Math.max(count, 0) },
      () => new Worker(file, { resourceLimits: smallHeap }),
    )
    this.#results = this.#workers.map(resultsOf)
  }

  /** Has them take files, which are regular ones. */
  begin(run: SharedRun): void {
    for (const worker of this.#workers) worker.postMessage(run)
  }

  /** What they found, once no file is left. */
  async results(): Promise<readonly ThreadResult[]> {
    return (await Promise.all(this.#results)).flat()
  }

  /** Ends them, whatever they do. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()))
  }
}

function resultsOf(worker: Worker): Promise<readonly ThreadResult[]> {
  const parts: ThreadResult[] = []
  const result = new Promise<readonly ThreadResult[]>((resolve, reject) => {
    worker.on('message', (part: ThreadResult) => {
      parts.push(part)
      if (part.isLast) resolve(parts)
    })
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('a thread ended before its files were checked')))
  })
  // A caller that ends the threads early does not ask for their results.
  result.catch(() => {})
  return result
}
