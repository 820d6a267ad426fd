/**
 * The intermediate representation: what the schema files say, as plain data with every name resolved and every vendor
 * keyword parsed. Where lint found nothing it is complete: every reference resolves, every default is a value of its
 * type, and emitters have no error paths.
 */

import type { ConversionStep } from '../../runtime/kernel/descriptors/conversion.ts'
import type { FeatureRelease } from '../../runtime/kernel/descriptors/feature-gate.ts'
import type { FlowControlFacts } from '../../runtime/kernel/descriptors/flow-control-facts.ts'
import type { Kind } from '../../runtime/kernel/descriptors/kind.ts'
import type { MetricFacts } from '../../runtime/kernel/descriptors/metric-facts.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import type { VersionRemoval } from '../../runtime/kernel/descriptors/scheme.ts'
import type { ValidationRule } from '../../runtime/kernel/descriptors/validation-rules.ts'
import type { Option } from '../../runtime/kernel/options/option-table.ts'
import type { SettingConstraint } from '../../runtime/kernel/options/setting-constraints.ts'
import type { Position } from './position.ts'
import type { YamlNode } from './yaml/node.ts'

/** Everything that one run generates from. */
export interface Api {
  /** The names of the platform, filled into every text. */
  readonly platform: Platform
  /** Served groups, by descending priority. */
  readonly groups: readonly GroupFacts[]
  /** Every named type, sorted by id; those of other packages too (`external`). */
  readonly types: readonly NamedType[]
  /** Kinds with a collection, sorted by the ids of their types; those of another tree too (`external`). */
  readonly kinds: readonly KindFacts[]
  /** Kinds without a collection: the bodies of subresources. Their plural is empty. */
  readonly bodies: readonly KindFacts[]
  /** The vendor keywords that schema files may use. */
  readonly markers: readonly Marker[]
  /** The flags of each daemon. */
  readonly optionSets: readonly OptionSet[]
  /** Feature gates, in the order of their files. */
  readonly features: readonly FeatureFacts[]
  /** API versions that are gone or announced to go. */
  readonly removals: readonly WithPosition<VersionRemoval>[]
  /** The metrics that daemons serve. */
  readonly metrics: readonly WithPosition<MetricHistory>[]
  /** The objects of Priority and Fairness that a server begins with. */
  readonly flowControl?: FlowControlFacts
}

/** A row of a table with its position. */
export type WithPosition<T> = T & { readonly at: Position }

/** A metric, and the release that introduced it with its present stability, where the schema says so. */
export type MetricHistory = MetricFacts & { readonly since?: string }

/** A served API group. */
export interface GroupFacts {
  readonly group: string
  /** The served versions, the preferred one first. */
  readonly versions: readonly string[]
  /** Higher ones come first in discovery. */
  readonly priority: number
  /** The priorities of versions within their group, where the schema says so. */
  readonly ranks?: Readonly<Record<string, number>>
  /** Versions that are served only on request. */
  readonly off: readonly string[]
  /** The releases that introduced versions, where the schema says so. */
  readonly since?: Readonly<Record<string, string>>
  /** Absent for a group that no file lists. */
  readonly at?: Position
}

/** A definition: a struct, a string type with values, a scalar with its own text form, or one of several types. */
export type NamedType = StructType | EnumType | ScalarType | UnionType

/** What every named type has. */
interface Named {
  /** `<package>.<Name>`: `core/v1.PodSpec`. */
  readonly id: string
  readonly name: string
  /** `core/v1`: the folder under schemas/api or schemas/meta. */
  readonly package: string
  readonly group: string
  readonly version: string
  readonly description: string
  readonly at: Position
  /** What values satisfy beyond their type (`x-orch-validations`). */
  readonly rules?: readonly Expression[]
  /** Set for a type that another generated tree has: the module specifier of its generated symbols. */
  readonly external?: string
}

/** An object with declared fields. */
export interface StructType extends Named {
  readonly is: 'struct'
  /** In declaration order, which is the order in JSON. Fields of inlined structs stand among them. */
  readonly fields: readonly Field[]
  /** `atomic`: server-side apply replaces the whole object. */
  readonly mapType?: 'atomic' | 'granular'
  /** Names of the hand-written checks of its values (`x-orch-check`). */
  readonly checks?: readonly string[]
  /** True for a root: `apiVersion` and `kind` are implied and not among `fields`. */
  readonly root: boolean
  /** Fields that are not declared are kept (`x-orch-preserve-unknown-fields`). */
  readonly preserveUnknown: boolean
  /** What settings demand of each other (`x-orch-constraints`). */
  readonly constraints?: readonly SettingConstraint[]
}

/** A string type with values. */
export interface EnumType extends Named {
  readonly is: 'enum'
  readonly values: readonly string[]
  /** Closed sets refuse other values; open ones only name the well-known ones. */
  readonly closed: boolean
  /** A refusal lists the values as they are declared, not sorted (`x-orch-told-order`). */
  readonly refusalOrder?: 'declared'
}

/** A type with a text form of its own. */
export interface ScalarType extends Named {
  readonly is: 'scalar'
  readonly scalar: Scalar
}

/** A value of one of several types that JSON tells apart (`oneOf`). */
export interface UnionType extends Named {
  readonly is: 'union'
  readonly members: readonly UnionMember[]
}

/** One of the types of a union. */
export interface UnionMember {
  /** The type of its value. */
  readonly type: Type
  /** In protobuf a union is a message with a field for each member: its number. */
  readonly proto?: number
  readonly protoName?: string
}

/** Text forms that the kernel reads, by name (`x-orch-scalar`). */
export type Scalar =
  | 'time'
  | 'micro-time'
  | 'duration'
  | 'quantity'
  | 'int-or-string'
  | 'raw-extension'
  | 'fields-v1'
  | 'any'

/** A field of a struct. */
export interface Field {
  readonly name: string
  readonly description: string
  readonly type: Type
  /** Objects without it are invalid, unless it has a default. */
  readonly required: boolean
  /**
   * What an absent value is. `tracked`: absent stays absent and differs from zero. `omit`: zero and absent are the same
   * and neither is written. `keep`: zero and absent are the same and zero is always written.
   */
  readonly zero: 'tracked' | 'omit' | 'keep'
  /** An absent struct is checked as if it were empty (`x-orch-check-absent`). */
  readonly checkAbsent: boolean
  /** The value of an absent field, as JSON. */
  readonly default?: unknown
  /** How a list merges (`x-orch-list-type`). */
  readonly list?: 'atomic' | 'set' | 'map'
  /** The fields that identify the items of a map list (`x-orch-list-map-keys`). */
  readonly keys?: readonly string[]
  /** Items of a map list may have equal keys (`x-orch-accept-duplicates`). */
  readonly duplicates?: boolean
  /** How a map merges (`x-orch-map-type`). */
  readonly map?: 'atomic' | 'granular'
  /** Amounts in the map are rounded up to it (`x-orch-precision`). */
  readonly precision?: 'milli'
  /** How a strategic merge patch treats it (`x-orch-patch-strategy`). */
  readonly patch?: readonly ('merge' | 'replace' | 'retainKeys')[]
  /** The field by which a strategic merge patch identifies items (`x-orch-patch-merge-key`). */
  readonly patchKey?: string
  /** The gate without which the field is dropped (`x-orch-feature-gate`). */
  readonly featureGate?: string
  /** Names of the checks that hold for the field (`x-orch-check`). */
  readonly checks?: readonly string[]
  readonly proto?: number
  readonly protoName?: string
  /** Absent differs from zero although the field is required (`x-orch-zero: tracked`). */
  readonly pointer?: boolean
  /** In protobuf the list is a message of its own, with the items in field 1. */
  readonly protoMessage?: boolean
  /** Set for a field that came in through an inlined struct. */
  readonly inline?: Inline
  readonly at: Position
}

/** An inlined struct: the name and number of its protobuf field, and the struct's id. */
export interface Inline {
  readonly name: string
  readonly proto?: number
  readonly type: string
  /** Set for a field that came into that struct through another inlined one. */
  readonly inner?: Inline
}

/** A type where it is used. */
export type Type = PlainType & {
  /** What values fulfil here, beyond what their type says. */
  readonly rules?: readonly Expression[]
}

/** A type without its rules; `ref` refers to a named type by id. */
export type PlainType =
  | { readonly is: 'string'; readonly format?: string; readonly bounds: StringBounds }
  | { readonly is: 'integer'; readonly format: 'int32' | 'int64'; readonly bounds: NumberBounds }
  | { readonly is: 'number'; readonly bounds: NumberBounds }
  | { readonly is: 'boolean' }
  | {
      readonly is: 'list'
      readonly items: Type
      readonly minItems?: number
      readonly maxItems?: number
    }
  | { readonly is: 'map'; readonly values: Type }
  | { readonly is: 'ref'; readonly to: string }

/** A rule in the expression language, and the node that it was read from. */
export interface Expression extends ValidationRule {
  readonly at: YamlNode
}

/** What a text must satisfy: lengths count characters. */
export interface StringBounds {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly values?: readonly string[]
}

/** The range of a number. */
export interface NumberBounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
}

/** What a schema says of a kind: its descriptor without what emitters add. */
export interface KindFacts
  extends Omit<Kind, 'listKind' | 'merge' | 'storageVersion' | 'read' | 'proto' | 'validations'> {
  /** The `apiVersion` that objects of this version are stored in, where it is another one. */
  readonly storedAs?: string
  /** How objects of an older version become objects of this one, and back. */
  readonly conversion?: ConversionFacts
  /** Id of the root struct. */
  readonly type: string
  readonly at: Position
  /** True for a kind that another tree serves: it is there to be referred to. */
  readonly external: boolean
}

/** The steps from the version `from` to the kind's own. */
export interface ConversionFacts {
  readonly from: string
  readonly steps: readonly ConversionStep[]
  /** Where each step stands, in the order of `steps`. */
  readonly at: readonly Position[]
}

/** A vendor keyword of `schemas/markers.yaml`: its values, and where it may be used. */
export interface Marker {
  readonly name: string
  /** The keyword without its prefix: `list-type` of `x-orch-list-type`. */
  readonly keyword: string
  readonly value: 'string' | 'strings' | 'boolean' | 'integer' | 'list' | 'object'
  readonly values?: readonly string[]
  readonly on: readonly (
    | 'list'
    | 'map'
    | 'struct'
    | 'string'
    | 'field'
    | 'definition'
    | 'inline'
    | 'item'
    | 'member'
  )[]
  /** Published in OpenAPI documents, under the platform's prefix. */
  readonly published: boolean
  readonly description: string
}

/** A feature gate with the releases in which it changed, oldest first. */
export interface FeatureFacts {
  readonly gate: string
  readonly description: string
  readonly releases: readonly (FeatureRelease & { readonly at: Position })[]
  readonly at: Position
  /** The gate of what replaces the feature once it is deprecated. */
  readonly replacement?: string
  /** True for a gate of orch's own root that a user's root refers to. */
  readonly external: boolean
}

/** The flags of one daemon, in sections. */
export interface OptionSet {
  readonly daemon: string
  readonly description: string
  /** Who types the flags: administrators of a control plane by default. */
  readonly audience?: 'admin' | 'user'
  /** The id of the root struct of the daemon's configuration file. */
  readonly config?: string
  readonly constraints: readonly SettingConstraint[]
  /** The schema file that declares it. */
  readonly file: string
  readonly sections: readonly { readonly name: string; readonly options: readonly OptionFacts[] }[]
}

/** A flag with its position. */
export interface OptionFacts extends Option {
  readonly lifecycle?: OptionStability
  readonly at: Position
}

/** How stable a flag is: what comparing two trees needs. */
export interface OptionStability {
  /** What is promised about it; GA by default. */
  readonly stability: 'Alpha' | 'Beta' | 'GA'
  /** The release that deprecated it. */
  readonly deprecatedSince?: string
  /** The flag to use in its place. */
  readonly replacement?: string
}
