/**
 * Runs the built tests, some files at a time. Arguments are parts of file names to run, each in a process of its own; without one,
 * all run, and those of a folder share processes. `--grep` takes single tests by name, `--watch` runs again what a change concerns.
 * The last line is `N passed, N failed`, with `, N skipped` if a test said why it could not run.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bundle, bundleTests } from './test/bundle.ts'
import { findTests, mentioning, removeStale, workers } from './test/files.ts'
import { groupsOf } from './test/groups.ts'
import { type TestOptions, testOptions, usage } from './test/options.ts'
import { printResult, totalLine } from './test/report.ts'
import { type Result, runFile, runTogether } from './test/run.ts'
import { watchTests } from './test/watch.ts'

/** A file that runs so long hangs: more than what a test waits for (`test/support/deadline.ts`), however slow the machine. */
const deadlineMs = 1_800_000

/** A file that lasts so long after its summary hangs: what stops after a test takes seconds. */
const endingMs = 300_000

const dist = dirname(dirname(fileURLToPath(import.meta.url)))
const root = dirname(dist)
const stop = new AbortController()

if (process.argv.includes('--help')) console.log(usage)
else process.exitCode = await main(process.argv.slice(2))

/** The exit code: 2 if the command line is wrong, 1 if a test failed. */
async function main(args: readonly string[]): Promise<number> {
  let options: TestOptions
  try {
    options = testOptions(args)
  } catch (error) {
    console.error((error as Error).message)
    return 2
  }
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  const removed = removeStale(dist, root)
  if (removed > 0) console.log(`removed ${removed} built files whose source is gone`)
  const files = findTests(join(dist, 'test'), options.parts)
  const all = options.parts.length === 0 && options.grep === undefined && !options.watch
  const status = all ? await runWhole(files, options) : await runAll({ dist, files }, options)
  if (!options.watch || stop.signal.aborted) return status
  const run = async (tests: readonly string[]) => {
    const built = tests.map((test) => join(dist, test.replace(/\.ts$/, '.js')))
    const among = new Set(findTests(join(dist, 'test'), options.parts))
    await runAll({ dist, files: built.filter((file) => among.has(file)) }, options)
  }
  console.log('watching for changes; end with ctrl-c')
  await watchTests({ root, run, print: (text) => console.log(text) }, stop.signal)
  return 0
}

/** Runs all tests: what they load is joined, and files share processes. Returns the exit code. */
async function runWhole(files: readonly string[], options: TestOptions): Promise<number> {
  const bundle = await bundleTests(dist, files)
  const built = new Map(bundle.files.map((file, index) => [file, files[index]!]))
  const textOf = (file: string) => readFileSync(built.get(file)!, 'utf8')
  return runAll(bundle, options, groupsOf(join(bundle.dist, 'test'), bundle.files, textOf))
}

/** Runs files and prints what came of them, each group in a process. Returns the exit code: 1 if a test failed or none ran. */
async function runAll(
  { files, ...where }: Omit<Bundle, 'guard'> & Partial<Bundle>,
  { grep }: TestOptions,
  groups: readonly (readonly string[])[] = files.map((file) => [file]),
): Promise<number> {
  const wanted = new Set(grep === undefined ? files : mentioning(files, grep))
  const queue = groups.filter((group) => group.some((file) => wanted.has(file)))
  const results: Result[] = []
  const told = (result: Result) => {
    if (grep !== undefined && result.passed + result.failed + result.skipped.length === 0) return
    results.push(result)
    printResult(result, (text) => console.log(text))
  }
  const bounds = { ...where, cwd: root, deadlineMs, endingMs }
  const work = async (): Promise<void> => {
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      if (stop.signal.aborted) return
      const [file = '', ...others] = group
      if (others.length > 0) await runTogether({ ...bounds, files: group }, stop.signal, told)
      else
        told(await runFile({ ...bounds, file, ...(grep !== undefined && { grep }) }, stop.signal))
    }
  }
  await Promise.all(Array.from({ length: workers(availableParallelism()) }, work))
  if (results.length === 0) {
    console.log(grep === undefined ? 'no test file matches' : 'no test matches')
  }
  console.log(totalLine(results))
  return results.length === 0 || results.some(({ failed }) => failed > 0) ? 1 : 0
}
