/** What is wrong with paths of files and folders. */

/** A path that does not climb out of its folder. */
export function backstepProblems(path: string): readonly string[] {
  return path.includes('..') && path.split('/').includes('..') ? ["must not contain '..'"] : []
}

/** A path below a folder that is given elsewhere. */
export function belowProblems(path: string): readonly string[] {
  const relative = path.startsWith('/') ? ['must be a relative path'] : []
  return [...relative, ...backstepProblems(path)]
}

/** A path of a file in a volume, which also keeps clear of the names that are used to swap contents. */
export function volumeFileProblems(path: string): readonly string[] {
  const reserved = path.startsWith('..') && !path.startsWith('../')
  return [...belowProblems(path), ...(reserved ? ["must not start with '..'"] : [])]
}

/** A path from the root. */
export function absolutePathProblems(path: string): readonly string[] {
  return path.startsWith('/') ? [] : ['must be an absolute path']
}
