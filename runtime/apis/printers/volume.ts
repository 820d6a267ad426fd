/** Cells of volumes, claims and storage classes. */
import type { PersistentVolume } from '../../../generated/apis/core/v1/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { CSIDriver } from '../../../generated/apis/storage/v1/csi-driver.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'

type Volume = LooseObject<PersistentVolume>
type Claim = LooseObject<PersistentVolumeClaim>
type Driver = LooseObject<CSIDriver>

const modes = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const

/** The ways of access in short: `RWO,ROX`. */
export function volumeAccessModes({ spec }: Volume): string {
  return printModes(spec?.accessModes)
}

/** The phase; an object that is being deleted is terminating whatever its phase. */
export function volumeStatus({ metadata, status }: Volume): string {
  return metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating'
}

/** `shop/data`: the claim that the volume is bound to. */
export function volumeClaim({ spec }: Volume): string {
  const claim = spec?.claimRef
  return claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : ''
}

/** The class of a volume or claim; an older annotation for it still counts. */
export function volumeStorageClass({ metadata, spec }: Volume | Claim): string {
  const annotations = Object.entries(metadata.annotations ?? {})
  const older = annotations.find(([key]) => /^volume\.beta\.[^/]+\/storage-class$/.test(key))
  return older?.[1] ?? spec?.storageClassName ?? ''
}

/** The class of the volume's attributes; an empty name is one, too. */
export function volumeAttributesClass({ spec }: Volume | Claim): string {
  return spec?.volumeAttributesClassName ?? '<unset>'
}

/** Size of the bound volume; nothing before the claim has one. */
export function claimCapacity({ spec, status }: Claim): string {
  return spec?.volumeName ? (status?.capacity?.storage ?? '0') : ''
}

/** Ways of access to the bound volume in short. */
export function claimAccessModes({ spec, status }: Claim): string {
  return spec?.volumeName ? printModes(status?.accessModes) : ''
}

function printModes(given: readonly string[] | null | undefined): string {
  const names = modes.filter(([mode]) => given?.includes(mode)).map(([, short]) => short)
  return names.join(',')
}

/** The audiences of the tokens that a driver wants. */
export function driverAudiences({ spec }: Driver): string {
  const requests = spec?.tokenRequests
  return requests ? requests.map((request) => request?.audience ?? '').join(',') : '<unset>'
}

/** The name, and whether claims that name no class get this one. */
export function storageClassName({ metadata }: ApiObject): string {
  const annotations = Object.entries(metadata.annotations ?? {})
  const key = /^storageclass\.(beta\.)?[^/]+\/is-default-class$/
  const chosen = annotations.some(([name, value]) => key.test(name) && value === 'true')
  return chosen ? `${metadata.name ?? ''} (default)` : (metadata.name ?? '')
}
