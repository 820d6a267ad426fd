import { hasOtherMode } from '../../../pods/pods.ts'
import { annotationOf, type BindingNames, staleDriver } from './binding-names.ts'
import type { Claim, Volume } from './match-volume.ts'
import type { WipedSource } from './wiper-template.ts'

/** What is to be done for a volume. */
export type VolumePlan =
  /** Nothing, but to say in which phase it is. */
  | { readonly do: 'phase'; readonly phase: 'Available' | 'Bound' }
  | { readonly do: 'migrate'; readonly driver: string | undefined }
  /** Its claim cannot have it, which both are told. */
  | { readonly do: 'mismatch'; readonly claim: Claim }
  /** Its claim is gone: what its policy says is done. */
  | { readonly do: 'release' }
  /** Its claim has another volume: it is free again. */
  | { readonly do: 'unbind' }
  /** Its claim is to be bound to it, which is done for the claim. */
  | { readonly do: 'wait' }

/** What is to be done for a volume whose claim, if it is there, is the very one that the volume names. */
export function decideVolume(
  volume: Volume,
  claim: Claim | undefined,
  names: BindingNames,
): VolumePlan {
  const stale = staleDriver(volume, [names.provisionedBy], names)
  if (stale !== undefined) return { do: 'migrate', ...stale }
  const { claimRef, persistentVolumeReclaimPolicy: policy } = volume.spec ?? {}
  if ((claimRef?.uid ?? '') === '') return { do: 'phase', phase: 'Available' }
  if (claim === undefined) return { do: 'release' }
  const { volumeName = '' } = claim.spec ?? {}
  if (volumeName === volume.metadata.name) return { do: 'phase', phase: 'Bound' }
  if (volumeName === '')
    return hasOtherMode(volume, claim) ? { do: 'mismatch', claim } : { do: 'wait' }
  const isMade = annotationOf(volume, names.provisionedBy) !== undefined
  return isMade && policy === 'Delete' ? { do: 'release' } : { do: 'unbind' }
}

/** How a volume that was released is made away with. */
export type Reclaim =
  | { readonly is: 'kept' }
  /** By another program: the driver that made it. */
  | { readonly is: 'left' }
  | { readonly is: 'folder'; readonly path: string }
  | { readonly is: 'wiped'; readonly source: WipedSource }
  | { readonly is: 'failed'; readonly reason: string; readonly message: string }

/** How a volume that was released is made away with. */
export function decideReclaim(volume: Volume, names: BindingNames): Reclaim {
  const { spec = {} } = volume
  if ((annotationOf(volume, names.migratedTo) ?? '') !== '') return { is: 'left' }
  switch (spec.persistentVolumeReclaimPolicy) {
    case 'Delete':
      return decideDeletion(volume, names)
    case 'Recycle': {
      if (spec.hostPath !== undefined) return { is: 'wiped', source: 'hostPath' }
      if (spec.nfs !== undefined) return { is: 'wiped', source: 'nfs' }
      const message = 'No recycler plugin found for the volume!'
      return { is: 'failed', reason: 'VolumeFailedRecycle', message }
    }
    default:
      return { is: 'kept' }
  }
}

function decideDeletion(volume: Volume, names: BindingNames): Reclaim {
  const { metadata, spec = {} } = volume
  const failed = (message: string): Reclaim => ({
    ...{ is: 'failed', reason: 'VolumeFailedDelete', message },
  })
  const maker = annotationOf(volume, names.provisionedBy) ?? ''
  if (maker !== '') {
    if (!maker.startsWith(names.internal)) return { is: 'left' }
    const plugin = maker.slice(names.internal.length)
    if (plugin === 'host-path' && spec.hostPath !== undefined)
      return { is: 'folder', path: spec.hostPath.path }
    if (plugin === 'host-path')
      return failed(
        `failed to create deleter for volume ${JSON.stringify(metadata.name)}: spec.PersistentVolumeSource.HostPath is nil`,
      )
    return failed(
      undeletable.has(plugin)
        ? 'no deletable volume plugin matched'
        : `no volume plugin matched name: ${maker}`,
    )
  }
  if (spec.csi !== undefined) return { is: 'left' }
  if (spec.hostPath !== undefined) return { is: 'folder', path: spec.hostPath.path }
  const known = [spec.nfs, spec.local, spec.rbd, spec.portworxVolume, spec.azureFile]
  const why = known.some((source) => source !== undefined)
    ? 'no deletable volume plugin matched'
    : 'no volume plugin matched'
  return failed(
    `error getting deleter volume plugin for volume ${JSON.stringify(metadata.name)}: ${why}`,
  )
}

/** Sources that are known, but whose volumes nothing here can delete. */
const undeletable: ReadonlySet<string> = new Set([
  ...['nfs', 'local-volume', 'csi', 'rbd', 'portworx-volume', 'azure-file'],
])
