/** Paths that the flags of a command name. */
import { accessSync, constants as modes, statSync } from 'node:fs'

/** What is wrong with the path of a flag, which has to lead to a file or a folder that can be read. */
export function pathProblem(
  flag: string,
  path: string,
  expected: 'file' | 'folder',
): string | undefined {
  const problem = problemOf(path, expected)
  return problem && `${flag} ${path}: ${problem}`
}

/** The same of the flags that say which kinds are known, those of `orch validate` and its like. */
export function kindsProblem(platform: string, schemas: readonly string[]): string | undefined {
  const found = platform === '' ? undefined : pathProblem('--platform', platform, 'file')
  return schemas.reduce((first, one) => first ?? pathProblem('--schemas', one, 'folder'), found)
}

/** Why a file could not be read, in words. */
export function readProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EACCES' || code === 'EPERM') return 'it may not be read'
  if (code === 'EISDIR') return 'it is a folder'
  if (code === 'ENOTDIR') return 'part of its path is no folder'
  if (code === 'ELOOP') return 'its links lead in a circle'
  return message
}

function problemOf(path: string, expected: 'file' | 'folder'): string | undefined {
  try {
    const isFolder = statSync(path).isDirectory()
    if (isFolder !== (expected === 'folder')) {
      return isFolder ? 'it is a folder, name a file' : 'it is a file, name a folder'
    }
    accessSync(path, isFolder ? modes.R_OK | modes.X_OK : modes.R_OK)
    return undefined
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return isMissing ? `there is no such ${expected}` : readProblem(error)
  }
}
