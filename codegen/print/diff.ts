import { createTwoFilesPatch } from 'diff'
import type { Change } from './folder.ts'

/** The changes as one unified diff, from what is in the folder to what should be. */
export function printDiff(out: string, changes: readonly Change[]): string {
  return changes
    .map(({ path, before, after }) => {
      const name = `${out}/${path}`
      const from = before === undefined ? '/dev/null' : name
      const to = after === undefined ? '/dev/null' : name
      return createTwoFilesPatch(from, to, before ?? '', after ?? '', '', '', {
        context: 3,
        headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
      })
    })
    .join('')
}
