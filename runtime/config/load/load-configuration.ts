/** From a command line and the texts that it names to one configuration. */
import type { FeatureGate } from '../../kernel/descriptors/feature-gate.ts'
import type { Option, OptionTable } from '../../kernel/options/option-table.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { FeatureGates, parseGateSwitches } from '../feature-gates.ts'
import { type ConfigSource, readSource } from '../files/config-source.ts'
import { type ConfigFinding, sortedFindings } from '../finding.ts'
import type { CommandLine, Options } from '../flags/options.ts'
import { optionsOf } from '../help/help-and-version.ts'
import { type ConfigValue, followPath, toPlainValue, type ValueLocation } from '../located-value.ts'
import { celRuleFindings } from '../validation/cel-rules.ts'
import { constraintFindings, type SettingSubject } from '../validation/constraints.ts'
import { schemaFindings } from '../validation/schema-findings.ts'
import { settingAt, structConstraintFindings } from '../validation/struct-constraints.ts'
import { flagDefaults, optionLocation, withFlags } from './flag-overrides.ts'
import { merge } from './merge.ts'

/** What a configuration is made of. */
export interface ConfigInput {
  readonly table: OptionTable
  readonly line: CommandLine
  /** The feature gates there are. */
  readonly features: readonly FeatureGate[]
  /** The file first, then fragments in their order. */
  readonly sources: readonly ConfigSource[]
}

/** A configuration with everything that is wrong with it: with findings, nothing is to be started. */
export interface Configuration {
  /** The value of the table's configuration kind, with its defaults; undefined for a table without one. */
  readonly value: unknown
  /** What somebody said, with its places: what is not in it is a default. */
  readonly root: ConfigValue
  readonly options: Options
  readonly gates: FeatureGates
  readonly findings: readonly ConfigFinding[]
  readonly warnings: readonly string[]
}

/**
 * Reads every source on its own, merges them in order, and puts the flags over them: flag, environment, fragments from
 * the last to the first, file, default. Never throws for what the input says.
 */
export async function loadConfiguration(input: ConfigInput): Promise<Configuration> {
  const { table, line, sources, features } = input
  const kind = table.config
  const findings: ConfigFinding[] = [
    ...line.errors.map((message) => ({ place: commandLine, message })),
    ...line.args.map((arg) => ({ place: commandLine, message: `unknown argument: ${arg}` })),
  ]
  let root = flagDefaults(table, line.options)
  for (const source of kind === undefined ? [] : sources) {
    const read = await readSource(kind!, source)
    findings.push(...read.findings)
    if (read.root !== undefined) root = merge(root, read.root, kind!.type)
  }
  root = withFlags(table, root, line.options)
  if (kind !== undefined) {
    const known = new Set(findings.map(({ place }) => place.text))
    findings.push(...schemaFindings(kind, root).filter(({ place }) => !known.has(place.text)))
  }
  if (kind !== undefined) findings.push(...(await celRuleFindings(kind, root, findings.length > 0)))
  const value = kind?.read(toPlainValue(root), createReport())
  const change = gatesOf(table, line.options, value, features)
  findings.push(
    ...change.errors.map(([name, message]) => ({
      place: gatePlace(table, root, line.options, name),
      message,
    })),
    ...(kind === undefined ? [] : structConstraintFindings(kind, root, change.gates)),
    ...flagFindings(table, line.options, { root, value }, change.gates),
  )
  return {
    value,
    root,
    options: line.options,
    gates: change.gates,
    findings: sortedFindings(findings),
    warnings: [...line.warnings, ...change.warnings],
  }
}

const commandLine: ValueLocation = { origin: 'flag', text: 'command line' }

function gateOption(table: OptionTable): Option | undefined {
  return optionsOf(table).find(({ flag }) => flag === 'feature-gates')
}

function gatesOf(
  table: OptionTable,
  options: Options,
  value: unknown,
  features: readonly FeatureGate[],
) {
  const option = gateOption(table)
  const gates = new FeatureGates(features)
  if (option === undefined) return { gates, warnings: [], errors: [] }
  const field = option.field === undefined ? undefined : settingAt(value, option.field)
  const switches =
    option.field === undefined
      ? parseGateSwitches(options.pairs(option.flag))
      : new Map(Object.entries((field ?? {}) as Readonly<Record<string, boolean>>))
  const { errors, ...change } = gates.with(switches)
  return { ...change, errors: [...errors] }
}

function gatePlace(
  table: OptionTable,
  root: ConfigValue,
  options: Options,
  name: string,
): ValueLocation {
  const option = gateOption(table)
  if (option === undefined) return commandLine
  if (option.field === undefined) return optionLocation(option, options)
  const { entry, node } = followPath(root, `${option.field}[${name}]`)
  return entry?.keyAt ?? node.at
}

function flagFindings(
  table: OptionTable,
  options: Options,
  { root, value }: { readonly root: ConfigValue; readonly value: unknown },
  gates: FeatureGates,
): readonly ConfigFinding[] {
  const byFlag = new Map(optionsOf(table).map((option) => [option.flag, option]))
  const subject = (flag: string): SettingSubject => {
    const option = byFlag.get(flag)!
    const { node, complete: whole } = followPath(root, option.field ?? '')
    const place = option.field === undefined ? optionLocation(option, options) : node.at
    const said = whole && place.origin !== 'default' ? { place } : {}
    const told = option.field === undefined ? options.value(flag) : settingAt(value, option.field)
    return { name: `--${flag}`, value: told, ...said }
  }
  return (table.constraints ?? []).flatMap((each) => constraintFindings(each, subject, gates))
}
