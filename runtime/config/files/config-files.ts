/** Reads the files that a command line names. No other file of this module reads the disk. */
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type OptionTable, optionsOf } from '../../kernel/options/option-table.ts'
import { optionLocation } from '../flags/flag-overrides.ts'
import type { Options } from '../flags/options.ts'
import type { ConfigFinding } from '../value/finding.ts'
import type { ValueLocation } from '../value/located-value.ts'
import type { ConfigSource } from './config-source.ts'

/** Bytes of one file: far more than a configuration needs. */
const maxBytes = 4 * 1024 * 1024

/** The texts that could be read, and a finding for each file that could not. */
export interface ConfigFilesRead {
  /** Complete texts, in the order in which they are merged. */
  readonly sources: readonly ConfigSource[]
  /** At the flags that name the files. */
  readonly findings: readonly ConfigFinding[]
}

/** What a command line names, read. */
export interface NamedConfigFiles extends ConfigFilesRead {
  /** Files that lie among the fragments and are none. */
  readonly warnings: readonly string[]
}

/**
 * Reads the file of `--config`, then the fragments in the folder of `--config-dir`: its files that end in `.conf`, sorted by
 * name. Any other file there is a warning, unless it is hidden. Relative paths start at the working directory.
 */
export async function readConfigFiles(
  table: OptionTable,
  options: Options,
): Promise<NamedConfigFiles> {
  const found: ConfigFilesRead[] = []
  const warnings: string[] = []
  const file = pathOf(table, options, 'config')
  if (file !== undefined) found.push(await readConfigFile(file.path, 'file', file.location))
  const folder = pathOf(table, options, 'config-dir')
  if (folder !== undefined) {
    const { names, others, findings } = await fragmentsIn(folder.path, folder.location)
    const none = 'not read: a fragment ends in .conf'
    warnings.push(...others.map((name) => `${join(folder.path, name)}: ${none}`))
    found.push({ sources: [], findings })
    for (const name of names) {
      found.push(await readConfigFile(join(folder.path, name), 'fragment', folder.location))
    }
  }
  return {
    sources: found.flatMap(({ sources }) => sources),
    findings: found.flatMap(({ findings }) => findings),
    warnings,
  }
}

/** The path that a flag gives, if the program has the flag and it is set. */
function pathOf(table: OptionTable, options: Options, flag: string) {
  const option = optionsOf(table).find((each) => each.flag === flag)
  const path = option === undefined ? '' : options.string(flag)
  return path === '' ? undefined : { path, location: optionLocation(option!, options) }
}

/** The names of the fragments, sorted, and of other files that are not hidden. A folder that cannot be read is a finding. */
async function fragmentsIn(folder: string, location: ValueLocation) {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
    const others = files.filter((name) => !name.endsWith('.conf') && !name.startsWith('.'))
    const names = files.filter((name) => name.endsWith('.conf'))
    return { names: names.sort(), others: others.sort(), findings: [] }
  } catch (error) {
    return { names: [], others: [], findings: [{ location, message: failure(folder, error) }] }
  }
}

/** Reads one file, up to 4 MiB. `location` is that of the flag which names it. */
export async function readConfigFile(
  path: string,
  origin: ConfigSource['origin'],
  location: ValueLocation,
): Promise<ConfigFilesRead> {
  try {
    const text = await readUpTo(path, maxBytes + 1)
    if (text.length > maxBytes) {
      const message = `${path}: larger than ${maxBytes} bytes`
      return { sources: [], findings: [{ location, message }] }
    }
    return { sources: [{ name: path, text, origin }], findings: [] }
  } catch (error) {
    return { sources: [], findings: [{ location, message: failure(path, error) }] }
  }
}

/** At most `bytes` bytes of a file, a pipe or a device, which may have no end. */
async function readUpTo(path: string, bytes: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const chunks: Uint8Array[] = []
    for (let left = bytes; left > 0; ) {
      const chunk = Buffer.allocUnsafe(Math.min(left, 64 * 1024))
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null)
      if (bytesRead === 0) break
      chunks.push(chunk.subarray(0, bytesRead))
      left -= bytesRead
    }
    return Buffer.concat(chunks)
  } finally {
    await file.close()
  }
}

/** Why a file cannot be read, in words that do not depend on the operating system. */
function failure(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    EACCES: 'may not be read',
    EISDIR: 'is a folder',
    ENOTDIR: 'is no folder',
  }
  return `${path}: ${words[code] ?? 'cannot be read'}`
}
