/** Printers of modules: one that can print everything, in a thread, and one that starts it only when it has to. */
import { Worker } from 'node:worker_threads'
import type { ModuleArtefact } from '../emit/artefact.ts'
import { printModule } from './module.ts'
import { printPlainStatement } from './plain-statements.ts'

/** Prints modules. */
export interface Printer {
  /** The texts of the modules' files, in their order. */
  print(modules: readonly ModuleArtefact[]): Promise<readonly string[]>
  /** Ends the thread, if there is one. */
  close(): Promise<unknown>
}

/**
 * The printer of everything, in a worker thread: it loads a compiler, which takes as long as reading the schemas. It
 * starts to load at once.
 */
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

/**
 * For runs that print little: prints plain modules in this thread, and calls `start` for the first module that is not
 * plain.
 */
export function quickPrinter(start: () => Printer = startPrinter): Printer {
  let full: Printer | undefined
  return {
    async print(modules) {
      const texts = modules.map(printPlainModule)
      const rest = modules.filter((_, index) => texts[index] === undefined)
      if (rest.length === 0) return texts as readonly string[]
      full ??= start()
      const others = [...(await full.print(rest))]
      return texts.map((text) => text ?? (others.shift() as string))
    },
    close: async () => full?.close(),
  }
}

/** The text of a module of plain statements; undefined if one of its statements is not plain. */
function printPlainModule(module: ModuleArtefact): string | undefined {
  const statements = module.statements.map((each) =>
    typeof each === 'string' ? each : printPlainStatement(each),
  )
  if (!statements.every((each) => each !== undefined)) return undefined
  return printModule({ ...module, statements }, () => '')
}
