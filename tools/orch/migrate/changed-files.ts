import type { Finding } from '../../../runtime/validate/validate.ts'

/** The texts of files as they were and as they would be, and what keeps others from being changed. */
export interface ChangedFiles {
  readonly before: ReadonlyMap<string, string>
  readonly after: ReadonlyMap<string, string>
  readonly refused: readonly Finding[]
}
