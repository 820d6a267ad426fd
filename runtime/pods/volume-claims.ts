/** What is read of claims and of the volumes that they may have. */
import type { PersistentVolume } from '../../generated/apis/core/v1/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Volume } from '../../generated/apis/core/v1/volume.ts'
import type { Metadata, Stored } from '../kernel/meta/object.ts'
import { parseQuantity, type Quantity } from '../kernel/values/quantity.ts'

type Claim = Stored<PersistentVolumeClaim>

/** The name of the claim that a volume of a pod is of, which may be made for it; undefined for a volume of another kind. */
export function claimNameOf(
  { name, persistentVolumeClaim, ephemeral }: Volume,
  podName: string,
): string | undefined {
  return persistentVolumeClaim?.claimName ?? (ephemeral && `${podName}-${name}`)
}

/** The storage class of a claim or a volume, which `formerKey` may name as well; empty for none. */
export function storageClassOf(
  {
    metadata: { annotations = {} },
    spec,
  }: { readonly metadata: Metadata; readonly spec?: { readonly storageClassName?: string } },
  formerKey: string,
): string {
  const former = Object.hasOwn(annotations, formerKey) ? annotations[formerKey] : undefined
  return former ?? spec?.storageClassName ?? ''
}

/** True for a volume that is this claim's: its reference names the claim, if it has a uid this very one. */
export function isOfClaim({ spec }: PersistentVolume, { metadata }: Claim): boolean {
  const { name, namespace, uid = '' } = spec?.claimRef ?? {}
  if (name !== metadata.name || namespace !== metadata.namespace) return false
  return uid === '' || uid === metadata.uid
}

/** True if one of a volume and a claim is a file system, and the other one a device. */
export function hasOtherMode(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (volume.spec?.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem')
}

const zero: Quantity = { negative: false, nanos: 0n, family: 'decimal' }

/** How much a claim asks for. */
export function requestedStorage({ spec }: PersistentVolumeClaim): Quantity {
  return parseQuantity(spec?.resources?.requests?.storage ?? '') ?? zero
}

/** How much a volume holds. */
export function capacityOf({ spec }: PersistentVolume): Quantity {
  return parseQuantity(spec?.capacity?.storage ?? '') ?? zero
}
