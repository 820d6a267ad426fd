import type { PersistentVolume } from '../../../generated/apis/core/v1/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { PodDisruptionBudget } from '../../../generated/apis/policy/v1.ts'
import type { CSIDriver } from '../../../generated/apis/storage/v1/csi-driver.ts'
import type { CSINode } from '../../../generated/apis/storage/v1/csi-node.ts'
import type { CSIStorageCapacity } from '../../../generated/apis/storage/v1/csi-storage-capacity.ts'
import type { StorageClass } from '../../../generated/apis/storage/v1/storage-class.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { NamespaceLabels } from '../facts/affinity-term.ts'
import type { LabelSelection } from '../facts/label-selection.ts'
import type { PodClass } from '../facts/pod-class.ts'

/** What is looked up beside nodes and pods. Claims and volumes are as they are assumed to be where a pod waits for them. */
export interface Lookups {
  readonly namespaceLabels: NamespaceLabels
  /** What selects the pods that do the same work as those of a class: their services and their controller. Undefined if nothing does. */
  readonly peersOf: (pods: PodClass) => LabelSelection | undefined
  readonly claim: (namespace: string, name: string) => Stored<PersistentVolumeClaim> | undefined
  readonly volume: (name: string) => Stored<PersistentVolume> | undefined
  readonly volumesOfClass: (storageClass: string) => readonly Stored<PersistentVolume>[]
  readonly storageClass: (name: string) => Stored<StorageClass> | undefined
  readonly csiNode: (name: string) => Stored<CSINode> | undefined
  readonly csiDriver: (name: string) => Stored<CSIDriver> | undefined
  readonly capacities: () => readonly Stored<CSIStorageCapacity>[]
  readonly budgets: () => readonly Stored<PodDisruptionBudget>[]
}
