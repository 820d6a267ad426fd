/** What every daemon does before it starts: read its flags, answer those that only ask, and say what is wrong. */
import {
  FeatureGates,
  helpRequested,
  type Options,
  parseGateSwitches,
  parseOptions,
  versionRequested,
} from '../runtime/config/config.ts'
import type { FeatureGate } from '../runtime/kernel/descriptors/feature-gate.ts'
import type { OptionTable } from '../runtime/kernel/options/option-table.ts'
import type { Terminal } from './run.ts'
import { packageVersion } from './version.ts'

/** The generated facts that a daemon reads its flags by. */
export interface DaemonFacts {
  readonly options: OptionTable
  readonly features: readonly FeatureGate[]
}

/** What the flags say that all daemons have. With problems, the daemon must not start. */
export interface DaemonFlags {
  readonly options: Options
  readonly gates: ReturnType<FeatureGates['with']>
  readonly problems: readonly string[]
}

/**
 * Reads the flags and prints warnings about them. Undefined if the flags asked for help or for the version, which is then
 * printed: the daemon is done.
 */
export function readDaemonFlags(
  { options: table, features }: DaemonFacts,
  terminal: Terminal,
): DaemonFlags | undefined {
  const { options, args, warnings, errors } = parseOptions(table, terminal.args)
  const requested =
    helpRequested(table, options, terminal.width, features) ??
    versionRequested(table.daemon, options, packageVersion())
  if (requested !== undefined) {
    terminal.print(requested)
    return undefined
  }
  const gates = new FeatureGates(features).with(parseGateSwitches(options.pairs('feature-gates')))
  for (const warning of [...warnings, ...gates.warnings]) terminal.printError(warning)
  const problems = [
    ...errors,
    ...args.map((arg) => `unknown argument: ${arg}`),
    ...[...gates.errors.values()].map((error) => `--feature-gates: ${error}`),
  ]
  return { options, gates, problems }
}

/** Prints what keeps a daemon from starting. True if there is anything. */
export function printProblems(
  daemon: string,
  problems: readonly string[],
  terminal: Terminal,
): boolean {
  for (const problem of problems) terminal.printError(`${daemon}: ${problem}`)
  if (problems.length > 0) terminal.printError(`run ${daemon} --help to see all flags`)
  return problems.length > 0
}
