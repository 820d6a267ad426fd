/**
 * Scripts whose compiled form is kept beside them: V8 compiles what a program starts with once, not at each start.
 *
 * 1. A compiled form is used with the script that it was made of only, and only if it is whole and V8 takes it.
 * 2. Without one a script does the same and takes longer.
 */
import { accessSync, constants as modes, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { readCacheFile, writeCacheFile } from '../../codegen/cache/cache-file.ts'
import { collectEarly } from '../../daemons/collection.ts'
import { withUsualHeap } from '../orch/small-heap.ts'

// A command that keeps its heap small does so in the module that takes compiled forms.
export { keepHeapSmall } from '../orch/small-heap.ts'

/** What a script exports, by name. */
type Exports = Readonly<Record<string, unknown>>

/** A script that runs in this process. */
interface RunningScript {
  readonly script: Script
  readonly file: string
  readonly mark: string
  /** The size of its compiled form on the disk, 0 without one. */
  kept: number
}

const running: RunningScript[] = []

/** The module in whose place a script stands. */
interface Module {
  readonly meta: ImportMeta
  /** What it imports of modules that the script shares with others, by name. */
  readonly modules: ReadonlyMap<string, Exports>
  /** Imports as the module does. */
  readonly load: (name: string) => Promise<Exports>
}

/** A script is the text of such a function, in ASCII. */
type Body = (
  require: (name: string) => unknown,
  meta: ImportMeta,
  load: (name: string) => Promise<Exports>,
) => Exports

/** Runs the script of that name in the folder of a module, and returns what it exports. */
export function runScript(name: string, { meta, modules, load }: Module): Exports {
  // Servers set flags of V8, which takes a compiled form under the flags only that it was made with.
  collectEarly()
  const file = fileURLToPath(new URL(name, meta.url))
  const mark = markOf(file)
  const cachedData = readCacheFile(compiledOf(file), mark)
  const text = readFileSync(file, 'latin1')
  const options = { filename: file, ...(cachedData && { cachedData }) }
  const script = withUsualHeap(() => new Script(text, options))
  const taken = cachedData !== undefined && script.cachedDataRejected !== true
  running.push({ script, file, mark, kept: taken ? cachedData.length : 0 })
  const required = createRequire(meta.url)
  const body = script.runInThisContext() as Body
  return body((wanted) => modules.get(wanted) ?? required(wanted), meta, load)
}

/**
 * Writes the compiled form, with the functions that were called until now, of each script that had none. At the end of a program also
 * where functions were called that the kept form does not have, such as those of requests.
 */
export async function keepCompiled(ended = false): Promise<void> {
  const due = running.filter(({ kept, file }) => (ended || kept === 0) && isWritable(dirname(file)))
  await Promise.all(
    due.map(async (one) => {
      const form = withUsualHeap(() => one.script.createCachedData())
      // A little more is no reason to write a form again.
      if (form.length <= one.kept * leastGrowth) return
      one.kept = form.length
      await writeCacheFile(compiledOf(one.file), one.mark, form)
    }),
  )
}

const leastGrowth = 1.01

function compiledOf(script: string): string {
  return `${script}.compiled`
}

/** One word that changes when the file is written. */
function markOf(file: string): string {
  const { mtimeMs, size } = statSync(file)
  return `${mtimeMs}-${size}`
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, modes.W_OK)
    return true
  } catch {
    return false
  }
}
