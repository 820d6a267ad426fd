/** Whether the claims of a pod have, or can get, volumes that a node reaches. */

import type { PersistentVolume } from '../../../generated/apis/core/v1/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { StorageClass } from '../../../generated/apis/storage/v1/storage-class.ts'
import { labelRequirementsOf, matchesLabels } from '../../kernel/meta/label-selector.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { compareQuantities, parseQuantity } from '../../kernel/values/quantity.ts'
import {
  capacityOf,
  hasOtherMode,
  isOfClaim,
  matchesNodeSelector,
  requestedStorage,
  storageClassOf,
} from '../../pods/pods.ts'
import type { Cluster } from '../snapshot/cluster.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import type { PodVolumes } from './pod-volumes.ts'
import { type Rejection, unfit } from './rejection.ts'

type Claim = Stored<PersistentVolumeClaim>
type VolumeObject = Stored<PersistentVolume>

/** What is to be done for the claims of a pod on a node. */
export interface VolumePlan {
  readonly bindings: readonly { readonly claim: Claim; readonly volume: VolumeObject }[]
  /** Claims whose volumes are made for the node. */
  readonly provisions: readonly Claim[]
}

const reasons = {
  conflict: 'node(s) had volume node affinity conflict',
  none: "node(s) didn't find available persistent volumes to bind",
  space: 'node(s) did not have enough free storage',
  missing: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
} as const

/** What is to be done on a node, or why it will not do. */
export function planVolumes(
  { bound, waiting }: PodVolumes,
  node: NodeInfo,
  cluster: Cluster,
): VolumePlan | Rejection {
  const found: string[] = []
  for (const claim of bound) {
    const volume = cluster.lookups.volume(claim.spec?.volumeName ?? '')
    if (volume !== undefined && reaches(node, volume)) continue
    found.push(volume === undefined ? reasons.missing : reasons.conflict)
    break
  }
  const plan = planWaiting(waiting, node, cluster)
  if ('reason' in plan) found.push(plan.reason)
  else if (found.length === 0) return plan
  return unfit('VolumeBinding', ...found)
}

function planWaiting(
  claims: readonly Claim[],
  node: NodeInfo,
  cluster: Cluster,
): VolumePlan | { readonly reason: string } {
  const { selectedNode } = cluster.keys
  const selected = (claim: Claim) => claim.metadata.annotations?.[selectedNode]
  if (claims.some((one) => selected(one) !== undefined && selected(one) !== node.name)) {
    return { reason: reasons.none }
  }
  const bindings: { claim: Claim; volume: VolumeObject }[] = []
  const provisions = claims.filter((one) => selected(one) !== undefined)
  const chosen = new Set<string>()
  for (const claim of bySize(claims.filter((one) => selected(one) === undefined))) {
    const volume = matchingVolume(claim, node, cluster, chosen)
    if (volume === undefined) provisions.push(claim)
    else bindings.push({ claim, volume })
    if (volume !== undefined) chosen.add(volume.metadata.name)
  }
  for (const claim of provisions) {
    const reason = provisionProblem(claim, node, cluster)
    if (reason !== undefined) return { reason }
  }
  return { bindings, provisions }
}

function bySize(claims: readonly Claim[]): readonly Claim[] {
  return [...claims].sort((a, b) => compareQuantities(requestedStorage(a), requestedStorage(b)))
}

function reaches({ node }: NodeInfo, { spec }: VolumeObject): boolean {
  const required = spec?.nodeAffinity?.required
  return required === undefined || (node !== undefined && matchesNodeSelector(required, node))
}

/** The volume that was meant for a claim, or the smallest one that will do. */
function matchingVolume(
  claim: Claim,
  node: NodeInfo,
  { lookups, keys }: Cluster,
  chosen: ReadonlySet<string>,
): VolumeObject | undefined {
  const storageClass = storageClassOf(claim, keys.formerStorageClass)
  const wanted = requestedStorage(claim)
  const { selector, accessModes = [] } = claim.spec ?? {}
  const requirements = selector && labelRequirementsOf(selector)
  let smallest: VolumeObject | undefined
  for (const volume of lookups.volumesOfClass(storageClass)) {
    const { metadata, spec, status } = volume
    if (chosen.has(metadata.name) || metadata.deletionTimestamp !== undefined) continue
    if (spec?.claimRef !== undefined && !isOfClaim(volume, claim)) continue
    if (compareQuantities(capacityOf(volume), wanted) < 0) continue
    if (hasOtherMode(volume, claim)) continue
    if (isOfClaim(volume, claim)) return reaches(node, volume) ? volume : undefined
    if (status?.phase !== 'Available' || !reaches(node, volume)) continue
    if (selector && !(requirements && matchesLabels(requirements, metadata.labels))) continue
    if (!accessModes.every((mode) => spec?.accessModes?.includes(mode))) continue
    if (!smallest || compareQuantities(capacityOf(smallest), capacityOf(volume)) > 0)
      smallest = volume
  }
  return smallest
}

/** Why no volume can be made for a claim on a node. */
function provisionProblem(claim: Claim, node: NodeInfo, cluster: Cluster): string | undefined {
  const { lookups, keys } = cluster
  const storageClass = lookups.storageClass(storageClassOf(claim, keys.formerStorageClass))
  if (storageClass === undefined) return reasons.none
  const { provisioner, allowedTopologies = [] } = storageClass
  if (provisioner === '' || provisioner === keys.noProvisioner) return reasons.none
  const isAllowed = allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(node.labels[key] ?? '')),
  )
  if (allowedTopologies.length > 0 && !isAllowed) return reasons.none
  return hasCapacity(claim, storageClass, node, cluster) ? undefined : reasons.space
}

function hasCapacity(
  claim: Claim,
  { metadata, provisioner }: Stored<StorageClass>,
  { labels }: NodeInfo,
  { lookups }: Cluster,
): boolean {
  if (claim.spec?.resources?.requests?.storage === undefined) return true
  if (lookups.csiDriver(provisioner)?.spec.storageCapacity !== true) return true
  const size = requestedStorage(claim)
  return lookups.capacities().some(({ storageClassName, nodeTopology, ...limits }) => {
    const limit = parseQuantity(limits.maximumVolumeSize ?? limits.capacity ?? '')
    if (storageClassName !== metadata.name || limit === undefined) return false
    if (nodeTopology === undefined || compareQuantities(limit, size) < 0) return false
    const requirements = labelRequirementsOf(nodeTopology)
    return requirements !== undefined && matchesLabels(requirements, labels)
  })
}
