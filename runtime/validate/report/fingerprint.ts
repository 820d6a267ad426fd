import { createHash } from 'node:crypto'
import type { Finding } from '../rules/finding.ts'

/**
 * What a finding is known by in another run: its rule, file, object and field, but no line, so that text above it may change. Equal
 * ones of a file are numbered.
 */
export function fingerprints(findings: readonly Finding[]): readonly string[] {
  const seen = new Map<string, number>()
  return findings.map(({ rule, file, object, path, message }) => {
    const parts = [rule, file, object?.apiVersion, object?.kind, object?.namespace, object?.name]
    const key = [...parts, path, path === undefined ? message : ''].join('\0')
    const count = seen.get(key) ?? 0
    seen.set(key, count + 1)
    return createHash('sha256').update(`${key}\0${count}`).digest('hex').slice(0, 32)
  })
}
