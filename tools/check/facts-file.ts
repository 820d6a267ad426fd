/** The form of a facts file. Names in it carry the neutral brand. */

export interface FieldFact {
  /** Null for what is only in protobuf. */
  readonly name: string | null
  readonly num?: number
  readonly protoName?: string
  readonly proto?: string
  readonly type?: string
  readonly format?: string
  readonly ref?: string
  readonly alias?: string
  readonly items?: FieldFact
  readonly values?: FieldFact
  readonly inline?: boolean
  readonly required?: boolean
  readonly ptr?: boolean
  readonly omitempty?: boolean
  readonly listType?: string
  readonly listMapKeys?: readonly string[]
  readonly mapType?: string
  readonly structType?: string
  readonly patchStrategy?: string
  readonly patchMergeKey?: string
  readonly featureGate?: string
}

/** A type of the release: its name, its fields in order, and what else its schema says. */
export interface TypeFact {
  readonly fields: readonly FieldFact[]
  readonly isKind?: boolean
  readonly isList?: boolean
  readonly structType?: string
  /** A message in protobuf, a plain list in JSON. */
  readonly protoMessageOnly?: boolean
}

/** A resource of the release with everything that discovery and the server know of it. */
export interface ResourceFact {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly verbs: readonly string[]
  readonly subresources: readonly {
    readonly name: string
    readonly kind: string
    readonly groupVersion: string
    readonly verbs: readonly string[]
  }[]
}

/** A printed column: its name, type and whether it is shown only in the wide form. */
export interface ColumnFact {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly priority?: number
}

/** What a write of a resource does beyond its schema. */
export interface BehaviourFact {
  readonly putCreates?: boolean
  readonly putWithoutResourceVersion?: boolean
  readonly deleteReturnsObject?: boolean | string
  readonly generation?: boolean
  readonly applyResetFields?: Readonly<Record<string, readonly string[]>>
}

/** A group with its versions, the preferred one first. */
export interface GroupFact {
  readonly group: string
  readonly versions: readonly { readonly version: string; readonly servedByDefault: boolean }[]
  readonly preferred: string
  readonly discoveryOrder: number
  readonly groupPriorityMinimum?: number
}

/** A feature gate with its stage and default. */
export interface GateFact {
  readonly stage: string
  readonly default: boolean
  readonly locked: boolean
}

/** A default of a field. */
export interface DefaultFact {
  readonly type: string
  readonly path: string
  readonly value: unknown
  /** The condition of a default that does not always hold. */
  readonly when?: string
}

/** What is left out is not known. A name that ends in `*` stands for a family of which there is at least one. */
export interface MetricFact {
  readonly name: string
  readonly type?: string
  readonly stability?: string
  readonly labels?: readonly string[]
  readonly daemon?: string
}

/** The whole file: what one release is, by a source that is not our schemas. */
export interface Facts {
  readonly groups: readonly GroupFact[]
  readonly featureGates: Readonly<Record<string, GateFact>>
  readonly defaults: readonly DefaultFact[]
  readonly types: Readonly<Record<string, TypeFact>>
  readonly enums: Readonly<Record<string, readonly string[]>>
  readonly resources: readonly ResourceFact[]
  /** By kind, with the group in front where it is a named one. */
  readonly tableColumns: Readonly<Record<string, readonly ColumnFact[]>>
  readonly fieldSelectors: Readonly<Record<string, readonly string[]>>
  /** By `<group>/<plural>`. */
  readonly resourceBehaviour: Readonly<Record<string, BehaviourFact>>
  readonly metrics?: readonly MetricFact[]
}
