import type { FilterName } from '../filters/rejection.ts'

/** Something that happened, after which a pod may find a node that found none before. */
export type ClusterEvent =
  | 'NodeAdd'
  | 'NodeDelete'
  | 'NodeAllocatableChange'
  | 'NodeLabelChange'
  | 'NodeTaintChange'
  | 'NodeSpecUnschedulableChange'
  | 'NodeConditionChange'
  | 'AssignedPodAdd'
  | 'AssignedPodUpdate'
  | 'AssignedPodDelete'
  | 'PvAdd'
  | 'PvUpdate'
  | 'PvcAdd'
  | 'PvcUpdate'
  | 'StorageClassAdd'
  | 'StorageClassUpdate'
  | 'CSINodeAdd'
  | 'CSINodeUpdate'
  | 'CSIDriverAdd'
  | 'CSIDriverUpdate'
  | 'CSIStorageCapacityAdd'
  | 'CSIStorageCapacityUpdate'

const nodeUpdates = [
  'NodeAllocatableChange',
  'NodeLabelChange',
  'NodeTaintChange',
  'NodeSpecUnschedulableChange',
  'NodeConditionChange',
] as const
const anyNode = ['NodeAdd', ...nodeUpdates] as const
const places = ['NodeAdd', 'NodeLabelChange', 'NodeTaintChange'] as const
const anyPod = ['AssignedPodAdd', 'AssignedPodUpdate', 'AssignedPodDelete'] as const

/** After which events a node may do that a filter was against. */
const helpful: Readonly<Record<FilterName, ReadonlySet<ClusterEvent>>> = {
  NodeUnschedulable: new Set(anyNode),
  NodeName: new Set(anyNode),
  TaintToleration: new Set(anyNode),
  NodeAffinity: new Set(anyNode),
  NodePorts: new Set([...anyNode, 'AssignedPodDelete']),
  NodeResourcesFit: new Set([...anyNode, 'AssignedPodDelete']),
  PodTopologySpread: new Set([...anyPod, ...places, 'NodeDelete']),
  InterPodAffinity: new Set([...anyPod, ...places]),
  VolumeRestrictions: new Set(['AssignedPodDelete', 'NodeAdd', 'PvcAdd', 'PvcUpdate']),
  NodeVolumeLimits: new Set(['AssignedPodDelete', 'NodeAdd', 'CSINodeAdd', 'CSINodeUpdate']),
  VolumeZone: new Set([...places, 'StorageClassAdd', 'PvcAdd', 'PvcUpdate', 'PvAdd', 'PvUpdate']),
  VolumeBinding: new Set([
    ...places,
    ...(['PvcAdd', 'PvcUpdate', 'PvAdd', 'PvUpdate'] as const),
    ...(['StorageClassAdd', 'StorageClassUpdate', 'CSINodeAdd', 'CSINodeUpdate'] as const),
    ...(['CSIDriverAdd', 'CSIDriverUpdate'] as const),
    ...(['CSIStorageCapacityAdd', 'CSIStorageCapacityUpdate'] as const),
  ]),
}

/** True if one of the filters may let the pod pass now; of a pod of which no filter is known nothing is ruled out. */
export function mayHelp(filters: ReadonlySet<FilterName>, event: ClusterEvent): boolean {
  if (filters.size === 0) return true
  for (const filter of filters) if (helpful[filter].has(event)) return true
  return false
}
