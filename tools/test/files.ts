import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** How many files run at once: more than there are processors, for tests of whole programs wait most of their time. */
export function workers(processors: number): number {
  return Math.max(2, Math.min(6, processors * 2))
}

/** The files that take longest, measured; a run begins with them so that none of them is left alone at its end. */
const longest = [
  'e2e/kubectl',
  'e2e/apply',
  'codegen/pipeline/generate',
  'e2e/commands',
  'codegen/pipeline/cache',
  'tools/orch/against',
  'e2e/kinds',
  'e2e/',
  'examples/',
  'tools/compare/compare',
  'store/postgres',
  'daemons/',
  'controller-manager/bad-input',
  'tools/orch',
  'codegen/cache',
  'tools/check/release',
  'codegen/pipeline',
  'cel/work',
  'apiserver/',
]

/**
 * Built test files under `folder` whose path holds one of `parts`, or all. Those that take longest come first, the others by
 * name.
 */
export function findTests(folder: string, parts: readonly string[]): string[] {
  const files = filesUnder(folder).filter((file) => file.endsWith('.test.js'))
  const wanted = parts.length === 0 ? files : files.filter((file) => matches(file, parts, folder))
  const rank = (file: string) => rankOf(relative(folder, file).split(sep).join('/'))
  return wanted.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

/**
 * The files among `files` whose text holds a match of a pattern; all of them if none does, for a name may be put together when
 * the tests run.
 */
export function mentioning(files: readonly string[], pattern: string): readonly string[] {
  const wanted = new RegExp(pattern)
  const holding = files.filter((file) => wanted.test(readFileSync(file, 'utf8')))
  return holding.length > 0 ? holding : files
}

function matches(file: string, parts: readonly string[], folder: string): boolean {
  const path = join('test', relative(folder, file))
  return parts.some((part) => path.includes(part.replace(/\.ts$/, '')))
}

function rankOf(path: string): number {
  const rank = longest.findIndex((part) => path.includes(part))
  return rank < 0 ? longest.length : rank
}

/**
 * Deletes what the compiler once wrote into `dist` for a source that is gone: such a test would go on passing for ever.
 * Returns how many files went.
 */
export function removeStale(dist: string, root: string): number {
  if (!existsSync(join(root, 'tsconfig.json'))) return 0
  const stale = filesUnder(dist).filter((file) => {
    const source = sourceOf(relative(dist, file))
    return source !== undefined && !existsSync(join(root, source))
  })
  for (const file of stale) rmSync(file)
  return stale.length
}

/** The source of a built file; undefined for a file that the compiler does not write, as all under `packed` and `bundled`. */
function sourceOf(built: string): string | undefined {
  if (/^(packed|bundled)[/\\]/.test(built)) return undefined
  const stem = /^(.*?)(\.js|\.js\.map|\.d\.ts)$/.exec(built)?.[1]
  return stem === undefined ? undefined : `${stem}.ts`
}

/** Every file under a folder, as a full path. */
export function filesUnder(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
