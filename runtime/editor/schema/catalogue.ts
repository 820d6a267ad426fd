/** The kinds that documents may be of, with their schemas, whatever they come from. */
import type { NameFormat } from '../../kernel/meta/names.ts'
import type { ValueSchema } from './value-schema.ts'

/** A kind in a version. */
export interface CatalogueKind {
  readonly apiVersion: string
  readonly kind: string
  readonly isNamespaced: boolean
  /** The names that its objects may have. */
  readonly nameFormat: NameFormat
  /** Why the version is not to be used any more. */
  readonly state:
    | { readonly is: 'served' }
    | { readonly is: 'removed' | 'deprecated'; readonly message: string }
  /** True for the file of a daemon. */
  readonly isConfiguration: boolean
}

/** A feature gate. */
export interface GateFacts {
  readonly gate: string
  readonly description: string
  /** What it is now, and since which release: `beta since 1.27, on by default`. */
  readonly stage: string
  readonly isOn: boolean
}

/** A flag of a daemon. */
export interface FlagFacts {
  readonly flag: string
  readonly type: string
  readonly description: string
  readonly default?: string
  readonly values: readonly string[]
  readonly isDeprecated: boolean
  readonly place?: { readonly file: string; readonly line: number }
}

/** What is known. Answers never wait: what is not read yet is not there. */
export interface Catalogue {
  kinds(): readonly CatalogueKind[]
  kind(apiVersion: string, kind: string): CatalogueKind | undefined
  /** The schema of a whole object. */
  root(apiVersion: string, kind: string): ValueSchema | undefined
  gates(): readonly GateFacts[]
  /** The flags of a daemon, by the name of its program. */
  flags(daemon: string): readonly FlagFacts[] | undefined
  /** The release that brought a version of a group, where that is known. */
  since(apiVersion: string): string | undefined
}
