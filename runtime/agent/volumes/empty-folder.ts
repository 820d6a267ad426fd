/** Volumes that are empty at first: folders of the disk, or of memory. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { EmptyDirVolumeSource } from '../../../generated/apis/core/v1/volume.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { bytesOf } from '../containers/resources.ts'
import { VolumeError } from './volume-error.ts'

/** Makes one that is not there. @throws VolumeError where the machine gives no memory for it. */
export function makeEmptyFolder(path: string, source: EmptyDirVolumeSource): void {
  const { medium = '', sizeLimit } = source
  if (mkdirSync(path, { recursive: true }) !== undefined) chmodSync(path, 0o777)
  if (medium === '' || isMountPoint(path)) return
  if (medium !== 'Memory') throw new VolumeError(`there is no medium ${JSON.stringify(medium)}`)
  const size = bytesOf(sizeLimit)
  const options = `mode=0777,nosuid,nodev${size > 0 ? `,size=${size}` : ''}`
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'pipe' })
  } catch (error) {
    throw new VolumeError(`a volume in memory cannot be made: ${errorText(error)}`)
  }
}

/** Gives back the memory of volumes below a folder. */
export function unmountBelow(folder: string): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    if (isMountPoint(path)) execFileSync('umount', [path], { stdio: 'pipe' })
  }
}

/** The same for all pods whose folders an agent has; what is on disk stays. */
export function releaseVolumes(rootFolder: string): void {
  const folder = join(rootFolder, 'pods')
  for (const uid of namesIn(folder)) unmountBelow(join(folder, uid, 'volumes'))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isMountPoint(path: string): boolean {
  return statSync(path).dev !== statSync(dirname(path)).dev
}
