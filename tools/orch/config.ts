/** `orch config`: checks and explains the configuration of a daemon, whether the daemon runs here or not. */
import type { Environment, Terminal } from '../../daemons/run.ts'
import { configKinds } from '../../generated/config.ts'
import { features } from '../../generated/features.ts'
import { optionTables } from '../../generated/options.ts'
import {
  type ConfigFilesRead,
  type ConfigFinding,
  type ConfigSource,
  type Configuration,
  configFiles,
  FeatureGates,
  parseOptions,
} from '../../runtime/config/config.ts'
import type { OptionTable } from '../../runtime/kernel/options/option-table.ts'
import { nearestName } from '../../runtime/kernel/values/spelling.ts'

const {
  checkReferencedFiles: checkHeld,
  checkDeclaredKind: checkNamed,
  configTemplate,
  explain,
  declaredKindOf: kindNamed,
  loadConfiguration,
  printExplained,
  formatFindings: printFindings,
  readConfigFile,
  readConfigFiles,
} = await configFiles()

const help = `Checks and explains configurations.

Usage:
  orch config check DAEMON [flags of the daemon]     reports everything that is wrong with the flags of a daemon
  orch config check FILE...                          says everything that is wrong with configuration files of any kind
  orch config explain DAEMON [flags of the daemon]   prints every effective value, and where it comes from
  orch config init DAEMON                            prints a whole configuration file with every default

Daemons: ${Object.keys(optionTables).join(', ')}.
Exit codes: 0 nothing is wrong, 1 something is, 2 the command line is wrong.`

/** Runs the command. */
export async function runConfig(terminal: Terminal): Promise<number> {
  const [verb = '--help', subject, ...args] = terminal.args
  const wantsHelp = subject === '--help' || subject === '-h'
  if (wantsHelp || ['--help', '-h', 'help'].includes(verb)) {
    terminal.print(help)
    return terminal.args.length === 0 ? 2 : 0
  }
  if (!['check', 'explain', 'init'].includes(verb)) {
    return misuse(terminal, `unknown command: ${verb}${near(verb, ['check', 'explain', 'init'])}`)
  }
  if (subject === undefined) return misuse(terminal, `${verb} needs the name of a daemon`)
  const load = Object.hasOwn(optionTables, subject) ? optionTables[subject] : undefined
  if (load === undefined && verb === 'check') return checkFiles(terminal, [subject, ...args])
  if (load === undefined) {
    return misuse(terminal, `unknown daemon: ${subject}${near(subject, Object.keys(optionTables))}`)
  }
  const table = await load()
  if (verb === 'init') return init(terminal, table)
  return verb === 'check' ? check(terminal, table, args) : explained(terminal, table, args)
}

/** Prints a file with every default, for a daemon to start with. */
async function init(terminal: Terminal, { config, daemon }: OptionTable): Promise<number> {
  if (config === undefined) return misuse(terminal, `${daemon} has no configuration file`)
  terminal.print(configTemplate(config).trimEnd())
  return 0
}

/** Checks the flags of a daemon with the files that they name; a daemon without configuration files checks itself. */
async function check(terminal: Terminal, table: OptionTable, args: readonly string[]) {
  if (table.config === undefined) return checkItself(terminal, table, args)
  const { configuration, sources } = await configurationOf(table, args, terminal.environment)
  return report(terminal, configuration.findings, configuration.warnings, sources)
}

/** The daemon itself checks its flags: it refuses more than their types do. */
async function checkItself(terminal: Terminal, options: OptionTable, args: readonly string[]) {
  const { runApiServer: apiServer } = await import('../../daemons/apiserver/apiserver.ts')
  const { scheme } = await import('../../generated/scheme.ts')
  const checking = { ...terminal, args: ['--check-config', ...args] }
  return apiServer({ options, features, configKinds, scheme }, checking, AbortSignal.abort())
}

async function explained(terminal: Terminal, table: OptionTable, args: readonly string[]) {
  const { configuration, sources } = await configurationOf(table, args, terminal.environment)
  const code = report(terminal, configuration.findings, configuration.warnings, sources)
  const { withPositions: locate } = await import('./config-positions.ts')
  terminal.print(printExplained(explain(table, configuration, await locate())))
  return code
}

async function configurationOf(
  table: OptionTable,
  args: readonly string[],
  environment: Environment,
): Promise<{ configuration: Configuration; sources: readonly ConfigSource[] }> {
  const line = parseOptions(table, args, environment)
  const { sources, findings, warnings } = await readConfigFiles(table, line.options)
  const configuration = await loadConfiguration({ table, commandLine: line, features, sources })
  const held = await checkHeld(table, line.options, configKinds, configuration.gates)
  const all = [...findings, ...configuration.findings, ...held.findings]
  return {
    configuration: {
      ...configuration,
      findings: all,
      warnings: [...warnings, ...configuration.warnings],
    },
    sources: [...sources, ...held.sources],
  }
}

/** Checks files of any kind of configuration, each by the kind that it names itself. */
async function checkFiles(terminal: Terminal, files: readonly string[]): Promise<number> {
  const checked = await Promise.all(files.map(checkFile))
  const codes = checked.map(({ findings, sources }) => report(terminal, findings, [], sources))
  const daemons = Object.keys(optionTables)
  for (const name of files.filter((_, index) => checked[index]?.sources.length === 0)) {
    const near = nearestName(name, daemons)
    if (near !== undefined) terminal.printError(`did you mean the daemon ${near}?`)
  }
  return Math.max(...codes)
}

async function checkFile(name: string): Promise<ConfigFilesRead> {
  const { sources, findings } = await readConfigFile(name, 'file', { origin: 'file', text: '' })
  const found = await Promise.all(sources.map(checkSourceAlone))
  return { sources, findings: [...findings, ...found.flat()] }
}

/** A daemon's file switches gates itself; of other kinds all gates are as they are by default. */
async function checkSourceAlone(source: ConfigSource): Promise<readonly ConfigFinding[]> {
  const named = await kindNamed(source)
  const tables = await Promise.all(Object.values(optionTables).map((load) => load()))
  const table = tables.find(
    ({ config }) => config !== undefined && named === `${config.apiVersion}/${config.kind}`,
  )
  if (table === undefined) return checkNamed(configKinds, source, new FeatureGates(features))
  const line = parseOptions(table, [])
  const { findings } = await loadConfiguration({
    table,
    commandLine: line,
    features,
    sources: [source],
  })
  return findings
}

/** What is wrong with the text of a daemon's configuration file. */
export async function configFindings({ name, text }: Omit<ConfigSource, 'origin'>) {
  const found = await checkSourceAlone({ name, text, origin: 'file' })
  return found.map(({ message, location: { position } }) => ({
    message,
    ...(position && { line: position.line, column: position.column }),
  }))
}

/** Prints warnings and findings, these with their places. 1 if there are findings. */
function report(
  terminal: Terminal,
  findings: readonly ConfigFinding[],
  warnings: readonly string[],
  sources: readonly ConfigSource[],
): number {
  for (const warning of warnings) terminal.printError(warning)
  for (const text of printFindings(findings, sources)) terminal.printError(text)
  return findings.length === 0 ? 0 : 1
}

/** 2: the command line is wrong. */
function misuse(terminal: Terminal, problem: string): number {
  terminal.printError(`orch config: ${problem}\nrun orch config --help to see how it is used`)
  return 2
}

/** `, did you mean x?` where a known name is near. */
function near(name: string, names: readonly string[]): string {
  const found = nearestName(name, names)
  return found === undefined ? '' : `, did you mean ${found}?`
}
