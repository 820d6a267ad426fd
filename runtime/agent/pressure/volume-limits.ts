/** Pods whose volumes hold more than they may. */
import { join } from 'node:path'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { folderSize } from '../../container-runtime/container-runtime.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { specOf } from '../../pods/pods.ts'
import { bytesOf } from '../containers/resources.ts'
import type { WaitingReason } from '../decision/container-statuses.ts'

/** Why a pod has to go; undefined for one that may stay. `folder` is that of all pods. */
export async function volumeOverLimit(
  pod: Stored<Pod>,
  folder: string,
): Promise<WaitingReason | undefined> {
  for (const { name, emptyDir } of specOf(pod).volumes ?? []) {
    const limit = bytesOf(emptyDir?.sizeLimit)
    if (limit === 0) continue
    if ((await folderSize(join(folder, pod.metadata.uid, 'volumes', name))) <= limit) continue
    const message = `Usage of EmptyDir volume "${name}" exceeds the limit "${emptyDir?.sizeLimit}". `
    return { reason: 'Evicted', message }
  }
  return undefined
}
