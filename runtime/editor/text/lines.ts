import type { TextRange } from '../../serializer/serializer.ts'

/** The lines of a text, for places in it. */
export class Lines {
  readonly #starts: readonly number[]

  constructor(text: string) {
    const starts = [0]
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
    this.#starts = starts
  }

  /** Line and column, from 1, of a range of offsets. */
  range(offset: number, end: number): TextRange {
    const line = this.lineAt(offset)
    return { line: line + 1, column: offset - (this.#starts[line] ?? 0) + 1, offset, end }
  }

  /** The line of an offset, from 0. */
  lineAt(offset: number): number {
    let [low, high] = [0, this.#starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return low
  }
}
