/** From a command line and the texts that it names to one configuration. */
import type { FeatureGate } from '../../kernel/descriptors/feature-gate.ts'
import type { ConfigKind } from '../../kernel/options/config-kind.ts'
import { type OptionTable, optionsOf } from '../../kernel/options/option-table.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'
import { type ConfigSource, readSource } from '../files/config-source.ts'
import { flagDefaults, optionLocation, withFlags } from '../flags/flag-overrides.ts'
import type { CommandLine, Options } from '../flags/options.ts'
import type { FeatureGates } from '../gates/feature-gates.ts'
import { commandLineLocation, configuredGates } from '../gates/gate-settings.ts'
import { celRuleFindings } from '../validation/cel-rules.ts'
import { constraintFindings } from '../validation/constraints.ts'
import { schemaFindings } from '../validation/schema-findings.ts'
import type { SettingSubject } from '../validation/setting-subject.ts'
import { structConstraintFindings } from '../validation/struct-constraints.ts'
import { type ConfigFinding, sortedFindings } from '../value/finding.ts'
import { type ConfigValue, followPath, toPlainValue } from '../value/located-value.ts'
import { merge } from '../value/merge.ts'

/** What a configuration is made of. */
export interface ConfigInput {
  /** The options of the program, and the kind of its configuration file. */
  readonly table: OptionTable
  /** As `parseOptions` gives it. */
  readonly commandLine: CommandLine
  /** The feature gates that exist. */
  readonly features: readonly FeatureGate[]
  /** The file first, then fragments in their order. */
  readonly sources: readonly ConfigSource[]
}

/** A configuration with everything that is wrong with it. If there are findings, nothing should be started with it. */
export interface Configuration {
  /** The value of the table's configuration kind, with its defaults; undefined for a table without one. */
  readonly value: unknown
  /** What files, fragments, environment and flags set, with locations: what is not in it is a default. */
  readonly root: ConfigValue
  /** The options of the command line and the environment. */
  readonly options: Options
  /** The feature gates as the configuration sets them. */
  readonly gates: FeatureGates
  /** Sorted by location. */
  readonly findings: readonly ConfigFinding[]
  /** For the operator's log: deprecated flags and gates. */
  readonly warnings: readonly string[]
}

/**
 * Loads a configuration. The order of precedence is: flag, environment, fragments from the last to the first, file,
 * default. Every source is checked on its own before they are merged. Never throws for what the input says.
 */
export async function loadConfiguration(input: ConfigInput): Promise<Configuration> {
  const { table, commandLine, features } = input
  const { options, warnings } = commandLine
  const kind = table.config
  const merged = await mergeSources(input)
  const { root } = merged
  const findings = [
    ...commandLineFindings(commandLine),
    ...merged.findings,
    ...(kind === undefined ? [] : await valueFindings(kind, merged)),
  ]
  const value = kind?.read(toPlainValue(root), createReport())
  const gates = configuredGates(table, { root, value, options }, features)
  findings.push(
    ...gates.findings,
    ...(kind === undefined ? [] : structConstraintFindings(kind, root, gates.gates)),
    ...flagFindings(table, { root, value, options }, gates.gates),
  )
  return {
    value,
    root,
    options,
    gates: gates.gates,
    findings: sortedFindings(findings),
    warnings: [...warnings, ...gates.warnings],
  }
}

/** Mistakes of the command line, and arguments, of which daemons take none. */
function commandLineFindings({ errors, args }: CommandLine): readonly ConfigFinding[] {
  const messages = [...errors, ...args.map((arg) => `unknown argument: ${arg}`)]
  return messages.map((message) => ({ location: commandLineLocation, message }))
}

/** The merged value, and what is wrong with single sources. */
interface MergedSources {
  readonly root: ConfigValue
  readonly findings: readonly ConfigFinding[]
}

/** The sources in their order, over the defaults of flags and under what flags and the environment set. */
async function mergeSources({ table, commandLine, sources }: ConfigInput): Promise<MergedSources> {
  const { options } = commandLine
  const kind = table.config
  const findings: ConfigFinding[] = []
  let root = flagDefaults(table, options)
  for (const source of kind === undefined ? [] : sources) {
    const content = await readSource(kind!, source)
    findings.push(...content.findings)
    if (content.root !== undefined) root = merge(root, content.root, kind!.type)
  }
  return { root: withFlags(table, root, options), findings }
}

/** What is wrong with the merged value, but for what its source was blamed for already. */
async function valueFindings(
  kind: ConfigKind,
  { root, findings }: MergedSources,
): Promise<readonly ConfigFinding[]> {
  const known = new Set(findings.map(({ location }) => location.text))
  const schema = schemaFindings(kind, root).filter(({ location }) => !known.has(location.text))
  const malformed = findings.length + schema.length > 0
  return [...schema, ...(await celRuleFindings(kind, root, malformed))]
}

/** A value with its defaults, what was set of it, and the options of the command line. */
interface Settings {
  readonly root: ConfigValue
  readonly value: unknown
  readonly options: Options
}

/** What is wrong by the constraints between flags. */
function flagFindings(
  table: OptionTable,
  { root, value, options }: Settings,
  gates: FeatureGates,
): readonly ConfigFinding[] {
  const byFlag = new Map(optionsOf(table).map((option) => [option.flag, option]))
  const subject = (flag: string): SettingSubject => {
    const option = byFlag.get(flag)!
    const { field } = option
    const { node, complete } = followPath(root, field ?? '')
    const location = field === undefined ? optionLocation(option, options) : node.at
    const set = complete && location.origin !== 'default'
    return {
      name: `--${flag}`,
      value: field === undefined ? options.value(flag) : valueAtPath(value, field),
      ...(set && { location }),
    }
  }
  return (table.constraints ?? []).flatMap((each) => constraintFindings(each, subject, gates))
}
