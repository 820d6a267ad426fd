import type { Subresource } from '../../../runtime/kernel/descriptors/kind.ts'
import type { Api, KindFacts, NamedType, StructType, Type } from '../../schema/ir.ts'
import type { RuleSchemaSet } from '../../schema/rules/rule-schemas.ts'

/**
 * What emitters may read: the representation with its names looked up. Every result is data and follows from the
 * representation alone, so that the queries of an emitter say what its artefacts depend on.
 */
export interface Model {
  readonly api: Api
  /** Types and kinds that this tree generates itself. */
  readonly types: readonly NamedType[]
  readonly kinds: readonly KindFacts[]
  /** What rules need to know of the types. */
  readonly rules: RuleSchemaSet
  /** The name of the schema that a type's rules stand in; undefined if it has none, itself or further down. */
  ruleName(id: string): string | undefined
  type(id: string): NamedType
  /** The types that a schema file, or a package, generates: kinds first, then by name. */
  typesIn(home: 'file' | 'package', name: string): readonly NamedType[]
  /** The kinds of a group version by the key of its document (`apis/apps/v1`), or of a package. */
  kindsIn(home: 'version' | 'package', name: string): readonly KindFacts[]
  /** A type of the machinery. */
  metaType(name: string): NamedType | undefined
  /** The kind whose root a struct is. Roots without one (Status, DeleteOptions) are the machinery's own. */
  kindOf(struct: Pick<StructType, 'id'>): KindFacts | undefined
  /** The same kind in another group version. */
  version(kind: Pick<KindFacts, 'kind'>, apiVersion: string): KindFacts
  /** The kind of a subresource's body, if the tree knows it. */
  bodyOf(sub: Pick<Subresource, 'kind' | 'apiVersion'>): KindFacts | undefined
  /** The struct that a type is or refers to. */
  struct(type: Type): StructType | undefined
  /** True for a struct that merges otherwise than by default. */
  isMerging(id: string): boolean
  /** True for a struct that has fields which gates switch, itself or further down. */
  isGated(id: string): boolean
  /** True for a struct that has checks, itself or further down. */
  isChecked(id: string): boolean
  /** True for a type that has a protobuf form. */
  isMessage(id: string): boolean
  /** The reference page that describes a type. */
  pageOf(id: string): string
}
