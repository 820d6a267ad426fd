import type { FeatureGate } from '../../kernel/descriptors/feature-gate.ts'
import type { Option, OptionTable } from '../../kernel/options/option-table.ts'
import type { Options } from '../flags/options.ts'
import { gateHelp } from './gate-help.ts'
import { helpText } from './help-text.ts'

/** What a program answers to `--help` before it does anything; undefined if nobody asks. `gates` are those it knows. */
export function helpRequested(
  table: OptionTable,
  options: Options,
  width: number,
  gates: readonly FeatureGate[] = [],
): string | undefined {
  const word = options.string('help')
  if (word === 'json') return helpJson(table)
  if (word !== 'true') return undefined
  return [helpText(table, width), gateHelp(gates)].filter((part) => part !== '').join('\n')
}

/** The table of options for a program to read: sections with their flags, as they are declared. */
export function helpJson({ daemon, description, config, sections }: OptionTable): string {
  const file = config && { apiVersion: config.apiVersion, kind: config.kind }
  const shown = sections.map(({ name, options }) => ({
    name,
    options: options.filter(({ hidden }) => hidden !== true),
  }))
  return JSON.stringify(
    { daemon, description, ...(file && { config: file }), sections: shown },
    null,
    2,
  )
}

/** What a program answers to `--version`: with `raw` only the version, else its own name too. */
export function versionRequested(
  daemon: string,
  options: Options,
  version: string,
): string | undefined {
  const word = options.string('version')
  if (word === 'false') return undefined
  if (word === 'raw') return version
  return `${daemon} ${word === 'true' ? version : word}`
}

/** The flags of a table, in order. */
export function optionsOf(table: OptionTable): readonly Option[] {
  return table.sections.flatMap(({ options }) => options)
}
