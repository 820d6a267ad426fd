/** Files beside the configuration, which flags name. */
import type { OptionTable } from '../kernel/options.ts'
import { optionsIn } from './answer.ts'
import type { FeatureGates } from './features.ts'
import { type ReadFiles, readConfigFile } from './files.ts'
import { type ConfigKinds, readNamed } from './named.ts'
import type { Options } from './options.ts'
import { placeOf } from './overlay.ts'
import { openSource } from './source.ts'

/** Every file that a flag of the table names and whose kind the table knows, with everything that is wrong with them. */
export async function checkHeld(
  table: OptionTable,
  options: Options,
  kinds: ConfigKinds,
  gates: FeatureGates,
): Promise<ReadFiles> {
  const found: ReadFiles[] = []
  for (const option of optionsIn(table)) {
    const path = option.holds === undefined ? '' : options.string(option.flag)
    if (option.holds === undefined || path === '') continue
    const { sources, findings } = await readConfigFile(path, 'file', placeOf(option, options))
    found.push({ sources, findings })
    for (const source of sources) {
      const { root, findings: unread } = await openSource(source)
      const named =
        root === undefined ? undefined : await readNamed(kinds, root, option.holds, gates)
      found.push({ sources: [], findings: [...unread, ...(named?.findings ?? [])] })
    }
  }
  return {
    sources: found.flatMap(({ sources }) => sources),
    findings: found.flatMap(({ findings }) => findings),
  }
}
