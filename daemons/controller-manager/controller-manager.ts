import { controllerHelp } from '../../runtime/controller-manager/controller-manager.ts'
import { runOnLease } from '../client-daemon/run-on-lease.ts'
import { readDaemonConfiguration } from '../daemon-configuration.ts'
import { printProblems } from '../daemon-flags.ts'
import type { Terminal } from '../run.ts'
import type { ControllerManagerFacts } from './facts.ts'
import { readManagerSettings } from './manager-settings.ts'
import { serveControllers } from './serve-controllers.ts'

/**
 * The controller manager as a program: command line in, exit code out. Prints `ready`, with the address of its port, once its controllers
 * work or wait for their lease. Ends with 0 when it is told to, with 1 if it cannot start or another process has taken its lease. With
 * `--check-config` it says everything that would keep it from starting, and starts nothing.
 */
export async function runControllerManager(
  facts: ControllerManagerFacts,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const read = await readDaemonConfiguration(facts, terminal, controllerHelp(facts.controllers))
  if (read === undefined) return 0
  if (!read.isGood) return 1
  const { options, gates } = read.configuration
  const { daemon } = facts.options
  const { settings, problems, warnings } = await readManagerSettings(facts, read.configuration)
  for (const warning of warnings) terminal.printError(`${daemon}: ${warning}`)
  if (printProblems(daemon, problems, terminal)) return 1
  if (options.boolean('check-config')) return 0
  return runOnLease(daemon, options.number('v'), terminal, (serving) =>
    serveControllers(facts, { settings, gates: gates.on, ...serving }, signal),
  )
}
