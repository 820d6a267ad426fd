import { OperatorError } from '../runtime/kernel/errors/operator-error.ts'

/** What a program sees of its process. No other file of the daemons touches `process`. */
export interface Terminal {
  /** The words after the program's name. */
  readonly args: readonly string[]
  /** The variables of the environment. */
  readonly environment: Environment
  /** The columns of help and messages. */
  readonly width: number
  /** Writes one line to standard output. */
  print(line: string): void
  /** Writes one line to standard error. */
  printError(line: string): void
}

/** Variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A program: ends when it has nothing more to do or its signal aborts, and resolves to its exit code. */
export type Program = (terminal: Terminal, signal: AbortSignal) => Promise<number>

/**
 * Runs a program until it ends. SIGINT, SIGTERM and SIGHUP abort its signal; a second one ends the process at once. What a
 * program throws is printed and makes the exit code 1.
 */
export async function run(program: Program): Promise<void> {
  const stop = new AbortController()
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(130)
    stop.abort()
  }
  for (const signal of stopSignals) process.on(signal, interrupt)
  process.stdout.on('error', ignoreClosedPipe)
  process.stderr.on('error', ignoreClosedPipe)
  try {
    process.exitCode = await program(terminal(), stop.signal)
  } catch (error) {
    console.error(textOf(error))
    process.exitCode = 1
  } finally {
    for (const signal of stopSignals) process.off(signal, interrupt)
  }
}

/** A defect is looked for by its stack; what is for the operator says all there is. */
function textOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return error instanceof OperatorError ? error.message : (error.stack ?? error.message)
}

/** What stops a program in order; SIGHUP comes when its terminal closes. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function terminal(): Terminal {
  return {
    args: process.argv.slice(2),
    environment: process.env,
    width: Math.min(process.stdout.columns ?? 100, 120),
    print: (line) => console.log(line),
    printError: (line) => console.error(line),
  }
}

/** A reader that goes away (`orch-apiserver | head`) is no reason to stop serving. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
