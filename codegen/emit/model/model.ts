/** The contract of what emitters read. */
import type { Subresource } from '../../../runtime/kernel/descriptors/kind.ts'
import type { Api, KindFacts } from '../../schema/ir.ts'
import type { NamedType, StructType, Type } from '../../schema/named-type.ts'
import type { RuleSchemaSet } from '../../schema/rules/rule-schemas.ts'

/**
 * What emitters may read: the representation with its names looked up. Every result is data and follows from the
 * representation alone, so that the queries of an emitter say what its artefacts depend on.
 */
export interface Model {
  readonly api: Api
  /** Types and kinds that this tree generates itself. */
  readonly types: readonly NamedType[]
  /** Kinds that this tree serves itself. */
  readonly kinds: readonly KindFacts[]
  /** The schemas that validation rules are evaluated against. */
  readonly rules: RuleSchemaSet
  /** The name of a root in `rules`; undefined if neither it nor anything below has rules. */
  ruleName(id: string): string | undefined
  /** The type of an id, which lint has shown to exist. */
  type(id: string): NamedType
  /** The types that a schema file, or a package, generates: kinds first, then by name. */
  typesIn(home: 'file' | 'package', name: string): readonly NamedType[]
  /** The kinds of a group version by the key of its document (`apis/apps/v1`), or of a package. */
  kindsIn(home: 'version' | 'package', name: string): readonly KindFacts[]
  /** A type of the machinery (`meta/v1`) by name. */
  metaType(name: string): NamedType | undefined
  /** The kind that a struct is the root of. Roots without a kind (Status, DeleteOptions) belong to the machinery. */
  kindOf(struct: Pick<StructType, 'id'>): KindFacts | undefined
  /** The same kind in another group version. */
  version(kind: Pick<KindFacts, 'kind'>, apiVersion: string): KindFacts
  /** The kind of a subresource's body, if the tree has it. */
  bodyOf(sub: Pick<Subresource, 'kind' | 'apiVersion'>): KindFacts | undefined
  /** The struct that a type is or refers to. */
  struct(type: Type): StructType | undefined
  /** True for a struct that merges otherwise than by default. */
  isMerging(id: string): boolean
  /** True for a struct with lists whose items are told apart, its own or further down. */
  isAssociative(id: string): boolean
  /** True for a struct that has fields which gates switch, itself or further down. */
  isGated(id: string): boolean
  /** True for a struct that has checks, itself or further down. */
  isChecked(id: string): boolean
  /** True for a type that has a protobuf form. */
  isMessage(id: string): boolean
  /** The reference page that describes a type. */
  pageOf(id: string): string
}
