import { readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** Built tests in joined files. */
export interface Bundle {
  /** The folder where they stand as in the one they come from. */
  readonly dist: string
  /** The files to run. */
  readonly files: readonly string[]
  /** What is loaded before each of them. */
  readonly guard: string
}

/**
 * Joins what tests load into fewer files, for a run of all of them: a test of the server loads 1,100 modules, which takes a processor
 * a second, and 200 joined files, which takes half of it. Each module is still one in each process, and finds files beside its
 * own where they are.
 */
export async function bundleTests(dist: string, files: readonly string[]): Promise<Bundle> {
  const outdir = join(dist, 'bundled')
  const guard = join(dist, 'tools/test/guard.js')
  await rm(outdir, { recursive: true, force: true })
  await build({
    absWorkingDir: dist,
    entryPoints: [guard, ...files],
    outbase: dist,
    outdir,
    chunkNames: 'joined/[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [ownPlace],
  })
  const bundled = (file: string): string => join(outdir, relative(dist, file))
  return { dist: outdir, files: files.map(bundled), guard: bundled(guard) }
}

/** What a module asks; a pattern, so that it stays what it is where this module is joined itself. */
const ownUrl = /import\.meta\.url/g

/** A module that asks where it is, is told where it was. */
const ownPlace: Plugin = {
  name: 'own place',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const contents = text.replace(ownUrl, () => JSON.stringify(pathToFileURL(path).href))
      return { contents, loader: 'js' }
    })
  },
}
