/**
 * The heavy half of the generator as one script: two hundred modules, which take as long to find as a small edit takes to
 * generate. It is made by a run that had to load the modules, and makes nothing true:
 *
 * 1. It is used by the same code only, whose digest stands on its first line; else the modules are loaded.
 * 2. The engine's compiled form of it is kept by the first run that uses it, under the same digest.
 * 3. Where it cannot be written, runs do the same and take longer.
 */
import { readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

type Pipeline = typeof import('../pipeline.ts')

/** The pipeline, and what makes the next load of it faster: to be called when the run is over. */
export interface Loaded {
  readonly pipeline: Pipeline
  readonly keep: () => Promise<void>
}

/** The pipeline from its modules: for who runs it once. */
export async function importPipeline(): Promise<Loaded> {
  return { pipeline: await import('../pipeline.ts'), keep: async () => {} }
}

/** The pipeline of the code with the given digest, from the script `file` if that is of the same code. */
export async function loadPipeline(file: string, digest: string): Promise<Loaded> {
  const head = headOf(digest)
  const text = read(file)?.toString()
  if (!text?.startsWith(head)) {
    return { ...(await importPipeline()), keep: () => unlessReadOnly(bundle(file, head)) }
  }
  const compiled = read(`${file}.compiled`)
  const fits = compiled?.subarray(0, head.length).equals(Buffer.from(head)) === true
  const script = new Script(text, {
    filename: file,
    ...(fits && { cachedData: compiled.subarray(head.length) }),
  })
  const module = { exports: {} as Pipeline }
  script.runInThisContext()(module, createRequire(import.meta.url))
  const keepCompiled = async () =>
    write(`${file}.compiled`, Buffer.concat([Buffer.from(head), script.createCachedData()]))
  const known = fits && script.cachedDataRejected !== true
  const keep = () => (known ? Promise.resolve() : unlessReadOnly(keepCompiled()))
  return { pipeline: module.exports, keep }
}

function headOf(digest: string): string {
  return `// ${digest}\n`
}

async function bundle(file: string, head: string): Promise<void> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../pipeline.js', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    logLevel: 'silent',
  })
  const [body] = outputFiles
  if (body !== undefined) await write(file, `${head}(function(module,require){${body.text}\n})`)
}

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** Written aside and then renamed: a run beside this one never reads half a file. */
async function write(file: string, content: string | Uint8Array): Promise<void> {
  const aside = `${file}.${process.pid}`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(aside, content)
  await rename(aside, file)
}

/** What cannot be kept is done without. */
async function unlessReadOnly(keeping: Promise<void>): Promise<void> {
  await keeping.catch(() => {})
}
