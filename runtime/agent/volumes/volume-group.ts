/** Volumes that all containers of a pod may use, whomever they run as. */
import { chmodSync, lchownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
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

/** Links are not followed. */
function giveToGroup(path: string, group: number, modes: number): void {
  const stat = lstatSync(path)
  lchownSync(path, stat.uid, group)
  if (stat.isSymbolicLink()) return
  const isFolder = stat.isDirectory()
  chmodSync(path, (stat.mode & 0o7777) | modes | (isFolder ? folderModes : 0))
  if (!isFolder) return
  for (const name of readdirSync(path)) giveToGroup(join(path, name), group, modes)
}
