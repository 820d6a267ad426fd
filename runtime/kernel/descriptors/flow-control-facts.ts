/**
 * The flow schemas and priority levels (API Priority and Fairness) of a new server, as generated from
 * `schemas/flow-control.yaml`. They have the shape of the `spec` of their kinds, so that they and stored objects are read by
 * the same code.
 */
export interface FlowControlFacts {
  /** The annotation of a suggested object that the server keeps as it is here. */
  readonly annotation: string
  readonly priorityLevels: readonly NamedSpec<PriorityLevelSpec>[]
  readonly flowSchemas: readonly NamedSpec<FlowSchemaSpec>[]
}

/** A flow schema or priority level. */
export interface NamedSpec<Spec> {
  readonly name: string
  /** The server restores the object whatever is written. */
  readonly mandatory: boolean
  readonly spec: Spec
}

/** See PriorityLevelConfigurationSpec of the API. */
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

/** The queues of a priority level. */
export interface Queuing {
  readonly queues?: number
  readonly handSize?: number
  readonly queueLengthLimit?: number
}

/** See FlowSchemaSpec of the API. */
export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: { readonly name: string }
  readonly matchingPrecedence?: number
  readonly distinguisherMethod?: { readonly type: string }
  readonly rules?: readonly FlowRule[]
}

/** Matches requests of one of the subjects to one of the resources or paths. */
export interface FlowRule {
  readonly subjects: readonly FlowSubject[]
  readonly resourceRules?: readonly ResourceRule[]
  readonly nonResourceRules?: readonly NonResourceRule[]
}

/** A user, a group or a service account; `*` is any. */
export interface FlowSubject {
  readonly kind: string
  readonly user?: { readonly name: string }
  readonly group?: { readonly name: string }
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
}

/** Matches requests for resources. */
export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly clusterScope?: boolean
  readonly namespaces?: readonly string[]
}

/** Matches requests for other paths. */
export interface NonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}
