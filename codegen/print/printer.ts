import { Worker } from 'node:worker_threads'
import type { ModuleArtefact } from '../emit/artefact.ts'

/** Prints modules in a thread of its own: what prints modules loads a compiler, which takes as long as reading schemas. */
export interface Printer {
  /** The texts of the modules' files, in their order. */
  print(modules: readonly ModuleArtefact[]): Promise<readonly string[]>
  close(): Promise<unknown>
}

/** Starts to load at once, and answers when it is asked. */
export function startPrinter(): Printer {
  const worker = new Worker(new URL('./printer-thread.js', import.meta.url), { execArgv: [] })
  return {
    print: (modules) =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
        worker.postMessage(modules)
      }),
    close: () => worker.terminate(),
  }
}
