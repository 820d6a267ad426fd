import { type LeaseTiming, leaseTiming } from '../../runtime/election/election.ts'
import { keepAlive } from '../../runtime/kernel/async/clock.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import { type AdjustableLog, createAdjustableLog } from '../../runtime/observe/observe.ts'
import { collectEarly } from '../collection.ts'
import type { Terminal } from '../run.ts'

/** What a daemon that serves is given. */
export interface Serving {
  readonly log: AdjustableLog
  /** Writes one line to standard output. */
  readonly print: (line: string) => void
}

/**
 * How much the memory of such a daemon grows between collections, in percent. Most of it are caches, which stay: with 10,000 pods of 100
 * deployments the controller manager takes 190 MB at this value and 284 MB at 130, for a fiftieth more processor time.
 */
const growth = 35

/** Runs what a daemon serves until it ends. Gives the exit code: 0 if it was told to end, 1 if it cannot start or its lease is lost. */
export async function runOnLease(
  daemon: string,
  verbosity: number,
  terminal: Terminal,
  serve: (serving: Serving) => Promise<'stopped' | 'lease lost'>,
): Promise<number> {
  const log = await createAdjustableLog(verbosity, (line) => terminal.printError(line.trimEnd()))
  collectEarly(growth)
  const release = keepAlive()
  try {
    const end = await serve({ log, print: (line) => terminal.print(line) })
    if (end === 'lease lost') terminal.printError(`${daemon}: the lease is lost`)
    return end === 'stopped' ? 0 : 1
  } catch (error) {
    terminal.printError(`${daemon}: ${errorText(error)}`)
    return 1
  } finally {
    release()
  }
}

/** What `--leader-elect-*` say of a lease. */
export interface NamedLease extends LeaseTiming {
  readonly name: string
  readonly namespace: string
}

/** What is wrong with a lease that `--leader-elect-*` name. */
export function leaseProblems({ name, namespace, ...timing }: NamedLease): readonly string[] {
  return [
    ...(name === '' ? ['--leader-elect-resource-name: a lease has to have a name'] : []),
    ...(namespace === '' ? ['--leader-elect-resource-namespace: a lease is in a namespace'] : []),
    ...timingProblems(timing),
  ]
}

function timingProblems(timing: LeaseTiming): readonly string[] {
  try {
    leaseTiming(timing)
    return []
  } catch (error) {
    return [`--leader-elect-lease-duration, -renew-deadline, -retry-period: ${errorText(error)}`]
  }
}
