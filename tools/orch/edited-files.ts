/** Files that a command changes: what stays keeps every byte, and a file is written whole or not at all. */
import { chmod, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createTwoFilesPatch } from 'diff'
import type { TextEdit } from '../../runtime/validate/validate.ts'

/** The text with the changes, from its end to its start; one that overlaps another waits for the next round. */
export function edited(text: string, changes: readonly (readonly TextEdit[])[]): string {
  const mark = text.startsWith('\uFEFF') ? 1 : 0
  const taken: TextEdit[] = []
  for (const edits of changes) {
    const free = edits.every((edit) =>
      taken.every(({ start, end }) => edit.end < start || edit.start > end),
    )
    if (free) taken.push(...edits)
  }
  return [...taken]
    .sort((a, b) => b.start - a.start)
    .reduce(
      (result, { start, end, text: fresh }) =>
        result.slice(0, start + mark) + fresh + result.slice(end + mark),
      text,
    )
}

/** Whole, or not at all. A file keeps who may read it, and a link what it leads to. */
export async function replaceFile(name: string, text: string): Promise<void> {
  const before = await stat(name).catch(() => undefined)
  const path = before === undefined ? name : await realpath(name)
  const fresh = `${path}.orch-${process.pid}`
  try {
    await writeFile(fresh, text, { flag: 'wx', ...(before && { mode: before.mode }) })
    if (before !== undefined) await chmod(fresh, before.mode)
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

/** The change as a unified diff. */
export function patchOf(name: string, before: string, after: string): string {
  return createTwoFilesPatch(name, name, before, after, '', '', { context: 2 }).trimEnd()
}
