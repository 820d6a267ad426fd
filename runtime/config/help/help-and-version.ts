import type { FeatureGate } from '../../kernel/descriptors/feature-gate.ts'
import type { OptionTable } from '../../kernel/options/option-table.ts'
import type { Options } from '../flags/options.ts'
import { gateHelp } from '../gates/gate-help.ts'
import { helpText } from './help-text.ts'

/**
 * The help text if `--help` is set, undefined otherwise. `gates` are those that the program knows; `more` is a section of its own, before
 * those of them that go.
 */
export function helpRequested(
  table: OptionTable,
  options: Options,
  width: number,
  gates: readonly FeatureGate[] = [],
  more = '',
): string | undefined {
  const mode = options.string('help')
  if (mode === 'json') return helpJson(table)
  if (mode !== 'true') return undefined
  return [helpText(table, width), more, gateHelp(gates)].filter((part) => part !== '').join('\n')
}

/** The table of options as JSON, for other programs: sections with their flags, as declared; hidden flags are left out. */
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

/** The version text if `--version` is set, undefined otherwise. `--version=raw` leaves out the name of the program. */
export function versionRequested(
  daemon: string,
  options: Options,
  version: string,
): string | undefined {
  const mode = options.string('version')
  if (mode === 'false') return undefined
  if (mode === 'raw') return version
  return `${daemon} ${mode === 'true' ? version : mode}`
}
