/** Files that a program loads at its start become one script, whose compiled form can be kept (`compiled-scripts.ts`). */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

/** The names of what files export, by the name of the file. */
export type ExportsOfFiles = ReadonlyMap<string, readonly string[]>

/** What becomes one script. All are ECMAScript modules in one folder. */
export interface StartScript {
  readonly folder: string
  /** Settings of every build. */
  readonly common: BuildOptions
  /** The module that runs the script. */
  readonly name: string
  /** What becomes the script. */
  readonly files: ExportsOfFiles
  /** Modules that stay modules, since not this script alone imports them. */
  readonly shared: ExportsOfFiles
}

/** Knex and Koa are CommonJS: what they require of Node has to be found from an ECMAScript module. */
export const requiring =
  "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)"

/** The files that are loaded with some: these, and what they import at once, but for those that stay `apart`. */
export function loadedWith(
  { outputs }: Metafile,
  entries: readonly string[],
  apart: readonly string[],
): ExportsOfFiles {
  const byName = new Map(Object.entries(outputs).map(([file, output]) => [basename(file), output]))
  const found = new Map<string, readonly string[]>()
  const seen = new Set<string>()
  const waiting = [...entries]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const output = byName.get(name)
    if (output === undefined || seen.has(name)) continue
    seen.add(name)
    if (!apart.includes(name)) found.set(name, output.exports)
    const atOnce = output.imports.filter(({ kind }) => kind === 'import-statement')
    waiting.push(...atOnce.map(({ path }) => basename(path)))
  }
  return found
}

/** Writes the script and the module that runs it, and in the place of each file one that names its exports there. */
export async function makeStartScript(start: StartScript): Promise<void> {
  const { folder, name, files } = start
  const script = name.replace(/js$/, 'script.js')
  await writeFile(join(folder, script), await scriptOf(start))
  await writeFile(join(folder, name), moduleOf(start, script))
  const passing = [...files.keys()].map((file) =>
    writeFile(join(folder, file), `${exportsIn(start, file)}\n`),
  )
  await Promise.all(passing)
}

/** Has a module import what it needs of the files from the module that runs their script, without one more file for each. */
export async function importAtOnce(start: StartScript, importer: string): Promise<void> {
  const { folder, common, files } = start
  await build({
    ...common,
    entryPoints: [join(folder, importer)],
    outdir: folder,
    allowOverwrite: true,
    plugins: [joining([], (file) => (files.has(file) ? exportsIn(start, file) : undefined))],
  })
}

/** Names the exports of a file as they are in the module that runs the script. */
function exportsIn(start: StartScript, file: string): string {
  const names = start.files.get(file)?.map((own) => `${nameIn(start, file, own)} as ${own}`) ?? []
  return `export { ${names.join(', ')} } from './${start.name}'`
}

/** What an export of a file is called among those of the script. */
function nameIn({ files }: StartScript, file: string, exported: string): string {
  return `f${[...files.keys()].indexOf(file)}_${exported}`
}

/**
 * The text of the script: a function that returns its exports, of `require`, `import.meta` and `import`. Node has the last two in
 * modules only; an import of anything but a text fails.
 */
async function scriptOf(start: StartScript): Promise<string> {
  const { folder, common, files, shared } = start
  const contents = [...files].map(([file, names]) => {
    const renamed = names.map((own) => `${own} as ${nameIn(start, file, own)}`)
    return `export { ${renamed.join(', ')} } from './${file}'`
  })
  const { outputFiles = [] } = await build({
    ...common,
    stdin: { contents: contents.join('\n'), resolveDir: folder },
    format: 'cjs',
    define: { 'import.meta': '$meta' },
    plugins: [
      joining([...files.keys()], (file) => {
        const names = shared.get(file)
        return names && variablesOf(file, names)
      }),
    ],
    write: false,
    // A package that Koa needs has it, which is no news here.
    logOverride: { 'direct-eval': 'silent' },
  })
  const body = outputFiles
    .map(({ text }) => text.replace(dynamicImport, '$import(').replace(requiredLate, '= $late('))
    .join('')
  const head = `const module = {}\n${lateModules}`
  return `(function (require, $meta, $import) {\n${head}\n${body}\nreturn module.exports\n})`
}

/** Modules of Node that take milliseconds to load, of which a run needs few: they are loaded when something of them is first used. */
const requiredLate = /= require\((?="node:(?:child_process|crypto|https|zlib)"\);$)/gm
const lateModules = `const $late = (name) => {
  let loaded
  return new Proxy({}, { get: (_, key) => (loaded ??= require(name))[key] })
}`

/** An import of a text, or of a name that only the program knows, which TypeScript hands to a helper. */
const dynamicImport = /\bimport\((?="|__rewriteRelativeImportExtension\()/g

/** Takes a shared module apart once, so that each use of an export is a plain variable. */
function variablesOf(file: string, names: readonly string[]): string {
  const variables = names.map((name) => `export const ${name} = shared.${name}`)
  return [`const shared = require('./${file}')`, ...variables].join('\n')
}

/** Joins files, reads other text in the place of some, and leaves all else to Node. */
function joining(files: readonly string[], textOf: (file: string) => string | undefined): Plugin {
  return {
    name: 'joining',
    setup(plugin) {
      plugin.onResolve({ filter: /^/ }, ({ path, kind }) => {
        if (kind === 'entry-point') return undefined
        const file = basename(path)
        if (kind !== 'import-statement') return { path, external: true }
        if (textOf(file) !== undefined) return { path: file, namespace: 'text' }
        return files.includes(file) ? undefined : { path, external: true }
      })
      // A script is given what finds modules, once for all of its files.
      plugin.onLoad({ filter: /^/, namespace: 'file' }, ({ path }) => {
        if (!files.includes(basename(path))) return undefined
        return { contents: readFileSync(path, 'utf8').replace(requiring, '') }
      })
      plugin.onLoad({ filter: /^/, namespace: 'text' }, ({ path }) => {
        const contents = textOf(path)
        return contents === undefined ? undefined : { contents }
      })
    },
  }
}

/** What the module that runs the script exports. */
export function namesIn(start: StartScript): readonly string[] {
  return [...start.files].flatMap(([file, names]) => names.map((own) => nameIn(start, file, own)))
}

/** The text of the module that runs a script. */
function moduleOf(start: StartScript, script: string): string {
  const shared = [...start.shared.keys()]
  return [
    "import { runScript } from './compiled-scripts.js'",
    ...shared.map((name, index) => `import * as shared${index} from './${name}'`),
    `const modules = new Map([${shared.map((name, index) => `['./${name}', shared${index}]`)}])`,
    'const load = (name) => import(name)',
    `const all = runScript('./${script}', { meta: import.meta, modules, load })`,
    ...namesIn(start).map((name) => `export const ${name} = all.${name}`),
    '',
  ].join('\n')
}
