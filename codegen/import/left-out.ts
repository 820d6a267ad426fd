/** What an import could not carry over, told once for each keyword with the places where it stood. */

/** Notes a keyword that has no counterpart, at a place of the imported schema. */
export type LeaveOut = (keyword: string, path: string) => void

/** The notes of one import. */
export interface LeftOut {
  readonly note: LeaveOut
  /** `left out "not" at .spec.a, .spec.b and 3 more`, sorted by keyword. */
  readonly lines: () => readonly string[]
}

/** Places of a keyword that are named; the others are counted. */
const shown = 3

/** Starts the notes of an import. */
export function leftOut(): LeftOut {
  const found = new Map<string, string[]>()
  return {
    note(keyword, path) {
      const places = found.get(keyword)
      if (places === undefined) found.set(keyword, [path])
      else places.push(path)
    },
    lines: () =>
      [...found]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([keyword, places]) => {
          const rest = places.length - shown
          const more = rest > 0 ? ` and ${rest} more` : ''
          return `left out ${keyword} at ${places.slice(0, shown).join(', ')}${more}`
        }),
  }
}
