/** How a daemon with a configuration file reads it, with its flags and environment over it. */
import {
  type Configuration,
  configFiles,
  helpRequested,
  parseOptions,
  versionRequested,
} from '../runtime/config/config.ts'
import type { DaemonFacts } from './daemon-flags.ts'
import type { Terminal } from './run.ts'
import { packageVersion } from './version.ts'

/** What a daemon was told, and whether it may start with it. */
export interface DaemonConfiguration {
  readonly configuration: Configuration
  /** False if there are findings, which are printed. */
  readonly isGood: boolean
}

/**
 * Reads flags, environment, configuration file and fragments, and prints warnings and findings. Undefined if the flags asked for help or for
 * the version, which is then printed: the daemon is done. `more` is a section of the help.
 */
export async function readDaemonConfiguration(
  { options: table, features }: DaemonFacts,
  terminal: Terminal,
  more = '',
): Promise<DaemonConfiguration | undefined> {
  const commandLine = parseOptions(table, terminal.args, terminal.environment)
  const { options } = commandLine
  const requested =
    helpRequested(table, options, terminal.width, features, more) ??
    versionRequested(table.daemon, options, packageVersion())
  if (requested !== undefined) {
    terminal.print(requested)
    return undefined
  }
  const { readConfigFiles, loadConfiguration, formatFindings } = await configFiles()
  const { sources, findings, warnings } = await readConfigFiles(table, options)
  const configuration = await loadConfiguration({ table, commandLine, features, sources })
  const all = [...findings, ...configuration.findings]
  for (const warning of [...warnings, ...configuration.warnings]) terminal.printError(warning)
  for (const text of formatFindings(all, sources)) terminal.printError(text)
  if (all.length > 0) terminal.printError(`run ${table.daemon} --help to see all flags`)
  return { configuration, isGood: all.length === 0 }
}
