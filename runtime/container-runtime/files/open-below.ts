/**
 * Places below a folder whose content is not ours. What stands there may be a link, and may be replaced by one at any moment: each step of a path is opened, what was
 * opened is looked at, and the next step goes on from there.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
} from 'node:fs'

/** What led out of a folder. */
export class LeadsOut extends Error {
  override readonly name = 'LeadsOut'
}

/** Opens a place without reading it, as the kernel of Linux has it. */
const placeOnly = 0o10000000
const made = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY

/** Opens a place, and makes it, and the folders above it, if it is not there. Links are followed, no further than the folder. Who calls closes it. @throws LeadsOut. */
export function openBelow(folder: string, path: string, kind: 'folder' | 'file'): number {
  const root = realpathSync(folder)
  const steps = path.split('/').filter((step) => step !== '')
  let fd = openSync(root, placeOnly)
  try {
    for (const [index, step] of steps.entries()) {
      const next = stepTo(fd, step, index < steps.length - 1 ? 'folder' : kind)
      closeSync(fd)
      fd = next
      const at = pathOf(fd)
      if (at !== root && !at.startsWith(`${root}/`)) throw new LeadsOut(`${path} leads out`)
    }
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Opens what stands at a path now, which is no link. */
export function openPlace(path: string): number {
  return openSync(path, placeOnly | constants.O_NOFOLLOW)
}

/** Where what is open stands. */
export function pathOf(fd: number): string {
  return readlinkSync(`/proc/self/fd/${fd}`)
}

/** `DEVICE:INODE` of what is open. */
export function identityOf(fd: number): string {
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return `${dev}:${ino}`
}

function stepTo(fd: number, step: string, kind: 'folder' | 'file'): number {
  const place = `/proc/self/fd/${fd}/${step}`
  try {
    if (!lstatSync(place, { throwIfNoEntry: false })) make(place, kind)
    return openSync(place, placeOnly)
  } catch (error) {
    const isLink = lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()
    throw isLink ? new LeadsOut(`${step} is a link that leads nowhere`) : error
  }
}

function make(place: string, kind: 'folder' | 'file'): void {
  if (kind === 'folder') mkdirSync(place)
  else closeSync(openSync(place, made, 0o644))
}
