import { jsonReport, ndjsonReport } from './json.ts'
import { junitReport } from './junit.ts'
import { githubReport, gitlabReport, markdownReport, tapReport } from './lines.ts'
import type { Run } from './report.ts'
import { sarifReport } from './sarif.ts'
import { textReport } from './text.ts'

/** What prints a run, by the name of the format. A text ends without a line break. */
export const formats = {
  text: textReport,
  json: jsonReport,
  ndjson: ndjsonReport,
  sarif: sarifReport,
  junit: junitReport,
  tap: tapReport,
  github: githubReport,
  gitlab: gitlabReport,
  markdown: markdownReport,
} as const satisfies Readonly<Record<string, (run: Run) => string>>

/** The name of a format. */
export type Format = keyof typeof formats
