import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of the repository and what stands in it. The path is relative to the root, with slashes. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** Where TypeScript of this repository stands. */
const folders = ['codegen', 'generated', 'runtime', 'daemons', 'tools', 'examples', 'test']

/** The documents beside package.json. */
export const rootDocuments: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'DECISIONS.md',
  'CHANGELOG.md',
]

/** Every TypeScript source that git tracks or would track. */
export function readSources(root: string): readonly Source[] {
  return readAll(root, folders, /\.ts$/)
}

/** The documents that state the specification. */
export function readSpecification(root: string): readonly Source[] {
  return readAll(root, ['docs/spec'], /\.md$/)
}

/** The pages of the guide. */
export function readGuide(root: string): readonly Source[] {
  return readAll(root, ['docs/guide'], /\.md$/)
}

/** Every file that may name an id of the specification, its own documents apart. Generated code names none. */
export function readCiting(root: string): readonly Source[] {
  const written = folders.filter((folder) => folder !== 'generated')
  return readAll(
    root,
    [...written, 'schemas', 'docs', ...rootDocuments],
    /\.(?:ts|mts|js|mjs|yaml|txt|md)$/,
  ).filter(({ path }) => !path.startsWith('docs/spec/'))
}

/** The files of some places whose path fits a pattern, with their text. */
function readAll(root: string, places: readonly string[], wanted: RegExp): readonly Source[] {
  return filesIn(root, places)
    .filter((path) => wanted.test(path))
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
