import { join } from 'node:path'
import { repositoryOf } from '../git.ts'

/** The whole paths of files that differ from where a ref and HEAD part; or why that cannot be known. */
export function changedSince(ref: string): ReadonlySet<string> | string {
  const repository = repositoryOf('.')
  if (typeof repository === 'string') return `${ref}: ${repository}`
  const commit = repository.commit(ref)
  if (commit === undefined) return `${ref}: git knows no such commit`
  const changed = repository.changed(commit)
  if (typeof changed === 'string') return `${ref}: ${changed}`
  return new Set(changed.map((path) => join(repository.top, path)))
}
