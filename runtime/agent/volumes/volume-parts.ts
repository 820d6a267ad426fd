/** Parts of volumes. What is mounted is told by its number, not only by its path, behind which something else may stand by then. */
import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, fstatSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  identityOf,
  LeadsOut,
  type Mount,
  openBelow,
  openPlace,
  pathOf,
} from '../../container-runtime/container-runtime.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { unmountBelow } from './empty-folder.ts'
import { VolumeError } from './volume-error.ts'

/** A part of a volume, made if it is not there. @throws VolumeError for one that leads out of the volume. */
export function partOf(volume: string, part: string): Pick<Mount, 'hostPath' | 'identity'> {
  let fd: number
  try {
    fd = openBelow(volume, part, 'folder')
  } catch (error) {
    if (!(error instanceof LeadsOut)) throw error
    throw new VolumeError(`subPath ${JSON.stringify(part)} leads out of its volume`)
  }
  try {
    return { hostPath: pathOf(fd), identity: identityOf(fd) }
  } finally {
    closeSync(fd)
  }
}

/**
 * Binds mounts that are told by their number to places in a folder that no container reaches, for runtimes that mount whatever stands at a path when they come to
 * it. What was bound there for a former container is let go.
 */
export function pinMounts(mounts: readonly Mount[], folder: string): readonly Mount[] {
  if (mounts.every(({ identity }) => identity === undefined)) return mounts
  mkdirSync(folder, { recursive: true, mode: 0o750 })
  unmountBelow(folder)
  return mounts.map((mount, index) =>
    mount.identity === undefined
      ? mount
      : { ...mount, hostPath: pinned(mount, mount.identity, join(folder, String(index))) },
  )
}

function pinned({ hostPath }: Mount, identity: string, target: string): string {
  const fd = openPlace(hostPath)
  try {
    if (identityOf(fd) !== identity) throw changed(hostPath)
    if (!existsSync(target)) {
      if (fstatSync(fd).isDirectory()) mkdirSync(target)
      else writeFileSync(target, '')
    }
    const words = ['--no-canonicalize', '--bind', '/proc/self/fd/3', target]
    execFileSync('mount', words, { stdio: ['ignore', 'pipe', 'pipe', fd] })
  } catch (error) {
    if (error instanceof VolumeError) throw error
    throw new VolumeError(`${hostPath} cannot be held for its container: ${errorText(error)}`)
  } finally {
    closeSync(fd)
  }
  const { dev, ino } = statSync(target, { bigint: true })
  if (`${dev}:${ino}` !== identity) throw changed(hostPath)
  return target
}

function changed(path: string): VolumeError {
  return new VolumeError(`${path} was replaced while its container was made`)
}
