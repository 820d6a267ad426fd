import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where a program stands; undefined if the machine has none of that name. */
export function findOnPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(':')
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
}
