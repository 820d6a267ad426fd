import type { Configuration } from '../../runtime/config/config.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import { createLogger } from '../../runtime/observe/observe.ts'
import { runOnLease } from '../client-daemon/run-on-lease.ts'
import { readDaemonConfiguration } from '../daemon-configuration.ts'
import { printProblems } from '../daemon-flags.ts'
import type { Terminal } from '../run.ts'
import { certificateFolderOf, readAgentSettings } from './agent-settings.ts'
import type { AgentDaemonFacts } from './facts.ts'
import { type Setup, serveAgent } from './serve-agent.ts'

/**
 * The node agent as a program: command line in, exit code out. Prints `ready` and the name of its node once it runs pods. Ends with 0 when it is told to, and without `endsPods` leaves
 * containers running; with 1 if it cannot start. With `--check-config` it says everything that would keep it from starting, and starts
 * nothing.
 */
export async function runOrchlet(
  facts: AgentDaemonFacts,
  terminal: Terminal,
  signal: AbortSignal,
  { endsPods = false, onRuntime }: Partial<Pick<Setup, 'endsPods' | 'onRuntime'>> = {},
): Promise<number> {
  const read = await readDaemonConfiguration(facts, terminal)
  if (read === undefined) return 0
  if (!read.isGood) return 1
  const { options } = read.configuration
  const { daemon } = facts.options
  if (!(await bootstrapFirst(facts, read.configuration, terminal, signal))) return 1
  const { settings, problems, warnings } = await readAgentSettings(facts, read.configuration)
  for (const warning of warnings) terminal.printError(`${daemon}: ${warning}`)
  if (printProblems(daemon, problems, terminal)) return 1
  if (options.boolean('check-config')) return 0
  return runOnLease(daemon, options.number('v'), terminal, (serving) =>
    serveAgent(facts, { settings, endsPods, onRuntime, ...serving }, signal),
  )
}

/** Gets the certificate of the node where the flags say how; false if that cannot be. */
async function bootstrapFirst(
  { platform: own, options: { daemon } }: AgentDaemonFacts,
  { options }: Configuration,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  const bootstrapFile = options.string(`bootstrap-${own.prefix}config`)
  if (bootstrapFile === '' || options.boolean('check-config')) return true
  const file = options.string(`${own.prefix}config`)
  if (file === '') {
    const why = `--bootstrap-${own.prefix}config: say with --${own.prefix}config where the connection is to be written`
    return !printProblems(daemon, [why], terminal)
  }
  const { bootstrapNode } = await import('./bootstrap.ts')
  const log = await createLogger({
    level: 'info',
    write: (line) => terminal.printError(line.trimEnd()),
  })
  try {
    const nodeName = options.string('hostname-override')
    const certificateFolder = certificateFolderOf(options)
    await bootstrapNode({ file, bootstrapFile, nodeName, certificateFolder, own, log }, signal)
    return !signal.aborted
  } catch (error) {
    return !printProblems(daemon, [errorText(error)], terminal)
  }
}
