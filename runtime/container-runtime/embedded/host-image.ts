import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Image } from '../contract/image.ts'

/** What references of the machine's own programs begin with. */
const prefix = 'host/'

/** Where the programs of a machine stand, in this order. */
export const programFolders = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
]

/** An image that stands for a program of this machine. */
export interface HostImage extends Image {
  /** The program that it starts. */
  readonly program: string
}

/** True for a reference to a program of this machine. */
export function isHostReference(reference: string): boolean {
  return reference.startsWith(prefix)
}

/** The image of a reference such as `host/sh`; undefined if the machine has no such program. */
export function hostImage(reference: string): HostImage | undefined {
  const name = /^host\/([A-Za-z0-9][A-Za-z0-9._+-]*)(?::latest)?$/.exec(reference)?.[1]
  const program = name === undefined ? undefined : findProgram(name, programFolders)
  if (name === undefined || program === undefined) return undefined
  return { id: `host:${program}`, tags: [`${prefix}${name}`], digests: [], bytes: 0, program }
}

/** The first program of that name in these folders. */
export function findProgram(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

/** True for a file that can be run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
