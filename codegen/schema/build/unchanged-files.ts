/** Which files mean the same as in an earlier run. */
import { roleOf } from '../files/layout.ts'
import { ownPrefix } from '../files/sources.ts'

/**
 * The files whose text, and whose referenced files, are as they were. `refs` are the references of each file, `changed`
 * the files that are new, gone or edited.
 * Being stale passes on from a file to those that refer to it, over any number of steps.
 */
export function unchangedFiles(
  refs: ReadonlyMap<string, readonly string[]>,
  changed: readonly string[],
): ReadonlySet<string> {
  if (changed.some(isCommon)) return new Set()
  const referring = new Map<string, string[]>()
  for (const [file, names] of refs) {
    for (const name of names.map(ownName)) {
      const others = referring.get(name)
      if (others === undefined) referring.set(name, [file])
      else others.push(file)
    }
  }
  const stale = new Set(changed)
  for (const file of stale) for (const each of referring.get(ownName(file)) ?? []) stale.add(each)
  return new Set([...refs.keys()].filter((file) => !stale.has(file)))
}

/** True for a document that every file depends on: what schemas may say, and the types of the machinery. */
function isCommon(file: string): boolean {
  const role = roleOf(file)
  return role === 'markers' || role === 'features' || ownName(file).startsWith('meta/')
}

/**
 * The same name for a file of orch's own root however it is referred to: which of two files a reference means may
 * change.
 */
function ownName(file: string): string {
  return file.startsWith(ownPrefix) ? file.slice(ownPrefix.length) : file
}
