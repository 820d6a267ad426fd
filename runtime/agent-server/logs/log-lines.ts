/** Lines of a log as runtimes write them: `TIME stream F|P text`. */

/** What a line of a log file says. */
export interface LogLine {
  /** RFC 3339 with nanoseconds. */
  readonly time: string
  /** The text with its end of line, which a part of a line does not have. */
  readonly text: Buffer
  readonly isWhole: boolean
}

/** Reads a line without its end; undefined for what is no line of a log. */
export function readLogLine(line: Buffer): LogLine | undefined {
  const first = line.indexOf(32)
  const second = line.indexOf(32, first + 1)
  const third = line.indexOf(32, second + 1)
  if (first < 0 || second < 0 || third < 0) return undefined
  const tag = line.toString('latin1', second + 1, third).split(':', 1)[0]
  if (tag !== 'F' && tag !== 'P') return undefined
  const isWhole = tag === 'F'
  const text = line.subarray(third + 1)
  return {
    time: line.toString('latin1', 0, first),
    text: isWhole ? Buffer.concat([text, endOfLine]) : text,
    isWhole,
  }
}

const endOfLine = Buffer.from('\n')
