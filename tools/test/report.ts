import type { Result } from './run.ts'

/** One line for a file that passed; for one that failed, all it printed as well. */
export function printResult(result: Result, print: (text: string) => void): void {
  const { name, passed, failed, skipped, problem, output, ms } = result
  const mark = failed > 0 ? 'FAIL' : passed > 0 ? 'ok  ' : 'skip'
  if (failed > 0) print(output.trimEnd())
  const why = problem === undefined ? '' : `: ${problem}`
  print(`${mark} ${name} (${passed} passed, ${(ms / 1000).toFixed(1)} s)${why}`)
  for (const line of skipped) print(`     skipped ${line}`)
}

/** `N passed, N failed`, and how many were skipped if any were. */
export function totalLine(results: readonly Result[]): string {
  const passed = results.reduce((sum, result) => sum + result.passed, 0)
  const failed = results.reduce((sum, result) => sum + result.failed, 0)
  const skipped = results.reduce((sum, result) => sum + result.skipped.length, 0)
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}
