/** Instructions that a pattern may have. Those of real definitions have some dozens, of long names with limits a few thousand. */
export const maxInstructions = 10_000

/** Instructions that the different patterns of one schema may have together. Those of the largest have some ten thousand. */
export const maxInstructionsOfSchema = 500_000

/**
 * About how many instructions a pattern compiles to, from its text alone: a repetition writes out what it repeats, so a
 * few letters may stand for a million instructions. Classes with many members count as several. It does not go on beyond
 * `mostInstructions`, and of a text that is no pattern it says nothing.
 */
export function countInstructions(pattern: string): number {
  const open: number[] = []
  let [all, last] = [0, 0]
  for (let at = 0; at < pattern.length && all <= maxInstructions; ) {
    repetition.lastIndex = at
    const repeated = repetition.exec(pattern)
    if (repeated !== null) {
      const [text, least = '', most = ''] = repeated
      all += writtenOut(last, Number(least), Number(most)) - last
      last = 0
      at += text.length
      continue
    }
    const end = endOfAtom(pattern, at)
    if (pattern[at] === '(') {
      open.push(all)
      last = 0
    } else {
      const size = 1 + ((end - at) >> 4)
      all += size
      last = pattern[at] === ')' ? all - (open.pop() ?? 0) : size
    }
    at = end
  }
  return Math.min(all, maxInstructions + 1)
}

const repetition = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y

/** What may be left out takes one instruction more each time. */
function writtenOut(size: number, least: number, most: number): number {
  return Math.max(size, size * least + (size + 1) * Math.max(0, most - least))
}

/** Behind a character, an escaped one, or a class in brackets. */
function endOfAtom(pattern: string, start: number): number {
  if (pattern[start] === '\\') return start + 2
  if (pattern[start] !== '[') return start + 1
  let at = start + (pattern[start + 1] === '^' ? 2 : 1)
  do at += pattern[at] === '\\' ? 2 : 1
  while (at < pattern.length && pattern[at] !== ']')
  return at + 1
}
