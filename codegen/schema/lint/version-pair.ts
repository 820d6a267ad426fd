/** The two versions that a conversion is between. */
import type { Report } from '../finding.ts'
import type { KindFacts } from '../ir.ts'
import type { NamedType } from '../named-type.ts'

/** Both kinds, the types by id, and where to report. */
export interface VersionPair {
  readonly older: KindFacts
  readonly newer: KindFacts
  readonly types: ReadonlyMap<string, NamedType>
  readonly report: Report
}
