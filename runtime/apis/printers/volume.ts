/** What lists of volumes, claims and storage classes show. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Claim, PersistentVolume } from '../core/volume/volume-shapes.ts'
import type { List } from '../types/shapes.ts'

const unset = '<unset>'
const modes = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const

export function volumeCapacity(object: ApiObject): string {
  return (object as PersistentVolume).spec?.capacity?.storage ?? '0'
}

export function volumeAccessModes(object: ApiObject): string {
  return printModes((object as PersistentVolume).spec?.accessModes)
}

/** The phase; an object that is being deleted is terminating whatever its phase. */
export function volumeStatus(object: ApiObject): string {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating'
  return (object as PersistentVolume).status?.phase ?? ''
}

/** `shop/data`: the claim that the volume is bound to. */
export function volumeClaim(object: ApiObject): string {
  const claim = (object as PersistentVolume).spec?.claimRef
  return claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : ''
}

/** The class of a volume or claim; an older annotation for it still counts. */
export function volumeStorageClass(object: ApiObject): string {
  const annotations = Object.entries(object.metadata.annotations ?? {})
  const older = annotations.find(([key]) => /^volume\.beta\.[^/]+\/storage-class$/.test(key))
  return older?.[1] ?? (object as PersistentVolume).spec?.storageClassName ?? ''
}

export function volumeAttributesClass(object: ApiObject): string {
  return (object as PersistentVolume).spec?.volumeAttributesClassName ?? unset
}

export function volumeMode(object: ApiObject): string {
  return (object as PersistentVolume).spec?.volumeMode ?? unset
}

/** Size of the bound volume; nothing before the claim has one. */
export function claimCapacity(object: ApiObject): string {
  const { spec, status } = object as Claim
  return spec?.volumeName ? (status?.capacity?.storage ?? '0') : ''
}

export function claimAccessModes(object: ApiObject): string {
  const { spec, status } = object as Claim
  return spec?.volumeName ? printModes(status?.accessModes) : ''
}

function printModes(given: List<string> | undefined): string {
  const names = modes.filter(([mode]) => given?.includes(mode)).map(([, short]) => short)
  return names.join(',')
}

/** The name, and whether claims that name no class get this one. */
export function storageClassName({ metadata }: ApiObject): string {
  const annotations = Object.entries(metadata.annotations ?? {})
  const key = /^storageclass\.(beta\.)?[^/]+\/is-default-class$/
  const chosen = annotations.some(([name, value]) => key.test(name) && value === 'true')
  return chosen ? `${metadata.name ?? ''} (default)` : (metadata.name ?? '')
}

export function storageClassExpansion(object: ApiObject): boolean {
  type Class = ApiObject & { readonly allowVolumeExpansion?: boolean }
  return (object as Class).allowVolumeExpansion ?? false
}

export function freeCapacity(object: ApiObject): string {
  return (object as ApiObject & { readonly capacity?: string }).capacity ?? unset
}

export function driverCount(object: ApiObject): number {
  type Node = ApiObject & { readonly spec?: { readonly drivers?: List<object> } }
  return (object as Node).spec?.drivers?.length ?? 0
}
