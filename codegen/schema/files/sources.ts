/** The texts that a run reads. This file imports no package: a check that finds nothing changed stops after it. */
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder of schema files. Its files are named `<prefix><path>` in references, positions and findings. */
export interface Root {
  readonly folder: string
  readonly prefix: '' | 'orch:'
}

/** The texts of a run, by the name that positions use; the platform file is called `platform`. */
export type Sources = ReadonlyMap<string, string>

/** The prefix of orch's own schema root in a user's schema files. */
export const ownPrefix = 'orch:'

/** The name of the platform file in positions. */
export const platformName = 'platform'

/**
 * Reads every YAML file of the roots, and the platform file. Platform files inside a root are left out: they belong to
 * other runs.
 */
export async function readSources(roots: readonly Root[], platformFile: string): Promise<Sources> {
  const sources = new Map([[platformName, await readFile(platformFile, 'utf8')]])
  for (const { folder, prefix } of roots) {
    for (const path of await yamlFiles(folder)) {
      if (path.startsWith('platform/')) continue
      sources.set(`${prefix}${path}`, readFileSync(join(folder, path), 'utf8'))
    }
  }
  return sources
}

/** The YAML files under a folder as sorted paths relative to it, with forward slashes. */
export async function yamlFiles(folder: string, under = ''): Promise<readonly string[]> {
  const found = await readdir(join(folder, under), { withFileTypes: true })
  const nested = found.map(async (each) => {
    const path = under === '' ? each.name : `${under}/${each.name}`
    if (each.isDirectory()) return yamlFiles(folder, path)
    return /\.ya?ml$/.test(each.name) ? [path] : []
  })
  return (await Promise.all(nested)).flat().sort()
}
