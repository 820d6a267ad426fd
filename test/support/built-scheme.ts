/** Schema files of a test's own, generated, compiled and loaded: what a user's build does, without files left behind. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { generateInMemory } from '../../codegen/main.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import type { ConfigKind } from '../../runtime/kernel/options/config-kind.ts'
import { tempDirectory } from './temp.ts'

export interface BuiltScheme {
  readonly scheme: Scheme
  readonly configKinds: Readonly<Record<string, () => Promise<ConfigKind>>>
  /** The generated files, by path. */
  readonly files: ReadonlyMap<string, string>
}

/** Builds the scheme of schema files, given by their paths in a schema folder; fails with their findings. */
export async function builtScheme(sources: Readonly<Record<string, string>>): Promise<BuiltScheme> {
  const home = tempDirectory()
  const schemas = join(home, 'schemas')
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(schemas, path)), { recursive: true })
    writeFileSync(join(schemas, path), text)
  }
  const { files, report } = await generateInMemory({ schemas })
  if (report !== '') throw new Error(report)
  const outfile = join(home, 'scheme.mjs')
  await build({
    stdin: { contents: entry, loader: 'ts', sourcefile: 'entry.ts' },
    plugins: [fromMemory(files)],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outfile,
    logLevel: 'silent',
  })
  return { ...(await import(pathToFileURL(outfile).href)), files }
}

const entry = "export { scheme } from './scheme.ts'\nexport { configKinds } from './config.ts'\n"

function fromMemory(files: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'generated',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^orch\// }, ({ path }) => ({
        path: import.meta.resolve(path),
        external: true,
      }))
      onResolve({ filter: /^\./ }, ({ path, importer }) => ({
        path: posix.join(posix.dirname(importer === '<stdin>' ? 'entry.ts' : importer), path),
        namespace: 'generated',
      }))
      onLoad({ filter: /.*/, namespace: 'generated' }, ({ path }) => ({
        contents: files.get(path) ?? '',
        loader: 'ts',
      }))
    },
  }
}
