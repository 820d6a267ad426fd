/**
 * The seam between generated facts and hand-written behaviour: the type of a kind descriptor.
 *
 * The generator emits one `defineKind` call for each kind of a schema file. Modules of the runtime are given a descriptor and
 * read from it what they need to know about a kind; none of them names a kind by hand.
 */

import type { Steps } from '../async/slices.ts'
import type { NameFormat } from '../meta/names.ts'
import type { ApiObject, ResourceScope, ScopeOf } from '../meta/object.ts'
import type { FieldError, ObjectReader } from '../validation/field-error.ts'
import type { JsonObject } from '../values/json.ts'
import type { Conversion } from './conversion.ts'
import type { DeclaredConditions } from './declared-conditions.ts'
import type { RuleTable } from './validation-rules.ts'

/** Every verb that a resource may serve. */
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

/** A verb of the API, as discovery and authorization name it. */
export type Verb = (typeof allVerbs)[number]

/** `Orphan`: dependents stay, without their owner. `None`: the kind never has dependents, and gets no finalizer for them. */
export type DependentsPolicy = 'Orphan' | 'None'

/** A subresource as discovery lists it. `kind` and `apiVersion` are those of its bodies. */
export interface Subresource {
  readonly name: string
  readonly kind: string
  readonly apiVersion: string
  readonly verbs: readonly Verb[]
  /** The only fields of the object that it changes. Absent: all but those of the kind's `applyReset` of its name. */
  readonly writes?: readonly string[]
  /** Set for a subresource that shows and writes fields of the object as a Scale. */
  readonly scale?: ScalePaths
  /** The name of an action (`eviction`, `token`) of a subresource that is no part of the object. */
  readonly action?: string
  /** The kind of the query of a request that is passed on, for a subresource that another server answers: `PodExecOptions`. */
  readonly connect?: string
  /** The kind of its body, if that is not the object's. */
  readonly body?: () => AnyKind
}

/** The paths of an object's fields that a Scale shows. */
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

/** A format of `cellFormats`. */
export type CellFormat = (typeof cellFormats)[number]

/** A column of the table that the server prints. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  readonly description: string
  /** Columns of a priority above 0 are shown on demand only. */
  readonly priority?: number
  /** A path such as `.status.phase`, or the name of a function in `runtime/apis/printers`. */
  readonly cell: string
  /** How the value at the path is shown. */
  readonly show?: CellFormat
  /** What is shown if there is no value at the path. */
  readonly absent?: string | number | boolean
}

/**
 * How a value merges in strategic merge patch and server-side apply, nested as the type is. What is not mentioned is a
 * scalar, a granular map or struct, or an atomic list.
 */
export interface MergeStrategy {
  /** Properties that do not merge by default. */
  readonly fields?: Readonly<Record<string, MergeStrategy | (() => MergeStrategy)>>
  /** How the values of a map, or the items of a list, merge. */
  readonly items?: MergeStrategy | (() => MergeStrategy)
  readonly list?: 'atomic' | 'set' | 'map'
  /** Key properties of a `map` list. */
  readonly keys?: readonly string[]
  /** The values of key properties that an item leaves out. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>
  /** `granular` is set only for a map of objects: each entry is a field with an owner. */
  readonly map?: 'atomic' | 'granular'
  /** The schema has a default for this object or list, so that it may be there without an owner. */
  readonly defaulted?: true
  /** The strategies of strategic merge patch. */
  readonly patch?: readonly ('merge' | 'replace' | 'retainKeys')[]
  /** The key by which strategic merge patch merges a list of objects. */
  readonly patchKey?: string
}

/** The version that objects of a version are stored in, and the conversion between the two. */
export interface StorageVersionFacts {
  readonly kind: AnyKind
  readonly conversion: Conversion
  /** The side of the conversion that is not stored. */
  readonly side: 'older' | 'newer'
}

/** The object that a write replaces, if it is an update, and the subresource that it goes through. */
export interface CustomResourceUpdate {
  readonly old?: ApiObject | undefined
  readonly subresource?: string | undefined
}

/** What only kinds of custom resources have. */
export interface CustomResourceFacts {
  /** Objects of this revision and before may have been stored under another schema: they are pruned and defaulted when read. */
  readonly rereadUpToRevision: number
  /** Validates what the reader cannot: rules and formats. `old` is undefined for a new object. */
  readonly check?: (object: ApiObject, old: ApiObject | undefined) => Steps<readonly FieldError[]>
  /**
   * The errors of an object on its way to the store, without those of its metadata and its rules. `found` is what its reader
   * refused outside of the metadata: not all of it counts in every update.
   */
  readonly fieldErrors: (
    object: ApiObject,
    found: readonly FieldError[],
    update: CustomResourceUpdate,
  ) => readonly FieldError[]
  /**
   * What keeps the fields of an object from being managed, as messages that begin with its path. `repeats`: lists may have one item
   * twice. `valid`: the schema refuses nothing of the object.
   */
  readonly typeProblems: (
    object: JsonObject,
    options?: { readonly repeats?: boolean; readonly valid?: boolean },
  ) => readonly string[]
  /**
   * Converts objects of any version of the kind to this one, in their order, by a conversion webhook. Absent if the
   * versions differ in their names only.
   */
  readonly convert?: (objects: readonly ApiObject[]) => Promise<readonly ApiObject[]>
  /** The warning that requests get if the version is deprecated. */
  readonly deprecation?: string
}

/** The fields that depend on feature gates, nested as the type is; a field that is not mentioned depends on none. */
export interface GatedFields {
  /** The gate that this value depends on. */
  readonly gate?: string
  /** What a given value becomes without the gate; absent: it is dropped. */
  readonly off?: string
  readonly fields?: Readonly<Record<string, GatedFields>>
  /** The fields of a value that is an object. */
  readonly value?: () => GatedFields
  /** The fields of each item of a list, or value of a map. */
  readonly items?: () => GatedFields
}

/** The checks of a value and of what is in it, by name and nested as the type is; what is not mentioned has none. */
export interface Checks {
  /** The checks of the value itself, in their order. */
  readonly checks?: readonly string[]
  readonly fields?: Readonly<Record<string, Checks>>
  /** The checks of a field's type, where that is an object. */
  readonly value?: () => Checks
  /** The checks of each item of a list, or value of a map. */
  readonly items?: () => Checks
}

/**
 * A pass of judging a write: `whole` is all that a creation is judged for, its metadata included, and `content` the same without
 * metadata; `metadata` is how metadata may change, `changes` what else an update may not change.
 */
export const errorPasses = ['beforeMetadata', 'changes', 'content', 'metadata', 'whole'] as const

/** A pass of `errorPasses`. */
export type ErrorPass = (typeof errorPasses)[number]

/** The descriptor of a kind: everything that the runtime knows about it. */
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
  /** The body of the response to a DELETE that removed the object. */
  readonly deleteReturns: 'Status' | 'Object'
  /** The propagation policy of a DELETE that names none. Absent: Background. */
  readonly dependents?: DependentsPolicy
  /** The warning for a DELETE that names no propagation policy. */
  readonly deleteWarning?: string
  /** The release that deprecated the kind (`1.19`), if no release is known that removes it. */
  readonly deprecated?: string
  /** metadata.generation starts at 1, and grows when the object changes in more than metadata and status. */
  readonly generation: boolean
  /** The paths whose changes it counts, in place of all but metadata and status. */
  readonly generationCounts?: readonly string[]
  /** A new object keeps the status in its body, although the kind has the subresource `status`. */
  readonly statusOnCreate?: boolean
  /** A finalizer without a domain need not be one that the platform knows. */
  readonly anyFinalizer?: boolean
  readonly columns: readonly Column[]
  /** Field selectors beside metadata.name and metadata.namespace, with the paths that they read. */
  readonly selectableFields: Readonly<Record<string, string>>
  /** What selectors see of a number or boolean among them that is absent. */
  readonly selectableZeros?: Readonly<Record<string, string>>
  /** Names of the strategies in `runtime/apis` that default and validate what a schema cannot express. */
  readonly strategies: readonly string[]
  /** The types of conditions in the status, where the schema declares them. */
  readonly conditions?: DeclaredConditions
  /** The validation rules (CEL) that the schema states. */
  readonly validations?: RuleTable
  /**
   * The passes that errors are told in, by `create`, `update` or the name of a subresource, where they are not the usual ones:
   * `whole` for a new object, else `metadata`, `content` and `changes`. What is judged twice is told twice.
   */
  readonly passes?: Readonly<Record<string, readonly ErrorPass[]>>
  /** Paths of fields that an update may not change. */
  readonly immutable?: readonly string[]
  /** Paths of fields that a write through a subresource resets and server-side apply drops; `main` is the object itself. */
  readonly applyReset: Readonly<Record<string, readonly string[]>>
  readonly merge: MergeStrategy
  /** Set if the schema names checks for the kind's fields or their types. */
  readonly checks?: Checks
  /** Set if fields of the kind depend on feature gates. */
  readonly gatedFields?: GatedFields
  /** The behaviour that the kind needs to mean anything: a server without it does not serve the kind. */
  readonly capabilities?: string
  /** Seconds after its last write when an object expires. Absent: never. */
  readonly ttlSeconds?: number
  /**
   * `<plural>/<subresource>` of the same group version: creating an object of this kind calls that subresource of the object
   * with its name. Objects of the kind are never stored.
   */
  readonly forwardsTo?: string
  /**
   * The name of the function in `runtime/apis` that evaluates objects of this kind, as SubjectAccessReview is evaluated: the
   * response is the object with its status. Objects of the kind are never stored.
   */
  readonly review?: string
  /** The name of the allocator in `runtime/apis` that assigns addresses or ports of shared ranges to objects of the kind. */
  readonly allocator?: string
  /** Set for a version that is not the storage version. All versions of a resource are one collection. */
  readonly storageVersion?: StorageVersionFacts
  /**
   * The group version whose name the storage version hash in discovery is made of, where it is not the stored one's: clients keep
   * the hash that earlier releases told them.
   */
  readonly hashedAs?: string
  /** The release that brought the kind in this version, if it is known. */
  readonly since?: string
  /** Set for the kind of a custom resource. */
  readonly customResource?: CustomResourceFacts
  /**
   * Reads a value as this kind: prunes unknown fields, fills in defaults, puts fields into declaration order, and
   * reports every finding.
   */
  readonly read: ObjectReader<T>
  /** The protobuf message of an object. Absent: the kind has no protobuf form. */
  readonly proto?: string
}

/** A kind of any object type: what tables of kinds hold. */
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

/** A kind whose objects can be scaled: it declares the subresource `scale`. */
export interface ScalableKind<T extends ApiObject = ApiObject> extends Kind<T> {
  readonly scalable: true
}

/** Like `defineKind`, for a kind that declares the subresource `scale`. Only generated code calls it. */
export function defineScalableKind<T extends ApiObject>(
  kind: Kind<T> & { readonly scope: ScopeOf<T> },
): ScalableKind<T> {
  return Object.assign(kind, { scalable: true as const })
}

/** The kind of the storage version, which may be `kind` itself. */
export function storedKind(kind: AnyKind): AnyKind {
  return kind.storageVersion?.kind ?? kind
}

/** `<plural>.<group>`, only the plural for the core group: how errors and logs name a resource. */
export function resourceName(kind: Pick<Kind, 'group' | 'plural'>): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`
}

/** True for two versions of one resource, and for the same one. */
export function isSameResource(one: Kind, other: Kind): boolean {
  return one.plural === other.plural && one.group === other.group
}

/** True if the kind has a subresource of this name. */
export function hasSubresource(
  { subresources }: Pick<Kind, 'subresources'>,
  name: string,
): boolean {
  return subresources.some((one) => one.name === name)
}
