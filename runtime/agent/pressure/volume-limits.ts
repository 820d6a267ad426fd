/** Pods whose volumes hold more than they may. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { specOf } from '../../pods/pods.ts'
import { bytesOf } from '../containers/resources.ts'
import type { WaitingReason } from '../decision/container-statuses.ts'

/** Why a pod has to go; undefined for one that may stay. `folder` is that of all pods. */
export function volumeOverLimit(pod: Stored<Pod>, folder: string): WaitingReason | undefined {
  for (const { name, emptyDir } of specOf(pod).volumes ?? []) {
    const limit = bytesOf(emptyDir?.sizeLimit)
    if (limit === 0) continue
    if (bytesBelow(join(folder, pod.metadata.uid, 'volumes', name)) <= limit) continue
    const message = `Usage of EmptyDir volume "${name}" exceeds the limit "${emptyDir?.sizeLimit}". `
    return { reason: 'Evicted', message }
  }
  return undefined
}

/** Bytes of the disk that files take; those that go meanwhile, or whose paths are too long for the system, take none. */
function bytesBelow(folder: string): number {
  let sum = 0
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name)
    sum += blocksOf(path) * 512
    if (entry.isDirectory()) sum += bytesBelow(path)
  }
  return sum
}

function blocksOf(path: string): number {
  try {
    return lstatSync(path).blocks
  } catch {
    return 0
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
