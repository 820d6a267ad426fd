import { spawn } from 'node:child_process'
import { relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { summaryOf } from './summary.ts'

/** One test file to run, and within which bounds. */
export interface Run {
  /** Where the built files are. */
  readonly dist: string
  /** The folder that the test runs in. */
  readonly cwd: string
  readonly file: string
  /** Loaded before the test, in place of the guard among the built files. */
  readonly guard?: string
  readonly deadlineMs: number
  /** How long it may take to end after its summary: a program that a failed test left running keeps it alive. */
  readonly endingMs: number
  /** Only tests whose name matches this regular expression run; a file may then hold none. */
  readonly grep?: string
}

/** What came of one test file. `failed` is at least 1 where `problem` is set. */
export interface Result {
  /** `test/runtime/store/contract.test.ts`. */
  readonly name: string
  readonly passed: number
  readonly failed: number
  /** `name: why`, for every test that could not run. */
  readonly skipped: readonly string[]
  /** Why the file failed as a whole. */
  readonly problem?: string
  readonly output: string
  readonly ms: number
}

/** Loaded before the test. */
const builtGuard = fileURLToPath(new URL('./guard.js', import.meta.url))

/** Loaded before a test of which not all is wanted. */
const filter = new URL('./grep.js', import.meta.url).href

/** The last line of a file's summary. */
const summarized = /^ {2}Duration: .*$/m

/** How much of a test's output is kept: the end of it. */
const outputLimit = 256 * 1024

/**
 * Runs one file to its end. It fails if a test fails, if it ends badly or without a summary, if it holds no test, or if
 * it has not ended by itself at a deadline; then it is ended with everything it started.
 */
export async function runFile(run: Run, signal: AbortSignal): Promise<Result> {
  const began = performance.now()
  const { output, ending } = await runProcess(run, signal)
  const summary = summaryOf(output, run.grep !== undefined)
  const problem = ending ?? summary.problem
  return {
    name: relative(run.dist, run.file).replace(/\.js$/, '.ts'),
    passed: summary.passed,
    failed: Math.max(summary.failed, problem === undefined ? 0 : 1),
    skipped: summary.skipped,
    ...(problem === undefined ? {} : { problem }),
    output,
    ms: performance.now() - began,
  }
}

interface Ended {
  readonly output: string
  /** Set unless the process ended by itself with exit code 0. */
  readonly ending?: string
}

/** The test leads a process group, so that whatever it started can be ended with it. */
function runProcess(run: Run, signal: AbortSignal): Promise<Ended> {
  const filtering = { ORCH_TEST_GREP: run.grep ?? '' }
  return new Promise((resolve) => {
    const child = spawn(process.execPath, argumentsOf(run), {
      cwd: run.cwd,
      env: {
        ...process.env,
        ...filtering,
        NODE_DISABLE_COLORS: '1',
        NO_COLOR: '1',
        FORCE_COLOR: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    let killed: string | undefined
    let ending: NodeJS.Timeout | undefined
    const kill = (why: string) => {
      killed = why
      void endGroup(child.pid)
    }
    const keep = (chunk: string) => {
      output = (output + chunk).slice(-outputLimit)
      if (!summarized.test(output)) return
      ending ??= setTimeout(
        () => kill(`did not end within ${run.endingMs / 1000} s of its summary`),
        run.endingMs,
      )
    }
    const timer = setTimeout(
      () => kill(`did not end within ${run.deadlineMs / 1000} s`),
      run.deadlineMs,
    )
    const interrupted = () => kill('was interrupted')
    signal.addEventListener('abort', interrupted, { once: true })
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    child.once('error', (error) => keep(`${error.message}\n`))
    child.once('close', async (code, by) => {
      clearTimeout(timer)
      clearTimeout(ending)
      signal.removeEventListener('abort', interrupted)
      await endGroup(child.pid)
      const bad = killed ?? (code === 0 ? undefined : `ended with ${by ?? `exit code ${code}`}`)
      resolve({ output, ...(bad === undefined ? {} : { ending: bad }) })
    })
  })
}

function argumentsOf({ file, grep, guard = builtGuard }: Run): string[] {
  const before = pathToFileURL(guard).href
  const loaded = grep === undefined ? [before] : [before, filter]
  return ['--enable-source-maps', ...loaded.flatMap((url) => ['--import', url]), file]
}

/** What a program has to take its pods, tables and routes away when it is told to end. */
const tidyMs = 10_000

/** Ends what is left of a group: programs are told to, so that they leave nothing in the machine, and killed if they do not. */
async function endGroup(pid: number | undefined): Promise<void> {
  const until = performance.now() + tidyMs
  for (let isLeft = sent(pid, 'SIGTERM'); isLeft; isLeft = sent(pid, 0)) {
    if (performance.now() > until) return void sent(pid, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** False if the group is gone. */
function sent(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid !== undefined && process.kill(-pid, signal)
  } catch {
    return false
  }
}
