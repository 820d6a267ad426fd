/** What the output of a test file says of its tests. */
export interface Summary {
  readonly passed: number
  readonly failed: number
  readonly skipped: readonly string[]
  /** Why the output is not that of a file of tests. */
  readonly problem?: string
}

/**
 * What a test file's output says. A line `SKIP <name>: <why>` is a test that could not run. A file that
 * was told to leave tests out may hold none.
 */
export function summaryOf(output: string, mayBeEmpty = false): Summary {
  const skipped = [...output.matchAll(/^SKIP (.+)$/gm)].map((match) => match[1]!.trim())
  const total = count(output, 'Total')
  const passed = count(output, 'Passed')
  const muted = count(output, 'Skipped') ?? 0
  if (total === undefined || passed === undefined) {
    const problem = 'printed no summary: is a suite without .run(), or did it end too early?'
    return { passed: 0, failed: 1, skipped, problem }
  }
  const facts = { passed, failed: total - passed, skipped }
  if (muted > 0)
    return { ...facts, problem: 'has a muted test: print `SKIP <name>: <why>` instead' }
  if (facts.failed > 0 && !/^ {3}FAIL /m.test(output)) {
    return {
      ...facts,
      problem: 'did not run them all: a hook failed, which the runner keeps to itself',
    }
  }
  if (total === 0 && skipped.length === 0 && !mayBeEmpty)
    return { ...facts, problem: 'holds no test' }
  return facts
}

/** The last figure: a file prints one summary, after everything that a test may have printed. */
function count(output: string, word: string): number | undefined {
  const figures = [...output.matchAll(new RegExp(`^ {2}${word}: +(\\d+)$`, 'gm'))]
  const last = figures.at(-1)
  return last === undefined ? undefined : Number(last[1])
}
