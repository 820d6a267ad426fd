/** What is read of the volumes of pods, and of claims. */
import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Volume } from '../../../generated/apis/core/v1/volume.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { PlatformKeys } from './platform-keys.ts'

/** True for a volume whose disk other pods may have. */
export function isDisk(volume: Volume): boolean {
  return Boolean(
    volume.gcePersistentDisk ?? volume.awsElasticBlockStore ?? volume.rbd ?? volume.iscsi,
  )
}

/** True for a claim that has its volume for good. */
export function isBound(
  { metadata, spec }: Stored<PersistentVolumeClaim>,
  { bindCompleted }: PlatformKeys,
): boolean {
  return (spec?.volumeName ?? '') !== '' && metadata.annotations?.[bindCompleted] !== undefined
}
