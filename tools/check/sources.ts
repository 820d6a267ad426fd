import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of the repository and what stands in it. The path is relative to the root, with slashes. */
export interface Source {
  readonly path: string
  readonly text: string
}

const folders = ['codegen', 'generated', 'runtime', 'daemons', 'tools', 'examples', 'test']

/** Every TypeScript source that git tracks or would track. */
export function readSources(root: string): readonly Source[] {
  return filesIn(root, folders)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** The files under some folders, ignored ones left out, in order. */
export function filesIn(root: string, folders: readonly string[]): readonly string[] {
  const present = folders.filter((folder) => existsSync(join(root, folder)))
  if (present.length === 0) return []
  const listing = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...present],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  const paths = new Set(listing.split('\0').filter((path) => path !== ''))
  return [...paths].filter((path) => existsSync(join(root, path))).sort()
}
