/**
 * Runs the tests of the store, over both drivers of SQLite, and a start of the server on each version of Node that is tried. A version that
 * this machine does not run is the package `node-<platform>-<architecture>` of the package registry, which is kept in a folder of caches. The
 * last line is `N passed, N failed`, with `, N skipped` for tests, and versions that could not be fetched.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const versions = ['20.20.2', '22.23.3', '24.21.0', '26.10.0']

const usage = `usage: npm run test:nodes -- [--others] [VERSION ...]

  VERSION  what a version begins with: 22 or 24.21. Without one, all are tried: ${versions.join(', ')}.
  --others leaves out the line of the Node that runs this, by which \`npm test\` has run all tests.`

/** What is run on each: the contract over the package, contract and model over what Node has built in, and the server over either. */
const runs = [
  ['runtime/store/contract', '--grep=sqlite'],
  [
    'runtime/store/sqlite/built-in',
    'daemons/sqlite-drivers',
    'daemons/collection',
    'orch/small-heap',
  ],
]

/** So many versions are tried at once: a run of one file leaves processors idle. */
const atOnce = 2

const runner = fileURLToPath(new URL('test.js', import.meta.url))
const root = dirname(dirname(dirname(runner)))
const caches = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'orch-nodes')

if (process.argv.includes('--help')) console.log(usage)
else process.exitCode = await main(process.argv.slice(2))

/** The exit code: 2 if no version is meant, 1 if a test failed, or if a version could not be tried that was named. */
async function main(args: readonly string[]): Promise<number> {
  const others = args.includes('--others')
  const wanted = args.filter((one) => one !== '--others')
  const meant = versions.filter(
    (version) =>
      !(others && isOwnLine(version)) &&
      (wanted.length === 0 || wanted.some((one) => `${version}.`.startsWith(`${one}.`))),
  )
  if (meant.length === 0) {
    console.error(`no version that is tried begins with ${wanted.join(' or ')}\n\n${usage}`)
    return 2
  }
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const untried: string[] = []
  const queue = [...meant]
  const work = async (): Promise<void> => {
    for (let version = queue.shift(); version !== undefined; version = queue.shift()) {
      const node = await programOf(version)
      if ('program' in node) {
        const outputs: string[] = []
        for (const tests of runs) outputs.push(await runTests(node.program, tests, counts))
        console.log(`== Node ${node.version}\n${outputs.join('').trimEnd()}`)
      } else {
        console.log(`SKIP Node ${version}: ${node.problem}`)
        counts.skipped++
        untried.push(version)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const { passed, failed, skipped } = counts
  if (untried.length > 0) console.log(`not tried: Node ${untried.join(', ')}`)
  console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`)
  const isMissed = untried.length > 0 && (wanted.length > 0 || untried.length === meant.length)
  return failed === 0 && !isMissed ? 0 : 1
}

/** Runs tests by a Node, and adds what came of them; a run that ends badly is one failure at least. Gives what they printed. */
async function runTests(
  program: string,
  tests: readonly string[],
  counts: { passed: number; failed: number; skipped: number },
): Promise<string> {
  const { output, code } = await run(program, [runner, ...tests])
  const [, passed = 0, failed = 0, skipped = 0] =
    /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/m.exec(output) ?? []
  counts.passed += Number(passed)
  counts.failed += Math.max(Number(failed), code === 0 ? 0 : 1)
  counts.skipped += Number(skipped)
  return output
}

/** A Node to run, or why there is none. */
type Found = { readonly program: string; readonly version: string } | { readonly problem: string }

/** The Node that runs this stands for the version of its line; another one is fetched, once for all. */
async function programOf(version: string): Promise<Found> {
  if (isOwnLine(version)) {
    return { program: process.execPath, version: process.versions.node }
  }
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const folder = join(caches, version)
  const program = join(folder, 'node_modules', name, 'bin', 'node')
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true })
    const quiet = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']
    const once = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000']
    const args = ['install', `--prefix=${folder}`, '--ignore-scripts', ...quiet, ...once]
    const { output } = await run('npm', [...args, `${name}@${version}`])
    const [why = 'npm has not installed it'] = output.match(/^npm (?:ERR!|error) .+$/m) ?? []
    if (!existsSync(program)) return { problem: `${name}@${version} cannot be fetched: ${why}` }
  }
  const { output, code } = await run(program, ['--version'])
  return code === 0 && output.trim() === `v${version}`
    ? { program, version }
    : { problem: `${program} does not run here: ${output.trim()}` }
}

/** Whether a version is of the same line as the Node that runs this. */
function isOwnLine(version: string): boolean {
  const [line] = version.split('.')
  return process.versions.node.startsWith(`${line}.`)
}

/** Runs a program in the folder of the project to its end; gives what it printed. */
function run(
  program: string,
  args: readonly string[],
): Promise<{ readonly output: string; readonly code: number }> {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ output: error.message, code: 1 }))
    child.once('close', (code) => resolve({ output, code: code ?? 1 }))
  })
}
