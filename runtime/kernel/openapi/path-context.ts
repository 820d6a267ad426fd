/** What the makers of paths and operations are given. */
import type { AnyKind, Subresource } from '../descriptors/kind.ts'
import type { Platform } from '../descriptors/platform.ts'

/** A JSON object of a document. */
export type Schema = Readonly<Record<string, unknown>>

/** A query parameter. */
export interface Parameter {
  readonly name: string
  readonly type: 'string' | 'integer' | 'boolean'
  readonly description: string
}

/** What a document says of a kind; a descriptor has all of it. */
export interface DocumentedKind
  extends Pick<
    AnyKind,
    'group' | 'version' | 'kind' | 'plural' | 'scope' | 'verbs' | 'deleteReturns' | 'proto'
  > {
  readonly subresources: readonly Omit<Subresource, 'body'>[]
  readonly customResource?: unknown
}

/** What the operations of a document have in common. */
export interface PathContext {
  readonly platform: Platform
  readonly parameters: Readonly<Record<string, readonly Parameter[]>>
  /** The prefixes of extension keys. */
  readonly prefixes: readonly string[]
  /** The name of the schema of a type of the machinery. */
  readonly meta: (name: string) => string
  /** The name of the schema of a kind; undefined if the document has none. */
  readonly schemaOf: (apiVersion: string, kind: string) => string | undefined
}
