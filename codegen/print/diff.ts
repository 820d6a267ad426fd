/** The output of `--check`: a unified diff. It loads a package of its own, so that other runs do not. */
import { createTwoFilesPatch } from 'diff'
import type { Change } from './folder.ts'

/**
 * The changes as one unified diff with three lines of context, from what the folder `out` holds to what it should hold.
 */
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
