/** The base of a comparison: a folder of schema files, or what a git commit holds in the place of one. */
import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import type { Base } from '../../codegen/main.ts'
import { yamlFiles } from '../../codegen/schema/files/sources.ts'
import { filesAt, type Repository, repositoryOf } from './git.ts'

/** Which files have to be found in the base. */
export interface BaseOptions {
  /** The schema folder of today. */
  readonly schemas: string
  /** The platform file of today. */
  readonly platform: string
}

/** There is no base to compare with: a failure, and never "nothing changed". */
export class BaseUnreadableError extends Error {}

/**
 * Reads the base that a command line names. A name that could be a folder or a commit is refused; `./NAME` is a folder,
 * `refs/heads/NAME` a commit.
 */
export async function readBase(name: string, options: BaseOptions): Promise<Base> {
  const folder = existsSync(name) && statSync(name).isDirectory()
  if (/^\.{0,2}\//.test(name) || /^\.{1,2}$/.test(name)) {
    if (!folder) throw new BaseUnreadableError(`there is no folder ${name}`)
    return folderBase(name, options)
  }
  const repository = repositoryOf(options.schemas)
  const commit = typeof repository === 'string' ? undefined : repository.commit(name)
  if (folder && commit !== undefined) {
    throw new BaseUnreadableError(
      `${name} is a folder and a git ref: write ./${name} or refs/heads/${name}`,
    )
  }
  if (folder) return folderBase(name, options)
  if (typeof repository === 'string')
    throw new BaseUnreadableError(`${name} is no folder, and ${repository}`)
  if (commit === undefined)
    throw new BaseUnreadableError(`${name} is neither a folder nor a commit that git knows`)
  return commitBase(name, commit, repository, options)
}

/** The schemas of a folder as they are. */
async function folderBase(folder: string, { platform }: BaseOptions): Promise<Base> {
  const paths = await yamlFiles(folder)
  const texts = paths.map(
    async (path) => [path, await readFile(join(folder, path), 'utf8')] as const,
  )
  const files = new Map(await Promise.all(texts))
  const own = files.get(`platform/${basename(platform)}`)
  return baseOf(files, own, folder, (path) => relative('', join(folder, path)))
}

/** The schemas of a commit, read from git without a checkout. @throws BaseUnreadableError if it has none. */
function commitBase(
  name: string,
  commit: string,
  repository: Repository,
  { platform }: BaseOptions,
): Base {
  const { prefix, top } = repository
  const files = filesAt(repository, commit)
  if (typeof files === 'string') throw new BaseUnreadableError(`${name} cannot be read: ${files}`)
  const path = relative(top, resolve(platform)).replaceAll('\\', '/')
  const own = path.startsWith('..') ? undefined : repository.text(commit, path)
  return baseOf(files, own, `${name}:${prefix}`, (file) => `${name}:${prefix}${file}`)
}

/** The files of a base. @throws BaseUnreadableError if there are none. */
function baseOf(
  files: ReadonlyMap<string, string>,
  platform: string | undefined,
  place: string,
  nameOf: (path: string) => string,
): Base {
  if (![...files.keys()].some((path) => !path.startsWith('platform/'))) {
    throw new BaseUnreadableError(`${place} holds no schema files`)
  }
  return { files, nameOf, ...(platform !== undefined && { platform }) }
}
