/** Schema trees before and after an edit, written as one text file. */
import type { Sources } from '../../codegen/schema/files/sources.ts'
import { platformName } from '../../codegen/schema/files/sources.ts'
import { sourcesWith } from './definitions.ts'

/**
 * The parts of such a file: a line `=== NAME [FILE]` opens each. `before FILE` is a file of the tree before; `breaking FILE`
 * and `safe FILE` are what an edit makes of it; `NAME release` is the platform's release; `report` is what is found.
 */
export interface Scenario {
  readonly report: string
  /** A tree before the edit, or after the breaking or the safe one. */
  sources(side: Side): Sources
}

export type Side = 'before' | 'breaking' | 'safe'

export function readScenario(text: string): Scenario {
  const parts = new Map(
    text
      .split(/^=== /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n')
        return [part.slice(0, end).trim(), part.slice(end + 1)] as const
      }),
  )
  const filesOf = (side: Side) =>
    [...parts].flatMap(([name, body]) => {
      const [which, file = ''] = name.split(' ')
      return which === side ? [[file, body] as const] : []
    })
  return {
    report: parts.get('report') ?? '',
    sources(side) {
      const files = new Map([...filesOf('before'), ...filesOf(side)])
      const release = files.get('release')?.trim() ?? '1.29.0'
      files.delete('release')
      const [first = ['', ''], ...more] = files
      const sources = new Map([...sourcesWith(first[1], first[0]), ...more])
      const platform = sources.get(platformName) ?? ''
      return sources.set(platformName, platform.replace(/release: .*/, `release: ${release}`))
    },
  }
}
