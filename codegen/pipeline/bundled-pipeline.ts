/**
 * The pipeline as one script: two hundred modules take as long to find and load as a small edit takes to generate. The
 * script is made by a run that had to load the modules. Its promises:
 *
 * 1. It is used by the same code only (by digest), and only if it is whole; otherwise the modules are loaded.
 * 2. V8's compiled form of it is saved by the first run that uses the script, and used with the same script only.
 * 3. Where it cannot be written, a run does the same and takes longer.
 * 4. Of the scripts of many checkouts in one folder the 16 newest are kept, with what else was saved under their names.
 */
import { readdir, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { readCacheFile, writeCacheFile } from '../cache/cache-file.ts'
import { digest } from '../print/digest.ts'

/** How many checkouts may share a folder of packages without making their scripts in turn. */
const maxScripts = 16

type Pipeline = typeof import('./pipeline.ts')

/** The pipeline, and what makes the next load of it faster. */
export interface LoadedPipeline {
  readonly pipeline: Pipeline
  /** To be called when the run is over: it writes the script or its compiled form, if one of them is missing. */
  readonly save: () => Promise<void>
}

/** The pipeline from its modules: for a process that runs it once. */
export async function importPipeline(): Promise<LoadedPipeline> {
  return { pipeline: await import('./pipeline.ts'), save: async () => {} }
}

/**
 * The pipeline of the code with the given digest: from the script `file` if that is of the same code, else from its
 * modules.
 */
export async function loadPipeline(file: string, code: string): Promise<LoadedPipeline> {
  const text = readCacheFile(file, code)?.toString()
  if (text === undefined)
    return { ...(await importPipeline()), save: () => bundle(file, code).catch(() => {}) }
  const compiled = `${file}.compiled`
  const mark = digest(text)
  const cachedData = readCacheFile(compiled, mark)
  const script = new Script(text, { filename: file, ...(cachedData && { cachedData }) })
  const module = { exports: {} as Pipeline }
  script.runInThisContext()(module, createRequire(import.meta.url))
  const fits = cachedData !== undefined && script.cachedDataRejected !== true
  const keep = async () => {
    if (!fits) await writeCacheFile(compiled, mark, script.createCachedData())
  }
  return { pipeline: module.exports, save: keep }
}

/** Makes the script with esbuild. It is a function of `module` and `require`, as Node wraps CommonJS modules. */
async function bundle(file: string, code: string): Promise<void> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./pipeline.js', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    logLevel: 'silent',
  })
  const [body] = outputFiles
  if (body === undefined) return
  await writeCacheFile(file, code, `(function(module,require){${body.text}\n})`)
  await removeOldest(dirname(file))
}

/** Removes the scripts that were made longest ago. A checkout that misses its own loads the modules again. */
async function removeOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  const dated = names
    .filter((name) => /^generator-\w+\.cjs$/.test(name))
    .map(async (name) => ({ name, madeAt: (await stat(join(folder, name))).mtimeMs }))
  const newestFirst = (await Promise.all(dated)).sort((a, b) => b.madeAt - a.madeAt)
  for (const { name } of newestFirst.slice(maxScripts)) {
    const base = name.replace(/cjs$/, '')
    for (const each of names.filter((other) => other.startsWith(base))) {
      await rm(join(folder, each), { force: true })
    }
  }
}
