/** The texts that a command line names: the only file of the room that touches the disk. */
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { OptionTable } from '../../kernel/options/option-table.ts'
import type { ConfigFinding } from '../finding.ts'
import type { Options } from '../flags/options.ts'
import { optionsOf } from '../help/help-and-version.ts'
import { optionLocation } from '../load/flag-overrides.ts'
import type { ValueLocation } from '../located-value.ts'
import type { ConfigSource } from './config-source.ts'

/** Far more than a configuration needs. */
const maxBytes = 4 * 1024 * 1024

/** What could be read, and what could not. */
export interface ConfigFilesRead {
  readonly sources: readonly ConfigSource[]
  readonly findings: readonly ConfigFinding[]
}

/**
 * Reads the file of `--config` and the fragments of `--config-dir`: its files that end in `.conf`, in order of their
 * names. Relative paths start at the working directory.
 */
export async function readConfigFiles(
  table: OptionTable,
  options: Options,
): Promise<ConfigFilesRead> {
  const found: ConfigFilesRead[] = []
  const file = given(table, options, 'config')
  if (file !== undefined) found.push(await readConfigFile(file.path, 'file', file.place))
  const folder = given(table, options, 'config-dir')
  if (folder !== undefined) {
    const { names, findings } = await fragmentsIn(folder.path, folder.place)
    found.push({ sources: [], findings })
    for (const name of names) {
      found.push(await readConfigFile(join(folder.path, name), 'fragment', folder.place))
    }
  }
  return {
    sources: found.flatMap(({ sources }) => sources),
    findings: found.flatMap(({ findings }) => findings),
  }
}

function given(table: OptionTable, options: Options, flag: string) {
  const option = optionsOf(table).find((each) => each.flag === flag)
  const path = option === undefined ? '' : options.string(flag)
  return path === '' ? undefined : { path, place: optionLocation(option!, options) }
}

async function fragmentsIn(folder: string, place: ValueLocation) {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    const names = entries
      .filter((entry) => !entry.isDirectory() && entry.name.endsWith('.conf'))
      .map(({ name }) => name)
    return { names: names.sort(), findings: [] }
  } catch (error) {
    return { names: [], findings: [{ place, message: failure(folder, error) }] }
  }
}

/** Reads one file that `place` names, up to a length that no configuration reaches. */
export async function readConfigFile(
  path: string,
  origin: ConfigSource['origin'],
  place: ValueLocation,
): Promise<ConfigFilesRead> {
  try {
    const text = await readUpTo(path, maxBytes + 1)
    if (text.length > maxBytes) {
      const message = `${path}: larger than ${maxBytes} bytes`
      return { sources: [], findings: [{ place, message }] }
    }
    return { sources: [{ name: path, text, origin }], findings: [] }
  } catch (error) {
    return { sources: [], findings: [{ place, message: failure(path, error) }] }
  }
}

/** What a file, a pipe or a device gives, at most so many bytes of it. */
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
