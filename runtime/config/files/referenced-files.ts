/** Further files that flags name, such as an audit policy. */
import { type OptionTable, optionsOf } from '../../kernel/options/option-table.ts'
import { optionLocation } from '../flags/flag-overrides.ts'
import type { Options } from '../flags/options.ts'
import type { FeatureGates } from '../gates/feature-gates.ts'
import { type ConfigKinds, readOfKind } from './by-declared-kind.ts'
import { type ConfigFilesRead, readConfigFile } from './config-files.ts'
import { parseSource } from './config-source.ts'

/** Reads and checks every file that a set flag names, by the kind that the flag's `configFileKind` demands. */
export async function checkReferencedFiles(
  table: OptionTable,
  options: Options,
  kinds: ConfigKinds,
  gates: FeatureGates,
): Promise<ConfigFilesRead> {
  const found: ConfigFilesRead[] = []
  for (const option of optionsOf(table)) {
    const path = option.configFileKind === undefined ? '' : options.string(option.flag)
    if (option.configFileKind === undefined || path === '') continue
    const { sources, findings } = await readConfigFile(
      path,
      'file',
      optionLocation(option, options),
    )
    found.push({ sources, findings })
    for (const source of sources) {
      const { root, findings: unread } = await parseSource(source)
      const named =
        root === undefined ? undefined : await readOfKind(kinds, root, option.configFileKind, gates)
      found.push({ sources: [], findings: [...unread, ...(named?.findings ?? [])] })
    }
  }
  return {
    sources: found.flatMap(({ sources }) => sources),
    findings: found.flatMap(({ findings }) => findings),
  }
}
