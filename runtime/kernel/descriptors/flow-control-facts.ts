/**
 * The facts of Priority and Fairness: what a fresh server has, as generated from `schemas/flow-control.yaml`, in the form
 * of the `spec` of its two kinds, so that facts and stored objects are read alike.
 */
export interface FlowControlFacts {
  /** The key of the annotation under which a suggested object follows the facts. */
  readonly annotation: string
  readonly priorityLevels: readonly NamedSpec<PriorityLevelSpec>[]
  readonly flowSchemas: readonly NamedSpec<FlowSchemaSpec>[]
}

export interface NamedSpec<Spec> {
  readonly name: string
  /** Kept as it is here whatever anybody writes. */
  readonly mandatory: boolean
  readonly spec: Spec
}

export interface PriorityLevelSpec {
  readonly type: string
  readonly limited?: {
    readonly nominalConcurrencyShares?: number
    readonly lendablePercent?: number
    readonly borrowingLimitPercent?: number
    readonly limitResponse?: { readonly type?: string; readonly queuing?: Queuing }
  }
  readonly exempt?: {
    readonly nominalConcurrencyShares?: number
    readonly lendablePercent?: number
  }
}

export interface Queuing {
  readonly queues?: number
  readonly handSize?: number
  readonly queueLengthLimit?: number
}

export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: { readonly name: string }
  readonly matchingPrecedence?: number
  readonly distinguisherMethod?: { readonly type: string }
  readonly rules?: readonly FlowRule[]
}

export interface FlowRule {
  readonly subjects: readonly FlowSubject[]
  readonly resourceRules?: readonly ResourceRule[]
  readonly nonResourceRules?: readonly NonResourceRule[]
}

export interface FlowSubject {
  readonly kind: string
  readonly user?: { readonly name: string }
  readonly group?: { readonly name: string }
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
}

export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly clusterScope?: boolean
  readonly namespaces?: readonly string[]
}

export interface NonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}
