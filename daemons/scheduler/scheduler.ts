import { runOnLease } from '../client-daemon/run-on-lease.ts'
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
  const { options, gates } = flags
  const { settings, problems, warnings } = await readSchedulerSettings(facts, options)
  for (const warning of warnings) terminal.printError(`${daemon}: ${warning}`)
  if (printProblems(daemon, [...flags.problems, ...problems], terminal)) return 1
  return runOnLease(daemon, options.number('v'), terminal, (serving) =>
    serveScheduler(facts, { settings, gates: gates.gates.on, ...serving }, signal),
  )
}
