import type { Finding } from '../rules/finding.ts'
import { counts, type Run } from './report.ts'

/** One object with all findings, for programs. */
export function jsonReport(run: Run): string {
  const { findings, files, objects, suppressed, known, version } = run
  return JSON.stringify(
    {
      version,
      files: files.length,
      objects,
      suppressed,
      known,
      counts: counts(findings),
      findings: findings.map(plainFinding),
    },
    null,
    2,
  )
}

/** A finding on each line, for programs that read as they go. */
export function ndjsonReport({ findings }: Run): string {
  return findings.map((finding) => JSON.stringify(plainFinding(finding))).join('\n')
}

/** A finding as documents have it: offsets are left out of places, since they are those of a decoded text. */
function plainFinding({ at, related, secret: _, ...finding }: Finding) {
  return {
    ...finding,
    ...(at && { line: at.line, column: at.column }),
    ...(related && {
      related: related.map(({ at: place, ...one }) => ({
        ...one,
        ...(place && { line: place.line, column: place.column }),
      })),
    }),
  }
}
