import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import type { JsonPatch } from '../../../client/client.ts'
import { objectKey } from '../../../informer/informer.ts'
import { errorText } from '../../../kernel/errors/error-text.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import type { KeyContext } from '../../../reconcile/reconcile.ts'
import { createPod } from '../../pods/create-pod.ts'
import type { SlowStarts } from '../../pods/slow-start.ts'
import type { AssessedJob } from './assess-job.ts'
import type { PodPlan } from './decide-pods.ts'
import type { PodOutcome } from './decide-status.ts'
import type { JobMetrics } from './job-metrics.ts'
import type { JobRules } from './job-rules.ts'
import { newPod } from './new-pod.ts'

/** What came of a plan. */
export interface PodsResult extends PodOutcome {
  /** The first thing that went wrong. */
  readonly error: unknown
  /** Milliseconds until pods may be created. */
  readonly waitMs: number | undefined
  /** True if more pods are to be created in the next turn. */
  readonly paused: boolean
}

/** Creates or deletes pods of a job, and records what became of it. */
export async function carryOutPods(
  plan: PodPlan,
  assessed: AssessedJob,
  context: KeyContext & { readonly metrics: JobMetrics; readonly starts: SlowStarts },
): Promise<PodsResult> {
  const active = assessed.active.length
  const result: PodsResult = {
    ...{ active, stopped: true, error: undefined, waitMs: undefined, paused: false },
  }
  switch (plan.is) {
    case 'keep':
      return result
    case 'wait':
      return { ...result, waitMs: Math.max(1000, plan.ms) }
    case 'create': {
      const create = async (at: number): Promise<void> => {
        let isMade = false
        try {
          await createIndexPod(plan.indexes?.[at], assessed, context)
          isMade = true
        } finally {
          context.metrics.podCreated(assessed.job, isMade)
        }
      }
      const { uid } = assessed.job.metadata
      const { made, error, paused } = await context.starts.run(uid, plan.count, create, context)
      return { ...result, error, paused, active: active + made }
    }
    default: {
      const uncounted = plan.is === 'delete'
      const settled = await Promise.allSettled(
        plan.pods.map((pod) => deletePod(pod, uncounted, assessed, context)),
      )
      const wrong = settled.filter((one) => one.status === 'rejected')
      const left = active - settled.length + wrong.length
      return { ...result, active: left, stopped: wrong.length === 0, error: wrong[0]?.reason }
    }
  }
}

async function createIndexPod(
  index: number | undefined,
  { job, indexes, rules }: AssessedJob,
  context: KeyContext,
): Promise<void> {
  const replaced = index === undefined ? undefined : indexes?.awaiting.get(index)
  const draft = newPod(job, index, replaced, rules)
  await createPod(draft, job, context)
}

async function deletePod(
  pod: Stored<Pod>,
  uncounted: boolean,
  { job, rules }: AssessedJob,
  context: KeyContext,
): Promise<void> {
  const { client, event, signal } = context
  try {
    if (uncounted) await releasePod(pod, rules, context)
    await client.resource(pods).delete(pod, {}, signal)
    const message = `Deleted pod: ${pod.metadata.name}`
    event(job, { type: 'Normal', reason: 'SuccessfulDelete', message })
  } catch (error) {
    if (isStatus(error, 'NotFound')) return
    const message = `Error deleting: ${errorText(error)}`
    event(job, { type: 'Warning', reason: 'FailedDelete', message })
    throw error
  }
}

/** Takes the finalizer off a pod, if it still has it where it was; one that is gone needs nothing. */
export async function releasePod(
  pod: Stored<Pod>,
  { finalizer }: Pick<JobRules, 'finalizer'>,
  { client, signal }: Pick<KeyContext, 'client' | 'signal'>,
): Promise<void> {
  const { uid, finalizers = [] } = pod.metadata
  const at = finalizers.indexOf(finalizer)
  if (at < 0) return
  const path = `/metadata/finalizers/${at}`
  const patch: JsonPatch = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path, value: finalizer },
    { op: 'remove', path },
  ]
  try {
    await client.resource(pods).jsonPatch(objectKey(pod), patch, {}, signal)
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error
  }
}
