import { keepAlive } from '../../runtime/kernel/async/clock.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import { createAdjustableLog } from '../../runtime/observe/observe.ts'
import { collectEarly } from '../collection.ts'
import { printProblems, readDaemonFlags } from '../daemon-flags.ts'
import type { Terminal } from '../run.ts'
import type { SchedulerFacts } from './facts.ts'
import { readSchedulerSettings } from './scheduler-settings.ts'
import { serveScheduler } from './serve-scheduler.ts'

/**
 * The scheduler as a program: command line in, exit code out. Prints `ready`, with the address of its port, once it knows the cluster. Ends
 * with 0 when it is told to, with 1 if it cannot start or another process has taken its lease.
 */
export async function runScheduler(
  facts: SchedulerFacts,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const flags = readDaemonFlags(facts, terminal)
  if (flags === undefined) return 0
  const { daemon } = facts.options
  const { options } = flags
  const { settings, problems, warnings } = await readSchedulerSettings(facts, options)
  for (const warning of warnings) terminal.printError(`${daemon}: ${warning}`)
  if (printProblems(daemon, [...flags.problems, ...problems], terminal)) return 1
  const write = (line: string): void => terminal.printError(line.trimEnd())
  const log = await createAdjustableLog(options.number('v'), write)
  collectEarly()
  const release = keepAlive()
  try {
    const print = (line: string): void => terminal.print(line)
    const end = await serveScheduler(facts, { settings, log, print }, signal)
    if (end === 'lease lost') terminal.printError(`${daemon}: the lease is lost`)
    return end === 'stopped' ? 0 : 1
  } catch (error) {
    terminal.printError(`${daemon}: ${errorText(error)}`)
    return 1
  } finally {
    release()
  }
}
