/** The unit files that `orch migrate` is given. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Finding } from '../../../runtime/validate/validate.ts'
import type { ChangedFiles } from './changed-files.ts'
import { migrateUnit } from './unit-migration.ts'

/** Both files of each, or what is wrong with the command line. `config` is FILE or FILE=PATH. */
export async function migratedUnits(
  units: readonly string[],
  config: string | undefined,
): Promise<ChangedFiles | string> {
  if (config !== undefined && units.length !== 1) {
    return '--config is the file of one daemon: name one unit file'
  }
  const [before, after] = [new Map<string, string>(), new Map<string, string>()]
  const refused: Finding[] = []
  for (const name of units) {
    const text = await read(name)
    if (text === undefined) return `${name}: there is no such file`
    before.set(name, text)
    const place = config === undefined ? undefined : placeOf(config)
    const result = await migrateUnit({ name, text, config: place, read })
    if (result === undefined) continue
    if ('refused' in result) {
      refused.push(...result.refused)
      continue
    }
    const { file } = result
    if (after.has(file)) return `${file} is the file of two units: migrate one after the other`
    before.set(file, (await read(file)) ?? '')
    // The configuration first: what a crash leaves behind is a field that a flag states as well.
    after.set(file, result.config)
    after.set(name, result.unit)
  }
  return { before, after, refused }
}

function placeOf(config: string) {
  const equals = config.indexOf('=')
  if (equals < 0) return { file: config, path: resolve(config) }
  return { file: config.slice(0, equals), path: config.slice(equals + 1) }
}

async function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
