/**
 * The seam between generated facts and hand-written meaning: the type of a kind descriptor.
 *
 * The code generator emits one `defineKind` call for each kind of a schema file; every room of the runtime that has to
 * know something about a kind takes a descriptor and reads it from there. Nothing in the runtime names a kind by hand.
 */

import type { Steps } from '../async/slices.ts'
import type { ApiObject, ResourceScope, ScopeOf } from '../meta/object.ts'
import type { FieldError, ObjectReader } from '../validation/field-error.ts'
import type { Conversion } from './conversion.ts'
import type { RuleTable } from './validation-rules.ts'

/** What can be done with objects. */
export const allVerbs = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
] as const

export type Verb = (typeof allVerbs)[number]

export type NameFormat = 'dns-subdomain' | 'dns-label' | 'dns-1035-label' | 'path-segment'

/** `Orphan`: they stay, without their owner. `None`: the kind never has any, and gets no finalizer for them. */
export type DependentsPolicy = 'Orphan' | 'None'

/** A subresource as discovery lists it. `kind` and `apiVersion` name the body that it takes and gives. */
export interface Subresource {
  readonly name: string
  readonly kind: string
  readonly apiVersion: string
  readonly verbs: readonly Verb[]
  /** The only fields of the object that it changes; without this, all but the kind's `applyReset` of its name. */
  readonly writes?: readonly string[]
  /** The fields that it shows and writes as a scale. */
  readonly scale?: ScalePaths
  /** The name of what it does instead of reading and writing a part of the object. */
  readonly action?: string
  /** The kind of its body, where that is not the object's own. */
  readonly body?: () => AnyKind
}

/** Where an object keeps what a scale shows: how many it wants, how many there are, and which ones they are. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/**
 * How a cell shows the value at a path: the time since then, names or images of containers, the number of entries, labels or
 * a selector as they are typed, items joined by commas, or any value as text.
 */
export const cellFormats = [
  'age',
  'containers',
  'count',
  'images',
  'labels',
  'list',
  'selector',
  'text',
] as const

export type CellFormat = (typeof cellFormats)[number]

/** A server-printed column. `cell` is a path such as `.status.phase`, or the name of a function in `runtime/apis`. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  readonly description: string
  readonly priority?: number
  readonly cell: string
  readonly show?: CellFormat
  /** What is shown where a path leads nowhere. */
  readonly absent?: string | number | boolean
}

/**
 * How a value merges, as a tree that mirrors the type: strategic merge patch and server-side apply read it.
 * A missing entry means: scalar, granular map or struct, atomic list.
 */
export interface MergeStrategy {
  /** Properties of an object whose merge is not the default one. */
  readonly fields?: Readonly<Record<string, MergeStrategy | (() => MergeStrategy)>>
  /** The values of a map, or the items of a list. */
  readonly items?: MergeStrategy | (() => MergeStrategy)
  readonly list?: 'atomic' | 'set' | 'map'
  /** Key properties of a `map` list. */
  readonly keys?: readonly string[]
  /** What key properties are where an item leaves them out. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>
  /** `granular` is said only of a map whose values are objects: its entries are fields of their own. */
  readonly map?: 'atomic' | 'granular'
  /** An object or list that is there without being asked for only because the schema has a default for it. */
  readonly defaulted?: true
  /** Strategic merge patch: `merge`, `replace`, `retainKeys` and the key it merges lists of objects by. */
  readonly patch?: readonly ('merge' | 'replace' | 'retainKeys')[]
  readonly patchKey?: string
}

/** The version that objects of another version are stored in, and how the two convert. */
export interface StorageVersionFacts {
  readonly kind: AnyKind
  readonly conversion: Conversion
  /** Which side of the conversion the version is that is not stored. */
  readonly side: 'older' | 'newer'
}

/** What is particular to a kind that was defined at run time. */
export interface CustomResourceFacts {
  /** Objects up to this revision may have been written by another schema: they are read again on their way out. */
  readonly rereadUpToRevision: number
  /** Everything wrong with an object that its reader cannot see; `old` is absent for a new one. */
  readonly check?: (object: ApiObject, old: ApiObject | undefined) => Steps<readonly FieldError[]>
  /** Which findings of the reader still count when an object replaces another; absent: all of them. */
  readonly ratchet?: (object: ApiObject, old: ApiObject) => (finding: FieldError) => boolean
  /**
   * Gives objects of any version of the kind in this one, in their order, by asking somebody else's program. Absent where
   * the versions differ in their names only.
   */
  readonly convert?: (objects: readonly ApiObject[]) => Promise<readonly ApiObject[]>
  /** What a request is told if the version is deprecated. */
  readonly deprecation?: string
}

/** The fields that feature gates switch, as a tree that mirrors the type; what it does not name is always there. */
export interface GatedFields {
  /** The gate of this value itself. */
  readonly gate?: string
  readonly fields?: Readonly<Record<string, GatedFields>>
  /** What lies below a field that is an object. */
  readonly value?: () => GatedFields
  /** What each item of a list or a map is. */
  readonly items?: () => GatedFields
}

/**
 * The names of the checks that hold for a value and for what lies below it, as a tree that mirrors the type; what it does
 * not name has none.
 */
export interface Checks {
  /** The checks of the value itself, in their order. */
  readonly checks?: readonly string[]
  readonly fields?: Readonly<Record<string, Checks>>
  /** The checks of a field's type, where that is an object. */
  readonly value?: () => Checks
  /** The checks of each item of a list, or value of a map. */
  readonly items?: () => Checks
}

/** Everything the runtime knows of a kind. */
export interface Kind<T extends ApiObject = ApiObject> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly scope: ResourceScope
  readonly verbs: readonly Verb[]
  readonly subresources: readonly Subresource[]
  readonly nameFormat: NameFormat
  /** A PUT to an absent name creates the object. */
  readonly createOnUpdate: boolean
  /** A PUT without resourceVersion overwrites. */
  readonly unconditionalUpdate: boolean
  /** What the body of a DELETE is when the object is really gone. */
  readonly deleteReturns: 'Status' | 'Object'
  /** What a DELETE that names no policy means for dependents; absent: they go in the background. */
  readonly dependents?: DependentsPolicy
  /** What a DELETE that names no policy is warned of. */
  readonly deleteWarning?: string
  /** The release that deprecated the kind, where none is known that removes it: `1.19`. */
  readonly deprecated?: string
  /** metadata.generation starts at 1 and grows when the spec changes. */
  readonly generation: boolean
  /** A new object keeps the status that its sender gave, although there is a subresource for it. */
  readonly statusOnCreate?: boolean
  readonly columns: readonly Column[]
  /** Field selectors beside metadata.name and metadata.namespace: the label, and the path it reads. */
  readonly selectableFields: Readonly<Record<string, string>>
  /** Names of the functions in `runtime/apis` that default and check what a schema cannot say. */
  readonly strategies: readonly string[]
  /** The rules in the expression language that its schema states. */
  readonly validations?: RuleTable
  /** Paths of fields that keep the value they were created with. */
  readonly immutable?: readonly string[]
  /**
   * Field paths that a write cannot change and that server-side apply drops, by subresource (`main` for the object
   * itself).
   */
  readonly applyReset: Readonly<Record<string, readonly string[]>>
  readonly merge: MergeStrategy
  /** Set if the schema names checks for the kind's fields or their types. */
  readonly checks?: Checks
  /** Set if a feature gate switches fields of the kind. */
  readonly gatedFields?: GatedFields
  /** The behaviour without which the kind would only pretend: a server that lacks it does not serve the kind. */
  readonly capabilities?: string
  /** How long objects of the kind stay after their last write, where they do not stay for good. */
  readonly ttlSeconds?: number
  /**
   * `<plural>/<subresource>` of the same group version: a new object is an order that this subresource of the object with
   * its name carries out. Nothing of the kind is ever stored.
   */
  readonly forwardsTo?: string
  /**
   * The name of the function in `runtime/apis` that answers objects of the kind: each is a question, and comes back with
   * what its status says. Nothing of the kind is ever stored.
   */
  readonly review?: string
  /** The name of the function in `runtime/apis` that gives objects of the kind their share of common ranges. */
  readonly allocator?: string
  /** Set for a version that is not the stored one. All versions of a resource are one collection. */
  readonly storageVersion?: StorageVersionFacts
  /** Set for a kind that was defined at run time. */
  readonly customResource?: CustomResourceFacts
  /**
   * Reads a value as this kind: prunes unknown fields, fills in defaults, puts fields into declaration order, and
   * reports every finding.
   */
  readonly read: ObjectReader<T>
  /** The message that carries an object of the kind in protobuf; without one, the kind has no such form. */
  readonly proto?: string
}

/** A kind whatever its object type: what tables of kinds hold. */
// biome-ignore lint/suspicious/noExplicitAny: Kind is invariant in its object type
export type AnyKind = Kind<any>

/**
 * Declares a kind. Only generated code calls it. The type parameter ties the descriptor to its object type, which must
 * show the same scope: that of a kind without namespaces has no `metadata.namespace`.
 */
export function defineKind<T extends ApiObject>(
  kind: Kind<T> & { readonly scope: ScopeOf<T> },
): Kind<T> {
  return kind
}

/** The kind that objects of a kind are stored as: itself, or the stored version. */
export function storedKind(kind: AnyKind): AnyKind {
  return kind.storageVersion?.kind ?? kind
}

/** `<plural>.<group>`, only the plural for the core group: how errors and logs name a resource. */
export function resourceName(kind: Pick<Kind, 'group' | 'plural'>): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`
}
