/**
 * The intermediate representation: what the documents say, as frozen plain data with every name resolved and every
 * vendor keyword parsed. After `lint`, nothing fails: emitters have no error paths.
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

export interface Api {
  readonly platform: Platform
  /** Served groups, by descending priority. */
  readonly groups: readonly GroupFacts[]
  /** Every named type, sorted by id; those of other packages included (`external`). */
  readonly types: readonly NamedType[]
  readonly kinds: readonly KindFacts[]
  /** Kinds without a collection: the bodies of subresources. Their plural is empty. */
  readonly bodies: readonly KindFacts[]
  readonly markers: readonly Marker[]
  readonly optionSets: readonly OptionSet[]
  readonly features: readonly FeatureFacts[]
  readonly removals: readonly WithPosition<VersionRemoval>[]
  readonly metrics: readonly WithPosition<MetricHistory>[]
  readonly flowControl?: FlowControlFacts
}

/** A row of a table, and where it stands. */
export type WithPosition<T> = T & { readonly at: Position }

/** A metric with the release that brought it in the stability that it has, where the schema says so. */
export type MetricHistory = MetricFacts & { readonly since?: string }

export interface GroupFacts {
  readonly group: string
  readonly versions: readonly string[]
  readonly priority: number
  /** The ranks of versions, where the schema says so. */
  readonly ranks?: Readonly<Record<string, number>>
  /** Versions that are served only when asked for. */
  readonly off: readonly string[]
  /** The releases that brought versions, where the schema says so. */
  readonly since?: Readonly<Record<string, string>>
  /** Absent for a group that no file lists. */
  readonly at?: Position
}

/** A definition: a struct, a string type with values, a scalar with its own text form, or one of several types. */
export type NamedType = StructType | EnumType | ScalarType | UnionType

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
  /** What its values fulfil beyond their type (`x-orch-validations`). */
  readonly rules?: readonly Expression[]
  /** Set for a type that another generated tree holds: the module specifier its generated symbols come from. */
  readonly external?: string
}

export interface StructType extends Named {
  readonly is: 'struct'
  /** In declaration order, which is the JSON order. Inlined structs are already spread out here. */
  readonly fields: readonly Field[]
  readonly mapType?: 'atomic' | 'granular'
  /** Names of the hand-written checks of its values (`x-orch-check`). */
  readonly checks?: readonly string[]
  /** The kind this struct is the root of, if any: `apiVersion` and `kind` are implied, not among `fields`. */
  readonly root: boolean
  /** `x-orch-preserve-unknown-fields`. */
  readonly preserveUnknown: boolean
  /** `x-orch-constraints`. */
  readonly constraints?: readonly SettingConstraint[]
}

export interface EnumType extends Named {
  readonly is: 'enum'
  readonly values: readonly string[]
  /** Closed sets refuse other values; open ones only name the well-known ones. */
  readonly closed: boolean
  /** A refusal tells the values as they are declared, not sorted (`x-orch-told-order`). */
  readonly refusalOrder?: 'declared'
}

export interface ScalarType extends Named {
  readonly is: 'scalar'
  readonly scalar: Scalar
}

/** A value of one of several types that JSON tells apart: `oneOf`. */
export interface UnionType extends Named {
  readonly is: 'union'
  readonly members: readonly UnionMember[]
}

export interface UnionMember {
  readonly type: Type
  /** In protobuf a union is a message with a field for each member. */
  readonly proto?: number
  readonly protoName?: string
}

/** Text forms that the kernel reads by name: `x-orch-scalar`. */
export type Scalar =
  | 'time'
  | 'micro-time'
  | 'duration'
  | 'quantity'
  | 'int-or-string'
  | 'raw-extension'
  | 'fields-v1'
  | 'any'

export interface Field {
  readonly name: string
  readonly description: string
  readonly type: Type
  readonly required: boolean
  /**
   * What an absent value is. `tracked`: absent stays absent and differs from zero. `omit`: zero and absent are the same
   * and neither is written. `keep`: zero and absent are the same and zero is always written.
   */
  readonly zero: 'tracked' | 'omit' | 'keep'
  /** An absent struct is checked as if it were empty (`x-orch-check-absent`). */
  readonly checkAbsent: boolean
  readonly default?: unknown
  readonly list?: 'atomic' | 'set' | 'map'
  readonly keys?: readonly string[]
  /** Items of a map list may share their keys (`x-orch-accept-duplicates`). */
  readonly duplicates?: boolean
  readonly map?: 'atomic' | 'granular'
  /** Amounts in the map are rounded up to it (`x-orch-precision`). */
  readonly precision?: 'milli'
  readonly patch?: readonly ('merge' | 'replace' | 'retainKeys')[]
  readonly patchKey?: string
  readonly featureGate?: string
  /** Names of the checks that hold for the field (`x-orch-check`). */
  readonly checks?: readonly string[]
  readonly proto?: number
  readonly protoName?: string
  /** Absent differs from zero although the field is required (`x-orch-zero: tracked`). */
  readonly pointer?: boolean
  /** In protobuf the list is a message of its own, with the items in field 1. */
  readonly protoMessage?: boolean
  /** Set when the field came in through an inlined struct. */
  readonly inline?: Inline
  readonly at: Position
}

/** An inlined struct: the name and number of its protobuf field, and the struct's id. */
export interface Inline {
  readonly name: string
  readonly proto?: number
  readonly type: string
  /** Set when the field came into that struct through another inlined one. */
  readonly inner?: Inline
}

/** A type where it is used. */
export type Type = PlainType & {
  /** What values fulfil here, beyond what their type says. */
  readonly rules?: readonly Expression[]
}

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

/** A rule in the expression language, and the node it was read from. */
export interface Expression extends ValidationRule {
  readonly at: YamlNode
}

export interface StringBounds {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly values?: readonly string[]
}

export interface NumberBounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
}

/** What a schema says of a kind: its descriptor without what emitters make of its types. */
export interface KindFacts
  extends Omit<Kind, 'listKind' | 'merge' | 'storageVersion' | 'read' | 'proto' | 'validations'> {
  /** The `apiVersion` that objects of this version are stored in, where it is another one. */
  readonly storedAs?: string
  /** How objects of the older version `from` become objects of this one, and back. */
  readonly conversion?: ConversionFacts
  /** Id of the root struct. */
  readonly type: string
  readonly at: Position
  /** True for a kind that another tree serves: it is here only to be referred to. */
  readonly external: boolean
}

export interface ConversionFacts {
  readonly from: string
  readonly steps: readonly ConversionStep[]
  /** Where each step stands, in the order of `steps`. */
  readonly at: readonly Position[]
}

/** A source marker of `schemas/markers.yaml`: the vendor keyword, its values, and where it may stand. */
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
  /** Published in OpenAPI documents under the platform's prefix. */
  readonly published: boolean
  readonly description: string
}

/** A feature gate with the releases in which it changed, oldest first. */
export interface FeatureFacts {
  readonly gate: string
  readonly description: string
  readonly releases: readonly (FeatureRelease & { readonly at: Position })[]
  readonly at: Position
  /** The gate of what takes the feature's place once it is deprecated. */
  readonly replacement?: string
  /** True for a gate of orch's own root that a user's root refers to. */
  readonly external: boolean
}

/** The flags of one daemon, in sections. */
export interface OptionSet {
  readonly daemon: string
  readonly description: string
  /** Who types the flags: administrators of a control plane, if the schema does not say. */
  readonly audience?: 'admin' | 'user'
  /** Id of the root struct of its configuration file. */
  readonly config?: string
  readonly constraints: readonly SettingConstraint[]
  /** The schema file it comes from. */
  readonly file: string
  readonly sections: readonly { readonly name: string; readonly options: readonly OptionFacts[] }[]
}

/** A flag, and where it is declared. */
export interface OptionFacts extends Option {
  readonly lifecycle?: OptionStability
  readonly at: Position
}

/** How far a flag has come: what comparing two schema trees goes by. */
export interface OptionStability {
  /** What is promised about it; GA, if the schema does not say. */
  readonly stability: 'Alpha' | 'Beta' | 'GA'
  /** The release that deprecated it. */
  readonly deprecatedSince?: string
  /** The flag to use in its place. */
  readonly replacement?: string
}
