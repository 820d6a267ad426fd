import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { summaryOf } from './summary.ts'

/** Where and within which bounds test files run. */
export interface Bounds {
  /** Where the built files are. */
  readonly dist: string
  /** The folder that the tests run in. */
  readonly cwd: string
  /** Loaded before the tests, in place of the guard among the built files. */
  readonly guard?: string
  readonly deadlineMs: number
  /** How long a process may take to end after its last summary: a program that a failed test left running keeps it alive. */
  readonly endingMs: number
}

/** One test file to run. */
export interface Run extends Bounds {
  readonly file: string
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
  let output = ''
  const tell = (chunk: string) => {
    output = (output + chunk).slice(-outputLimit)
    return summarized.test(output)
  }
  const ending = await runProcess(run, argumentsOf(run), tell, signal)
  return resultOf(run, output, ending, began)
}

/**
 * Runs files in one process, one after another, and tells each result when it is there. What makes the process end early fails the
 * file that ran; those after it then run in processes of their own. What keeps it from ending is told of the last one.
 */
export async function runTogether(
  run: Bounds & { readonly files: readonly string[] },
  signal: AbortSignal,
  told: (result: Result) => void,
): Promise<void> {
  const end = `end of ${randomUUID()}`
  const left = [...run.files]
  let [output, began] = ['', performance.now()]
  let last: (() => Result) | undefined
  const tell = (chunk: string) => {
    const [first = '', ...others] = (output + chunk).split(`\n${end}\n`)
    output = first
    for (const next of others) {
      const one = { ...run, file: left.shift()! }
      const [text, since] = [output, began]
      if (left.length > 0) told(resultOf(one, text, undefined, since))
      else last = () => resultOf(one, text, ending, since)
      output = next
      began = performance.now()
    }
    output = output.slice(-outputLimit)
    return left.length === 0
  }
  const together = fileURLToPath(new URL('./together.js', import.meta.url))
  const ending = await runProcess(run, [...before(run), together, end, ...run.files], tell, signal)
  if (last !== undefined) return told(last())
  told(resultOf({ ...run, file: left.shift()! }, output, ending ?? 'ended too early', began))
  for (const file of left) told(await runFile({ ...run, file }, signal))
}

function resultOf(
  { dist, file, grep }: Run,
  output: string,
  ending: string | undefined,
  began: number,
): Result {
  const summary = summaryOf(output, grep !== undefined)
  const problem = ending ?? summary.problem
  return {
    name: relative(dist, file).replace(/\.js$/, '.ts'),
    passed: summary.passed,
    failed: Math.max(summary.failed, problem === undefined ? 0 : 1),
    skipped: summary.skipped,
    ...(problem === undefined ? {} : { problem }),
    output,
    ms: performance.now() - began,
  }
}

/**
 * Runs a process that leads a group, so that whatever it started can be ended with it. `tell` takes what it prints and says whether
 * that is all it has to. Returns why it failed, unless it ended by itself with exit code 0.
 */
function runProcess(
  { cwd, deadlineMs, endingMs, grep = '' }: Bounds & { readonly grep?: string },
  args: readonly string[],
  tell: (chunk: string) => boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: {
        ...process.env,
        ORCH_TEST_GREP: grep,
        NODE_DISABLE_COLORS: '1',
        NO_COLOR: '1',
        FORCE_COLOR: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let killed: string | undefined
    let ending: NodeJS.Timeout | undefined
    const kill = (why: string) => {
      killed = why
      void endGroup(child.pid)
    }
    const keep = (chunk: string) => {
      if (!tell(chunk)) return
      ending ??= setTimeout(
        () => kill(`did not end within ${endingMs / 1000} s of its summary`),
        endingMs,
      )
    }
    const timer = setTimeout(() => kill(`did not end within ${deadlineMs / 1000} s`), deadlineMs)
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
      resolve(killed ?? (code === 0 ? undefined : `ended with ${by ?? `exit code ${code}`}`))
    })
  })
}

function argumentsOf(run: Run): readonly string[] {
  return [...before(run), ...(run.grep === undefined ? [] : ['--import', filter]), run.file]
}

/** What every process of tests gets. */
function before({ guard = builtGuard }: Bounds): readonly string[] {
  return ['--enable-source-maps', '--import', pathToFileURL(guard).href]
}

/** What a program has to take its pods, tables and routes away when it is told to end. */
const tidyMs = 3000

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
