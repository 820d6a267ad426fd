import { type Job, jobs } from '../../../generated/apis/batch/v1/job.ts'
import { objectKey } from '../../informer/informer.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { again, done, type KeyController, watching } from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'

/**
 * Deletes jobs that finished so long ago as they say (T-19), in the foreground.
 *
 *   reads    Job
 *   writes   Job: delete
 *   wakes    when a job changes, and when its time has come
 *   settles  when no job is older than it may be
 */
export async function finishedJobsController({
  name,
  concurrency = 5,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const duration = metrics.histogram('ttl_after_finished_controller_job_deletion_duration_seconds')
  return [
    {
      name,
      concurrency,
      watches: [
        watching(jobs, (job) => [objectKey(job)], {
          fields: ['spec.ttlSecondsAfterFinished', 'status.conditions'],
        }),
      ],
      async reconcile(key, { client, cached, clock }) {
        const job = cached(jobs).get(key)
        const dueMs = job && decideFinished(job, clock.now())
        if (job === undefined || dueMs === undefined) return done
        if (dueMs > 0) return again(dueMs)
        try {
          await client
            .resource(jobs)
            .delete(job, { propagationPolicy: 'Foreground', unchanged: true })
          duration.observe([], -dueMs / 1000)
        } catch (error) {
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          if (!isStatus(error, 'NotFound')) throw error
        }
        return done
      },
    },
  ]
}

/** Milliseconds until a job is to go, none left or less if it is due; undefined for one that stays. */
export function decideFinished(
  { metadata, spec, status }: Pick<Stored<Job>, 'metadata' | 'spec' | 'status'>,
  now: number,
): number | undefined {
  const { ttlSecondsAfterFinished } = spec ?? {}
  if (typeof ttlSecondsAfterFinished !== 'number' || metadata.deletionTimestamp !== undefined)
    return undefined
  const finished = status?.conditions?.find(
    ({ type, status: state }) => (type === 'Complete' || type === 'Failed') && state === 'True',
  )
  const at = Date.parse(finished?.lastTransitionTime ?? '')
  return Number.isNaN(at) ? undefined : at + ttlSecondsAfterFinished * 1000 - now
}
