import type { FeatureGate } from '../../kernel/descriptors/feature-gate.ts'
import { type Option, type OptionTable, optionsOf } from '../../kernel/options/option-table.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'
import { optionLocation } from '../flags/flag-overrides.ts'
import type { Options } from '../flags/options.ts'
import type { ConfigFinding } from '../value/finding.ts'
import { type ConfigValue, followPath, type ValueLocation } from '../value/located-value.ts'
import { FeatureGates, parseGateSwitches } from './feature-gates.ts'

/** The location of what no single flag is to blame for. */
export const commandLineLocation: ValueLocation = { origin: 'flag', text: 'command line' }

/** The gates of a program as its configuration sets them. */
export interface ConfiguredGates {
  readonly gates: FeatureGates
  readonly findings: readonly ConfigFinding[]
  readonly warnings: readonly string[]
}

/** Sets the gates by the flag `--feature-gates` or, where it has one, by its field; a program without it has the defaults. */
export function configuredGates(
  table: OptionTable,
  { root, value, options }: { root: ConfigValue; value: unknown; options: Options },
  features: readonly FeatureGate[],
): ConfiguredGates {
  const option = optionsOf(table).find(({ flag }) => flag === 'feature-gates')
  const defaults = new FeatureGates(features)
  if (option === undefined) return { gates: defaults, findings: [], warnings: [] }
  const { gates, warnings, errors } = defaults.with(switchesOf(option, value, options))
  const findings = [...errors].map(([name, message]) => ({
    location: gateLocation(option, root, options, name),
    message,
  }))
  return { gates, findings, warnings }
}

/** What the flag or its field switches. Their values were checked before. */
function switchesOf(
  { field, flag }: Option,
  value: unknown,
  options: Options,
): ReadonlyMap<string, boolean> {
  if (field === undefined) return parseGateSwitches(options.pairs(flag))
  const switches = valueAtPath(value, field) ?? {}
  return new Map(Object.entries(switches as Readonly<Record<string, boolean>>))
}

/** The location of one gate: its key in the field, or the flag. */
function gateLocation(
  option: Option,
  root: ConfigValue,
  options: Options,
  name: string,
): ValueLocation {
  if (option.field === undefined) return optionLocation(option, options)
  const { entry, node } = followPath(root, `${option.field}[${name}]`)
  return entry?.keyAt ?? node.at
}
