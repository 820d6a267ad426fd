/**
 * What is read of a git repository. Git runs without a shell; a name from outside is only ever one argument, after the
 * options have ended, and what follows goes by the commit's hash.
 */
import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'

/** The repository that a folder lies in. */
export interface Repository {
  readonly folder: string
  /** Its top folder. */
  readonly top: string
  /** The folder's path in it: empty, or ending in a slash. */
  readonly prefix: string
  /** The hash of the commit that a name means, if it means one. */
  commit(name: string): string | undefined
  /** A file of a commit by its path from the top. */
  text(commit: string, path: string): string | undefined
  /** The files, as paths from the top, that differ in the working tree from where a commit and HEAD part, new ones among them; or why that cannot be known. */
  changed(commit: string): readonly string[] | string
  /** The tags `v<number>...` that HEAD has behind it, the highest version first; or why they cannot be known. */
  releases(): readonly string[] | string
}

/** All schema files of a repository together are far smaller. */
const maxBytes = 256 * 1024 * 1024

/** The repository around a folder, or why there is none. */
export function repositoryOf(path: string): Repository | string {
  const folder = realpathSync(path)
  const top = git(folder, ['rev-parse', '--show-toplevel'])
  const prefix = git(folder, ['rev-parse', '--show-prefix'])
  if (top.error !== undefined) return top.error
  if (prefix.error !== undefined) return prefix.error
  return {
    folder,
    top: line(top.output),
    prefix: line(prefix.output),
    commit(name) {
      if (name.startsWith('-')) return undefined
      const options = ['--verify', '--quiet', '--end-of-options']
      const { output, error } = git(folder, ['rev-parse', ...options, `${name}^{commit}`])
      const hash = line(output)
      return error === undefined && /^[0-9a-f]{40,64}$/.test(hash) ? hash : undefined
    },
    text(commit, file) {
      const { output, error } = git(folder, ['cat-file', 'blob', `${commit}:${file}`])
      return error === undefined ? output.toString('utf8') : undefined
    },
    changed: (commit) => changedIn(line(top.output), commit),
    releases: () => releasesIn(folder),
  }
}

function changedIn(top: string, commit: string): readonly string[] | string {
  const parting = git(top, ['merge-base', commit, 'HEAD'])
  if (parting.error !== undefined) return parting.error
  const differing = ['diff', '--name-only', '--diff-filter=d', '--no-renames', '-z']
  const tracked = git(top, [...differing, line(parting.output), '--'])
  const fresh = git(top, ['ls-files', '--others', '--exclude-standard', '-z'])
  const error = tracked.error ?? fresh.error
  if (error !== undefined) return error
  return `${tracked.output}${fresh.output}`.split('\0').filter(Boolean)
}

/** What is before a version of it, such as a candidate, comes below it. */
const byVersion = ['-c', 'versionsort.suffix=-', 'tag', '--sort=-version:refname']

/** A history that is cut off does not show the tags that lie behind the cut. */
function releasesIn(folder: string): readonly string[] | string {
  const head = git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD'])
  if (head.error !== undefined) return []
  const tags = git(folder, [...byVersion, '--merged', 'HEAD', '--list', 'v[0-9]*'])
  if (tags.error !== undefined) return tags.error
  const names = tags.output.toString('utf8').split('\n').filter(Boolean)
  if (names.length > 0) return names
  const shallow = line(git(folder, ['rev-parse', '--is-shallow-repository']).output) === 'true'
  return shallow ? 'the history is cut off: git fetch --unshallow --tags brings the rest' : []
}

/**
 * The YAML files that a commit holds in the repository's folder, by path in it; none if it has no such folder. Text instead
 * if they cannot all be read.
 */
export function filesAt(
  { folder, prefix }: Repository,
  commit: string,
): ReadonlyMap<string, string> | string {
  const tree = git(folder, ['ls-tree', '-r', '-z', '--full-tree', `${commit}:${prefix}`])
  if (tree.error !== undefined) return new Map()
  const rows = tree.output
    .toString('utf8')
    .split('\0')
    .flatMap((row) => {
      const [, mode = '', hash = '', path] = entryForm.exec(row) ?? []
      return path === undefined ? [] : [{ mode, hash, path }]
    })
  const link = rows.find(({ mode }) => !mode.startsWith('100'))
  if (link !== undefined) return `${prefix}${link.path} is no plain file there`
  const input = rows.map(({ hash }) => `${hash}\n`).join('')
  const batch = git(folder, ['cat-file', '--batch'], input)
  if (batch.error !== undefined) return batch.error
  const texts = blobsOf(batch.output)
  if (texts.length < rows.length)
    return `git has not all files of ${prefix} there; fetch them first`
  return new Map(rows.map(({ path }, index) => [path, texts[index] ?? '']))
}

/** `<mode> <type> <hash>`, a tab, and the path. */
const entryForm = /^([0-7]{6}) [a-z]+ ([0-9a-f]+)\t(.*\.ya?ml)$/s

/** The contents of a batch: `<hash> blob <size>`, the bytes, and a line break, each; it ends early at what is missing. */
function blobsOf(output: Buffer): readonly string[] {
  const texts: string[] = []
  let at = 0
  while (at < output.length) {
    const end = output.indexOf('\n', at)
    const [, type, size] = output.toString('latin1', at, end).split(' ')
    if (end < 0 || type !== 'blob') break
    texts.push(output.toString('utf8', end + 1, end + 1 + Number(size)))
    at = end + Number(size) + 2
  }
  return texts
}

/** What git printed, or why it failed. */
interface Answer {
  readonly output: Buffer
  readonly error?: string
}

/** Git as a hook or an alias would have set it up for another folder is of no use here. */
const inherited = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_COMMON_DIR']

function git(folder: string, args: readonly string[], input = ''): Answer {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !inherited.includes(name)),
  )
  const { status, stdout, stderr, error } = spawnSync('git', ['-C', folder, ...args], {
    input,
    env: { ...env, GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', LC_ALL: 'C' },
    maxBuffer: maxBytes,
    windowsHide: true,
  })
  if (error !== undefined)
    return { output: Buffer.alloc(0), error: `git does not run: ${error.message}` }
  if (status === 0) return { output: stdout }
  return { output: stdout, error: `git says: ${line(stderr) || `exit code ${status}`}` }
}

/** The first line of an output. */
function line(output: Buffer): string {
  return output.toString('utf8').split('\n')[0] ?? ''
}
