/** `orch config`: checks and explains the configuration of a daemon, whether the daemon runs here or not. */
import { readFile } from 'node:fs/promises'
import type { Environment, Terminal } from '../../daemons/run.ts'
import { configKinds } from '../../generated/config.ts'
import { features } from '../../generated/features.ts'
import { optionTables } from '../../generated/options.ts'
import {
  type ConfigFinding,
  type ConfigSource,
  type Configuration,
  configFiles,
  FeatureGates,
  parseOptions,
} from '../../runtime/config/config.ts'
import { nearest } from '../../runtime/kernel/nearest.ts'
import type { OptionTable } from '../../runtime/kernel/options.ts'

const {
  checkSource,
  configTemplate,
  explain,
  loadConfiguration,
  printExplained,
  printFinding,
  readConfigFiles,
} = await configFiles()

const help = `Checks and explains configurations.

Usage:
  orch config check DAEMON [flags of the daemon]     says everything that is wrong with what the daemon would be told
  orch config check FILE...                          says everything that is wrong with configuration files of any kind
  orch config explain DAEMON [flags of the daemon]   prints every effective value, and where it comes from
  orch config init DAEMON                            prints a whole configuration file with every default

Daemons: ${Object.keys(optionTables).join(', ')}.
Exit codes: 0 nothing is wrong, 1 something is, 2 the command line is wrong.`

/** Runs the command. */
export async function runConfig(terminal: Terminal): Promise<number> {
  const [verb = '--help', subject, ...args] = terminal.args
  const asked = subject === '--help' || subject === '-h'
  if (asked || ['--help', '-h', 'help'].includes(verb)) {
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

async function init(terminal: Terminal, { config, daemon }: OptionTable): Promise<number> {
  if (config === undefined) return misuse(terminal, `${daemon} has no configuration file`)
  terminal.print(configTemplate(config).trimEnd())
  return 0
}

async function check(terminal: Terminal, table: OptionTable, args: readonly string[]) {
  const { configuration, sources } = await configurationOf(table, args, terminal.environment)
  return report(terminal, configuration.findings, configuration.warnings, sources)
}

async function explained(terminal: Terminal, table: OptionTable, args: readonly string[]) {
  const { configuration, sources } = await configurationOf(table, args, terminal.environment)
  const code = report(terminal, configuration.findings, configuration.warnings, sources)
  const { locate } = await import('./config-places.ts')
  terminal.print(printExplained(explain(table, configuration, await locate())))
  return code
}

async function configurationOf(
  table: OptionTable,
  args: readonly string[],
  environment: Environment,
): Promise<{ configuration: Configuration; sources: readonly ConfigSource[] }> {
  const line = parseOptions(table, args, environment)
  const { sources, findings } = await readConfigFiles(table, line.options)
  const configuration = await loadConfiguration({ table, line, features, sources })
  return {
    configuration: { ...configuration, findings: [...findings, ...configuration.findings] },
    sources,
  }
}

/** Checks files of any kind of configuration, each by the kind that it names itself. */
async function checkFiles(terminal: Terminal, files: readonly string[]): Promise<number> {
  let code = 0
  for (const name of files) {
    let text: string
    try {
      text = await readFile(name, 'utf8')
    } catch {
      const hint = near(name, Object.keys(optionTables))
      return misuse(terminal, `${name}: no daemon and no file that can be read${hint}`)
    }
    const { findings, source } = await checkText(name, text)
    code = Math.max(code, report(terminal, findings, [], [source]))
  }
  return code
}

async function checkText(name: string, text: string) {
  const source: ConfigSource = { name, text, origin: 'file' }
  const key = `${headOf(text, 'apiVersion')}/${headOf(text, 'kind')}`
  const load = Object.hasOwn(configKinds, key) ? configKinds[key] : undefined
  if (load !== undefined) {
    return { source, findings: await checkSource(await load(), source, new FeatureGates(features)) }
  }
  const message = `no configuration has the apiVersion and kind ${key}${near(key, Object.keys(configKinds))}`
  const place = { origin: 'file', text: name } as const
  return { source, findings: [{ place, message }] }
}

/** The value of a top-level key of a YAML or JSON text, as far as it is needed to find the kind. */
function headOf(text: string, key: string): string {
  return (
    new RegExp(`^[{,\\s]*["']?${key}["']?:[ \\t]*["']?([^"',}\\s]*)`, 'm').exec(text)?.[1] ?? ''
  )
}

function report(
  terminal: Terminal,
  findings: readonly ConfigFinding[],
  warnings: readonly string[],
  sources: readonly ConfigSource[],
): number {
  const texts = new Map(sources.map(({ name, text }) => [name, Buffer.from(text).toString()]))
  for (const warning of warnings) terminal.complain(warning)
  for (const finding of findings) {
    terminal.complain(printFinding(finding, (file) => texts.get(file)))
  }
  return findings.length === 0 ? 0 : 1
}

function misuse(terminal: Terminal, problem: string): number {
  terminal.complain(`orch config: ${problem}\nrun orch config --help to see how it is used`)
  return 2
}

function near(name: string, names: readonly string[]): string {
  const found = nearest(name, names)
  return found === undefined ? '' : `, did you mean ${found}?`
}
