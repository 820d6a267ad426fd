/**
 * The intermediate representation: what the schema files say, as plain data with every name resolved and every vendor
 * keyword parsed. Where lint found nothing it is complete: every reference resolves, every default is a value of its
 * type, and emitters have no error paths.
 */

import type { AccessFacts } from '../../runtime/kernel/descriptors/access-facts.ts'
import type { ControllerFacts } from '../../runtime/kernel/descriptors/controller-facts.ts'
import type { ConversionStep } from '../../runtime/kernel/descriptors/conversion.ts'
import type { FeatureRelease } from '../../runtime/kernel/descriptors/feature-gate.ts'
import type { FlowControlFacts } from '../../runtime/kernel/descriptors/flow-control-facts.ts'
import type { Kind } from '../../runtime/kernel/descriptors/kind.ts'
import type { MetricFacts } from '../../runtime/kernel/descriptors/metric-facts.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import type { VersionRemoval } from '../../runtime/kernel/descriptors/scheme.ts'
import type { Option } from '../../runtime/kernel/options/option-table.ts'
import type { SettingConstraint } from '../../runtime/kernel/options/setting-constraints.ts'
import type { NamedType } from './named-type.ts'
import type { Position } from './position.ts'

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
  /** The controllers of the controller manager. */
  readonly controllers: readonly WithPosition<ControllerFacts>[]
  /** Names inside of objects that the platform gives a meaning. */
  readonly wellKnown: readonly WithPosition<WellKnownName>[]
  /** The objects of Priority and Fairness that a server begins with. */
  readonly flowControl?: FlowControlFacts
  /** The roles and bindings that a server begins with. */
  readonly access?: AccessFacts
}

/** A name inside of objects: a key of labels, a finalizer, and the like. */
export interface WellKnownName {
  /** Its name in code. */
  readonly constant: string
  readonly name: string
  /** What the public ecosystem calls it, where that is another name. */
  readonly publicName?: string
  /** `label`, `annotation`, `finalizer` ... */
  readonly of: string
  readonly description: string
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
  /** Absent for a group that no file lists. */
  readonly at?: Position
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
  /** A value as a schema file writes it. */
  readonly example?: string
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
