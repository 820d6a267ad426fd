/** What the thread that answers and the one that checks tell each other. */
import type { Finding, KnownPlatform, ObjectFacts } from '../../../runtime/validate/validate.ts'

/** How documents are judged. */
export interface CheckSettings {
  readonly platform: string
  readonly schemas: readonly string[]
  readonly release?: string
  readonly podSecurity?: 'privileged' | 'baseline' | 'restricted'
  readonly complete: boolean
}

/** What is being edited, or that it is not any more. */
export interface ChangedFile {
  readonly name: string
  /** Absent: what is on disk counts. */
  readonly text?: string
  /** It counts no more, although it is there. */
  readonly isLeftOut?: true
}

/** To the thread that checks. */
export type ToChecker =
  | { readonly is: 'change'; readonly folder: string; readonly files: readonly ChangedFile[] }
  | { readonly is: 'close'; readonly folder: string }

/** From it. `folder` is the one whose files are checked together. */
export type FromChecker =
  | {
      readonly is: 'checked'
      readonly folder: string
      readonly name: string
      readonly findings: readonly Finding[]
      readonly facts: readonly ObjectFacts[]
    }
  | {
      readonly is: 'learned'
      readonly folder: string
      readonly platforms: readonly KnownPlatform[]
    }
  | { readonly is: 'settled'; readonly folder: string }
  | { readonly is: 'failed'; readonly folder: string; readonly message: string }
