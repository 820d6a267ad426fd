/** How volumes are called on nodes, and their attachments. */
import { createHash } from 'node:crypto'
import type { PersistentVolume } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import type { VolumeAttachment } from '../../../../generated/apis/storage/v1/volume-attachment.ts'
import type { Stored } from '../../../kernel/meta/object.ts'

export type Volume = Stored<PersistentVolume>
export type Attachment = Stored<VolumeAttachment>

/** What a driver calls a volume. */
export interface DriverVolume {
  readonly driver: string
  readonly handle: string
}

/** What a driver calls a volume; undefined for one that has no driver. */
export function driverVolumeOf({ spec }: Volume): DriverVolume | undefined {
  const { csi } = spec ?? {}
  return csi && { driver: csi.driver, handle: csi.volumeHandle }
}

/** The name of the attachment of a volume to a node. */
export function attachmentName({ driver, handle }: DriverVolume, node: string): string {
  return `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`
}

/** What nodes call a volume in their status. */
export function nameOnNodes({ driver, handle }: DriverVolume, domain: string): string {
  return `${domain}/csi/${driver}^${handle}`
}

/** The volume of a name in the status of a node; undefined for a name of another form. */
export function volumeOfName(name: string, domain: string): DriverVolume | undefined {
  const prefix = `${domain}/csi/`
  const at = name.indexOf('^')
  if (!name.startsWith(prefix) || at < 0) return undefined
  return { driver: name.slice(prefix.length, at), handle: name.slice(at + 1) }
}

/** True for a volume that several nodes may have at a time, as far as is known. */
export function isShared({ spec }: Volume): boolean {
  const { accessModes = [] } = spec ?? {}
  return (
    accessModes.length === 0 ||
    accessModes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany')
  )
}
