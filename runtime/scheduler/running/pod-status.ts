/** What is written to the status of pods. */
import { type Pod, type PodCondition, pods } from '../../../generated/apis/core/v1/pod.ts'
import type { Client, MergePatch } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'

/** What is said of a pod. */
export interface PodNews {
  readonly condition: Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>
  /** The node that it waits for; empty for none, undefined for what it was. */
  readonly nominated?: string
}

/** So often a status is read again that others wrote meanwhile. */
const attempts = 3

/** Says something of a pod, unless that is said already. A pod that is gone is told nothing. */
export async function tellPod(
  client: Client,
  pod: Stored<Pod>,
  news: PodNews,
  now: number,
): Promise<void> {
  const resource = client.resource(pods)
  const key = objectKey(pod)
  let current: Stored<Pod> | undefined = pod
  for (let left = attempts; current !== undefined; left--) {
    const patch = patchOf(current, news, now)
    if (patch === undefined) return
    try {
      await resource.mergePatch(key, patch, { subresource: 'status' })
      return
    } catch (error) {
      if (isStatus(error, 'NotFound')) return
      if (!isStatus(error, 'Conflict') || left === 1) throw error
    }
    const fresh: Stored<Pod> | undefined = await resource.find(key)
    current = fresh?.metadata.uid === pod.metadata.uid ? fresh : undefined
  }
}

/** The change of a status; undefined for none. */
export function patchOf(
  { metadata, status }: Stored<Pod>,
  { condition, nominated }: PodNews,
  now: number,
): MergePatch<Pod> | undefined {
  const conditions = status?.conditions ?? []
  const before = conditions.find(({ type }) => type === condition.type)
  const isNew = (['status', 'reason', 'message'] as const).some(
    (field) => before?.[field] !== condition[field],
  )
  const moves = nominated !== undefined && nominated !== (status?.nominatedNodeName ?? '')
  if (!isNew && !moves) return undefined
  const since = before?.status === condition.status ? before.lastTransitionTime : timestamp(now)
  const entry = { lastProbeTime: null, ...condition, lastTransitionTime: since ?? timestamp(now) }
  const all =
    before === undefined
      ? [...conditions, entry]
      : conditions.map((one) => (one === before ? { ...before, ...entry } : one))
  const { uid, resourceVersion } = metadata
  return {
    metadata: { uid, resourceVersion },
    status: {
      ...(isNew && { conditions: all }),
      ...(moves && { nominatedNodeName: nominated === '' ? null : nominated }),
    },
  } as unknown as MergePatch<Pod>
}
