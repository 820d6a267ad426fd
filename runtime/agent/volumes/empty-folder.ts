/** Volumes that are empty at first: folders of the disk, or of memory. */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { EmptyDirVolumeSource } from '../../../generated/apis/core/v1/volume.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { bytesOf } from '../containers/resources.ts'
import { VolumeError } from './volume-error.ts'

const mountList = '/proc/self/mountinfo'

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

/** Lets go of all that is mounted below a folder, the memory of volumes with it. */
export function unmountBelow(folder: string): void {
  for (const path of mountsBelow(folder)) execFileSync('umount', [path], { stdio: 'pipe' })
}

/** The same for all pods whose folders an agent has; what is on disk stays. */
export function releaseVolumes(rootFolder: string): void {
  unmountBelow(join(rootFolder, 'pods'))
}

/** The places below a folder where something is mounted, those within others first. What is there is not known only where the system has no such list. */
function mountsBelow(folder: string): readonly string[] {
  if (!existsSync(folder) || !existsSync(mountList)) return []
  const root = `${realpathSync(folder)}/`
  return readFileSync(mountList, 'utf8')
    .split('\n')
    .map((line) => unescaped(line.split(' ')[4] ?? ''))
    .filter((path) => path.startsWith(root))
    .reverse()
}

/** Blanks and their like are written as numbers there. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)))
}

function isMountPoint(path: string): boolean {
  return statSync(path).dev !== statSync(dirname(path)).dev
}
