import type { Report } from '../finding.ts'
import type { KindFacts, NamedType } from '../ir.ts'

/** The two versions that a conversion is between. */
export interface VersionPair {
  readonly older: KindFacts
  readonly newer: KindFacts
  readonly types: ReadonlyMap<string, NamedType>
  readonly report: Report
}
