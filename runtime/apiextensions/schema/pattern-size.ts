/** Bound on the instructions of a pattern. Real definitions have some dozens, for long names with limits a few thousand. */
export const maxInstructions = 10_000

/** Bound on the instructions of all different patterns of a schema. The largest real ones have some ten thousand. */
export const maxInstructionsOfSchema = 500_000

/**
 * Estimates the instructions that a pattern compiles to, from its text: a repetition repeats its instructions, so that a few
 * characters may mean a million. Large character classes count as several. Stops above `maxInstructions`. The estimate of a text
 * that is not a pattern means nothing.
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

/** Counts the instructions of the different patterns of one schema. */
export class PatternBudget {
  readonly #patterns = new Set<string>()
  #instructions = 0

  /** False once the patterns together are too large. */
  spend(pattern: string): boolean {
    if (pattern === '' || this.#patterns.has(pattern)) return true
    this.#patterns.add(pattern)
    this.#instructions += countInstructions(pattern)
    return this.#instructions <= maxInstructionsOfSchema
  }
}

const repetition = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y

/** Each optional repetition takes one more instruction. */
function writtenOut(size: number, least: number, most: number): number {
  return Math.max(size, size * least + (size + 1) * Math.max(0, most - least))
}

/** The index behind a character, an escaped character, or a class in brackets. */
function endOfAtom(pattern: string, start: number): number {
  if (pattern[start] === '\\') return start + 2
  if (pattern[start] !== '[') return start + 1
  let at = start + (pattern[start + 1] === '^' ? 2 : 1)
  do at += pattern[at] === '\\' ? 2 : 1
  while (at < pattern.length && pattern[at] !== ']')
  return at + 1
}
