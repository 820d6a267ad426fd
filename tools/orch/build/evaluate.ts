/** Configuration modules, evaluated without the world: the same files give the same objects on any machine and day. */
import { spawn } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { builtinModules, SourceMap } from 'node:module'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Message, type Metafile, type Plugin } from 'esbuild'
import type { Places, Problem, Sourced, Spot } from '../../../runtime/build/build.ts'
import type { Json } from '../../../runtime/kernel/values/json.ts'
import { packageFolder } from '../package-folder.ts'
import type { Evaluated } from './evaluate-child.ts'
import type { Point } from './instrument.ts'
import { type Exported, type ExportedPlaces, prepare } from './sandbox.ts'

/** What bounds an evaluation. */
export interface Limits {
  /** Modules and what they import stand in this folder. */
  readonly root: string
  /** Milliseconds. */
  readonly timeout: number
}

/** What a module exports, or what is wrong with it; and what it printed. */
export interface EvaluatedModule {
  readonly exported: readonly Sourced[]
  readonly problems: readonly Problem[]
  readonly lines: readonly string[]
}

/** The most steps that the loops of a module take together. */
const steps = 20_000_000

/** The most memory of an evaluation, in MiB. */
const memory = 512

/** Evaluates a module. The process that does it starts while the module is bundled. */
export async function evaluateModule(file: string, limits: Limits): Promise<EvaluatedModule> {
  const root = realpathSync(limits.root)
  const child = new EvaluatingChild()
  const bundled = await bundle(realpathSync(file), root)
  if ('problems' in bundled) {
    child.end()
    return { exported: [], lines: [], problems: bundled.problems }
  }
  const { script, spot } = bundled
  const result = await child.evaluate(script, limits.timeout)
  if ('exported' in result) {
    const exported = result.exported.map((one) => sourced(one, spot))
    return { exported, problems: [], lines: result.lines }
  }
  const at = result.at && spot(result.at)
  // A loop of the bundle has no place in the files.
  const what = at === undefined ? 'a pattern or a function' : 'a loop'
  const why = result.endless ? `: ${what} does not end` : remedyOf(result.error)
  const message = `${shownName(file)} cannot be evaluated: ${result.error}${why}`
  const problem: Problem = { rule: 'build.module', message, ...(at && { at }) }
  return { exported: [], problems: [problem], lines: result.lines }
}

interface Bundled {
  readonly script: string
  readonly spot: (point: Point) => Spot | undefined
}

/** One script of a module and what it imports. */
async function bundle(
  file: string,
  root: string,
): Promise<Bundled | { readonly problems: readonly Problem[] }> {
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [file],
      absWorkingDir: root,
      plugins: [withinTree(root)],
      bundle: true,
      write: false,
      outdir: root,
      format: 'iife',
      globalName: '$module',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      target: 'es2022',
      sourcemap: 'external',
      sourcesContent: false,
      metafile: true,
      logLevel: 'silent',
      loader: { '.txt': 'text', '.conf': 'text', '.yaml': 'text', '.yml': 'text' },
      tsconfigRaw: {},
    })
    const circle = circleOf(metafile)
    if (circle !== undefined) return { problems: [circleProblem(circle, metafile, root)] }
    const [map, script] = ['.map', '.js'].map(
      (ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '',
    ) as [string, string]
    const payload = JSON.parse(map)
    return { script, spot: spotsOf(new SourceMap(payload), root) }
  } catch (error) {
    const { errors } = error as { readonly errors?: readonly Message[] }
    if (errors === undefined) throw error
    return { problems: errors.map((one) => messageProblem(one, root)) }
  }
}

const builtins = new Set(builtinModules)

/** Imports lead to files of the tree, to installed packages, or to this one. */
function withinTree(root: string): Plugin {
  return {
    name: 'within-tree',
    setup(build) {
      build.onResolve({ filter: /^orch\// }, ({ path }) => ({
        path: fileURLToPath(import.meta.resolve(path)),
      }))
      build.onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || !builtins.has(path.replace(/^node:/, ''))) return undefined
        const text = `${path} is not there: a configuration sees no files, network, time or environment; import a file as a text, or state the value`
        return { errors: [{ text }] }
      })
      build.onResolve({ filter: /^[./]/ }, async ({ path, kind, ...options }) => {
        if (kind === 'entry-point' || options.pluginData === 'own') return undefined
        const found = await build.resolve(path, { ...options, kind, pluginData: 'own' })
        if (found.errors.length > 0) return { errors: found.errors }
        const isOurs = /[/\\]node_modules[/\\]/.test(found.path) || isOwn(options.importer)
        if (isOurs || isWithin(found.path, root)) return found
        const text = `${path} is a file outside of ${root}; move it there, or give a folder that holds both with --root`
        return { errors: [{ text }] }
      })
    },
  }
}

const own = join(packageFolder, 'dist')

function isOwn(file: string): boolean {
  return isWithin(file, own)
}

function isWithin(file: string, folder: string): boolean {
  const path = relative(folder, file)
  return path !== '' && !path.startsWith(`..${sep}`) && path !== '..' && !isAbsolute(path)
}

function messageProblem({ text, location }: Message, root: string): Problem {
  const at = location && {
    file: shownName(resolve(root, location.file)),
    line: location.line,
    column: columnOf(location.lineText, location.column),
  }
  const message = text.startsWith('Top-level await') ? noAwait : text
  return { rule: 'build.module', message, ...(at && { at }) }
}

const noAwait =
  'a configuration awaits nothing outside of its functions: it sees no files, network or time; state the value, or import a file as a text'

/** Columns are counted in bytes there. */
function columnOf(line: string, bytes: number): number {
  return Buffer.from(line).subarray(0, bytes).toString().length + 1
}

/** Modules that import each other, the first one at both ends. */
function circleOf({ inputs }: Metafile): readonly string[] | undefined {
  const done = new Set<string>()
  const walk = (file: string, open: readonly string[]): readonly string[] | undefined => {
    if (open.includes(file)) return [...open.slice(open.indexOf(file)), file]
    if (done.has(file) || file.includes('node_modules/')) return undefined
    for (const { path, external } of inputs[file]?.imports ?? []) {
      const found = external === true ? undefined : walk(path, [...open, file])
      if (found !== undefined) return found
    }
    done.add(file)
    return undefined
  }
  for (const file of Object.keys(inputs)) {
    const found = walk(file, [])
    if (found !== undefined) return found
  }
  return undefined
}

function circleProblem(circle: readonly string[], { inputs }: Metafile, root: string): Problem {
  const files = circle.map((file) => resolve(root, file))
  const [from = '', to] = circle
  const specifier = inputs[from]?.imports.find(({ path }) => path === to)?.original ?? ''
  const text = readFileSync(files[0] as string, 'utf8')
  const at = Math.max(text.indexOf(`'${specifier}'`), text.indexOf(`"${specifier}"`))
  const before = text.slice(0, Math.max(at, 0)).split('\n')
  const spot = {
    file: shownName(files[0] as string),
    line: before.length,
    column: (before.at(-1) ?? '').length + 1,
  }
  const names = files.map(shownName).join(' -> ')
  const message = `modules import each other: ${names}; move what both need into a third`
  return { rule: 'build.module', message, ...(at >= 0 && { at: spot }) }
}

/** Places of the script as places of the files that it is made of. */
function spotsOf(map: SourceMap, root: string): Bundled['spot'] {
  return ([line, column]) => {
    const entry = map.findEntry(line - 1, column - 1)
    if (!('originalSource' in entry)) return undefined
    const file = resolve(root, decodeURI(entry.originalSource))
    if (!isWithin(file, root)) return undefined
    return {
      file: shownName(file),
      line: entry.originalLine + 1,
      column: entry.originalColumn + 1,
    }
  }
}

function sourced([value, places]: Exported, spot: Bundled['spot']): Sourced {
  return { value: value as Json, places: places === null ? {} : placesOf(places, spot) }
}

/** Places are looked up when something is wrong: most never are. */
function placesOf({ a, p }: ExportedPlaces, spot: Bundled['spot']): Places {
  let parts: Record<string, Places> | undefined
  return {
    get at() {
      return a && spot(a)
    },
    get parts() {
      parts ??= p && mapped(p, spot)
      return parts
    },
  }
}

function mapped(parts: Readonly<Record<string, ExportedPlaces>>, spot: Bundled['spot']) {
  return Object.fromEntries(Object.entries(parts).map(([key, one]) => [key, placesOf(one, spot)]))
}

/** A process without an environment, in the zone and words of nowhere. */
class EvaluatingChild {
  readonly #child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${memory}`,
      join(dirname(fileURLToPath(import.meta.url)), 'evaluate-child.js'),
    ],
    { env: { TZ: 'UTC', LC_ALL: 'C' }, stdio: ['pipe', 'pipe', 'ignore'] },
  )
  readonly #code = new Promise<number | null>((done) => this.#child.on('close', done))

  /** Runs a script, and ends. */
  async evaluate(script: string, timeout: number): Promise<Evaluated> {
    const child = this.#child
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stdin.on('error', () => {})
    child.stdin.end(JSON.stringify({ script, world: prepare.toString(), steps, timeout }))
    const late = setTimeout(() => child.kill('SIGKILL'), timeout + 10_000)
    const code = await this.#code
    clearTimeout(late)
    if (code === 0) return JSON.parse(Buffer.concat(chunks).toString())
    return { error: `it needs more than ${memory} MiB, or does not end`, lines: [] }
  }

  /** Ends it: there is nothing to evaluate. */
  end(): void {
    this.#child.kill()
  }
}

const absent: Readonly<Record<string, string>> = {
  process: 'there is no process and no environment; write a module for each environment',
  require: 'use import',
  fetch: 'there is no network; commit what is needed as a file and import it',
  setTimeout: 'there is no time to wait in',
  setInterval: 'there is no time to wait in',
  performance: 'there is no clock',
  crypto: 'there is no randomness; names with hashes are made by hashed() of orch/build',
  Buffer: 'use texts; secret() of orch/build encodes them',
}

/** What to do in place of what is not there. */
function remedyOf(error: string): string {
  const name = /^(\w+) is not defined$/.exec(error)?.[1] ?? ''
  return Object.hasOwn(absent, name) ? `: ${absent[name]}` : ''
}

/** The file as seen from the working directory. */
function shownName(file: string): string {
  return relative('', file) || pathToFileURL(file).pathname
}
