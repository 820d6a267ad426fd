/** What looks at a node for a pod, under the names that metrics and users know. */
export type FilterName =
  | 'NodeUnschedulable'
  | 'NodeName'
  | 'TaintToleration'
  | 'NodeAffinity'
  | 'NodePorts'
  | 'NodeResourcesFit'
  | 'VolumeRestrictions'
  | 'NodeVolumeLimits'
  | 'VolumeBinding'
  | 'VolumeZone'
  | 'PodTopologySpread'
  | 'InterPodAffinity'

/** Why a node is not for a pod. */
export interface Rejection {
  readonly filter: FilterName
  /** In the words that users are told, each of them counted over nodes. */
  readonly reasons: readonly string[]
  /** True if the node might do once pods have gone from it. */
  readonly mayBeFreed: boolean
}

/** A node that will not do whatever goes from it. */
export function unfit(filter: FilterName, ...reasons: readonly string[]): Rejection {
  return { filter, reasons, mayBeFreed: false }
}

/** A node that might do once pods have gone. */
export function full(filter: FilterName, ...reasons: readonly string[]): Rejection {
  return { filter, reasons, mayBeFreed: true }
}
