/** Volumes that all containers of a pod may use, whomever they run as. */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
} from 'node:fs'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { podSpecOf } from '../../pods/pods.ts'

const fileModes = 0o660
const readonlyModes = 0o440
/** What is made in such a folder is of its group, too. */
const folderModes = 0o2110

/** Lets the group of a pod use all of a folder, if it has one. One that is the group's already is left as it is, unless something in it is new. */
export function shareWithGroup(
  path: string,
  pod: Pod,
  { readonly, isNew }: { readonly readonly: boolean; readonly isNew: boolean },
): void {
  const { fsGroup } = podSpecOf(pod).securityContext ?? {}
  if (fsGroup === undefined || process.getuid?.() !== 0) return
  const { gid, mode } = lstatSync(path)
  const isShared = gid === Number(fsGroup) && (mode & folderModes) === folderModes
  if (isNew || !isShared) giveToGroup(path, Number(fsGroup), readonly ? readonlyModes : fileModes)
}

/** Links are not followed, not even one that takes the place of a file meanwhile: what is opened is changed. What cannot be opened, as a link or a socket, has a group only. */
function giveToGroup(path: string, group: number, modes: number): void {
  const { uid } = lstatSync(path)
  const fd = opened(path)
  if (fd === undefined) lchownSync(path, uid, group)
  else giveOpened(fd, group, modes)
}

function giveOpened(fd: number, group: number, modes: number): void {
  try {
    const stat = fstatSync(fd)
    const isFolder = stat.isDirectory()
    fchownSync(fd, stat.uid, group)
    fchmodSync(fd, (stat.mode & 0o7777) | modes | (isFolder ? folderModes : 0))
    if (!isFolder) return
    const folder = `/proc/self/fd/${fd}`
    for (const name of readdirSync(folder)) giveToGroup(`${folder}/${name}`, group, modes)
  } finally {
    closeSync(fd)
  }
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}
