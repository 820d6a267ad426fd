import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { generateInMemory, packageRoot } from '../../codegen/main.ts'
import { readGenerated } from '../../codegen/print/folder.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import { digestOf } from './digest.ts'

/** The schema files that a scheme is compiled from, and the names that they are written in. */
export interface SchemeSource {
  readonly platform?: string
  /** A user's schema folder; without it, the package's own schemas. */
  readonly schemas?: string
}

/** Where the build stands, whose code a compiled scheme imports. */
const dist = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Generates a scheme and loads it. The compiled form is kept under node_modules/.cache by the digest of everything that it
 * is made of, so that the next start neither generates nor compiles; one that does not load is made anew, and only the
 * youngest stay. Undefined if the schema files are wrong.
 */
export async function compiledScheme(
  source: SchemeSource,
  complain: (line: string) => void,
  cache = join(packageRoot, 'node_modules/.cache/orch'),
): Promise<Scheme | undefined> {
  const folder = join(cache, nameOf(source))
  const kept = existsSync(join(folder, 'scheme.js'))
  const scheme = kept ? await loadFrom(folder).catch(() => undefined) : undefined
  if (scheme !== undefined) return scheme
  if (kept) await rm(folder, { recursive: true, force: true }).catch(() => {})
  const files = await generated(source, complain)
  if (files === undefined) return undefined
  return loadFrom(
    await compile(files, kept ? await privateFolder() : await freshFolder(cache), folder),
  )
}

/** Loads the scheme of a folder that `orch generate` wrote. */
export async function schemeOfFolder(
  out: string,
  cache = join(packageRoot, 'node_modules/.cache/orch'),
): Promise<Scheme> {
  const files = await readGenerated(out)
  const hash = createHash('sha256').update(packageRoot)
  for (const [path, text] of files) hash.update(`\0${path}\0${text}`)
  const folder = join(cache, hash.digest('hex').slice(0, 32))
  return loadFrom(
    existsSync(join(folder, 'scheme.js'))
      ? folder
      : await compile(files, await freshFolder(cache), folder),
  )
}

function nameOf(source: SchemeSource): string {
  return digestOf([
    join(packageRoot, 'package.json'),
    join(packageRoot, 'schemas'),
    join(dist, 'codegen'),
    join(dist, 'runtime/kernel'),
    join(dist, 'runtime/cel'),
    ...(source.platform === undefined ? [] : [source.platform]),
    ...(source.schemas === undefined ? [] : [source.schemas]),
  ])
}

/** The texts of a scheme; undefined if its schema files are wrong. */
async function generated(
  source: SchemeSource,
  complain: (line: string) => void,
): Promise<ReadonlyMap<string, string> | undefined> {
  const { files, findings, report } = await generateInMemory(source)
  if (findings.length === 0) return files
  complain(report.trimEnd())
  return undefined
}

/** Loads a compiled scheme. Throws where its files are of no use. */
async function loadFrom(folder: string): Promise<Scheme> {
  const module: { readonly scheme: Scheme } = await import(
    pathToFileURL(join(folder, 'scheme.js')).href
  )
  return module.scheme
}

/**
 * Compiles into the folder `fresh` and gives the place of what came of it: if that is beside `folder`, it moves there whole,
 * unless another process was faster.
 */
async function compile(
  files: ReadonlyMap<string, string>,
  fresh: string,
  folder: string,
): Promise<string> {
  await build({
    entryPoints: ['scheme.ts'],
    plugins: [inMemory(files)],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outdir: fresh,
    write: true,
    logLevel: 'silent',
  })
  if (dirname(fresh) !== dirname(folder)) return fresh
  const moved = await rename(fresh, folder).then(
    () => true,
    () => false,
  )
  if (!moved && !existsSync(join(folder, 'scheme.js'))) return fresh
  if (!moved) await rm(fresh, { recursive: true, force: true })
  await forget(dirname(folder)).catch(() => {})
  return folder
}

/** A server loads parts of its scheme late: so many younger schemes may be compiled while it runs. */
const mostTrees = 32

/** Removes all but the youngest schemes. */
async function forget(cache: string): Promise<void> {
  const dated = (await readdir(cache)).map(async (name) => {
    const folder = join(cache, name)
    return { folder, madeAt: (await stat(folder)).mtimeMs }
  })
  const youngestFirst = (await Promise.all(dated)).sort((a, b) => b.madeAt - a.madeAt)
  for (const { folder } of youngestFirst.slice(mostTrees)) await rm(folder, { recursive: true })
}

/** Beside the cache; where that may not be written, a private folder that is not found again. */
async function freshFolder(cache: string): Promise<string> {
  try {
    await mkdir(cache, { recursive: true })
    return await mkdtemp(join(cache, 'fresh-'))
  } catch {
    return privateFolder()
  }
}

/** Also where a kept scheme did not load: Node remembers a failed import by its path. */
function privateFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'orch-scheme-'))
}

/** Generated files come from memory; what they import of this package is the code that runs already. */
function inMemory(files: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'generated',
    setup(build) {
      build.onResolve({ filter: /^orch\// }, ({ path }) => ({ path: ownUrl(path), external: true }))
      build.onResolve({ filter: /^scheme\.ts$/ }, () => ({
        path: 'scheme.ts',
        namespace: 'generated',
      }))
      build.onResolve({ filter: /^\./, namespace: 'generated' }, ({ path, importer }) => {
        const target = posix.join(posix.dirname(importer), path)
        return { path: target, namespace: 'generated' }
      })
      build.onLoad({ filter: /.*/, namespace: 'generated' }, ({ path }) => ({
        contents:
          files.get(path) ?? `throw new Error(${JSON.stringify(`${path} was not generated`)})`,
        loader: 'ts',
      }))
    },
  }
}

/** The built file behind `orch/kernel/reading` or `orch/generated/...`. */
function ownUrl(specifier: string): string {
  return import.meta.resolve(specifier)
}
