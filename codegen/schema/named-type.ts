/** The types of the intermediate representation: structs, enumerations, scalars and unions, and the fields in them. */

import type { DeclaredConditions } from '../../runtime/kernel/descriptors/declared-conditions.ts'
import type { ReferenceRow } from '../../runtime/kernel/descriptors/reference-row.ts'
import type { ValidationRule } from '../../runtime/kernel/descriptors/validation-rules.ts'
import type { SettingConstraint } from '../../runtime/kernel/options/setting-constraints.ts'
import type { Position } from './position.ts'
import type { YamlNode } from './yaml/node.ts'

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
  /** Which of its fields exclude each other, as documents say it (`x-orch-unions`). */
  readonly unions?: readonly object[]
  /** The order in which its errors are told (`x-orch-error-order`). */
  readonly errorOrder?: readonly string[]
  /** The types of a condition, each with its reasons (`x-orch-condition-reasons`). */
  readonly conditions?: DeclaredConditions
  /** Its fields that name other objects (`x-orch-references`). */
  readonly references?: readonly ReferenceRow[]
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
  /** What is said of another value, in place of the list (`x-orch-refusal`). */
  readonly refusal?: string
  /** Whether documents name the values (`x-orch-published-values`), where that does not follow from `closed`. */
  readonly published?: boolean
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
   * `null`: absent differs from zero, and is written as null.
   */
  readonly zero: 'tracked' | 'omit' | 'keep' | 'null'
  /** An absent struct is checked as if it were empty (`x-orch-check-absent`). */
  readonly checkAbsent: boolean
  /** Only types are judged in the value and below it (`x-orch-unvalidated`). */
  readonly unvalidated?: boolean
  /** Errors of its items are told at the list (`x-orch-errors-at-list`). */
  readonly errorsAtList?: boolean
  /** Required, and judged as its zero value while it is absent (`absent: zero` of its file). */
  readonly absentIsZero?: boolean
  /** What is said of a value that must not be empty and is: the detail of `Required value` (`x-orch-missing`). */
  readonly missing?: string
  /** What is said of a value out of bounds, in place of the bounds (`x-orch-refusal`). */
  readonly refusal?: string
  /** What is said of a value above the bounds, where that is another text (`x-orch-refusal-above`). */
  readonly refusalAbove?: string
  /** The value of an absent field, as JSON. */
  readonly default?: unknown
  /** How a list merges (`x-orch-list-type`). */
  readonly list?: 'atomic' | 'set' | 'map'
  /** The fields that identify the items of a map list (`x-orch-list-map-keys`). */
  readonly keys?: readonly string[]
  /** Items of a map list may have equal keys, those of a set be equal (`x-orch-accept-duplicates`). */
  readonly duplicates?: boolean
  /** How a map merges (`x-orch-map-type`). */
  readonly map?: 'atomic' | 'granular'
  /** Amounts in the map are rounded up to it (`x-orch-precision`). */
  readonly precision?: 'milli'
  /** Its type as messages about a wrong one name it, where that does not follow from `type` (`x-orch-type-name`). */
  readonly typeName?: string
  /** How a strategic merge patch treats it (`x-orch-patch-strategy`). */
  readonly patch?: readonly ('merge' | 'replace' | 'retainKeys')[]
  /** The field by which a strategic merge patch identifies items (`x-orch-patch-merge-key`). */
  readonly patchKey?: string
  /** The gate without which the field is dropped (`x-orch-feature-gate`). */
  readonly featureGate?: string
  /** The release that brought the field, where its struct is older (`x-orch-since`). */
  readonly since?: string
  /** Gates take nothing out of the value (`x-orch-ungated`). */
  readonly ungated?: boolean
  /** What a given value becomes without the gate, in place of being dropped (`x-orch-gate-off`). */
  readonly gateOff?: string
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
