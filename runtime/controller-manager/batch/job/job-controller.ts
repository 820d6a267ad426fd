import { type Job, jobs } from '../../../../generated/apis/batch/v1/job.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import type { Key } from '../../../client/client.ts'
import { objectKey } from '../../../informer/informer.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import { labelRequirementsOf, matchesLabels } from '../../../kernel/meta/label-selector.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import {
  again,
  controllerOf,
  done,
  failed,
  type KeyContext,
  type KeyController,
  type Lookup,
  type Outcome,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { claim, claimable, controllerIndex, settleClaim } from '../../pods/claim.ts'
import { nextTurn, SlowStarts } from '../../pods/slow-start.ts'
import { assessJob } from './assess-job.ts'
import { decidePods } from './decide-pods.ts'
import { decideStatus } from './decide-status.ts'
import { type JobLook, type JobMetrics, jobMetrics } from './job-metrics.ts'
import { isFinished, type JobRules, jobRules } from './job-rules.ts'
import { JobTurns } from './job-turns.ts'
import { orphanPodController } from './orphan-pods.ts'
import { carryOutPods } from './pod-effects.ts'
import { recordStatus } from './status-effects.ts'

/**
 * Runs the pods of jobs until they are complete or have failed (T-05).
 *
 *   reads    Job, Pod
 *   writes   Pod: create, delete, patch of owners and finalizers; Job: status
 *   wakes    when a job changes, a second after one of its pods does, and when a wait or a deadline is over
 *   settles  when each job is over and its pods are counted, or as many pods run as it wants
 */
export async function jobController({
  name,
  platform,
  gates,
  concurrency = 5,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const rules = jobRules(platform, gates)
  const turns = new JobTurns()
  const counts = jobMetrics(metrics, rules)
  const starts = new SlowStarts(concurrency)
  return [
    {
      ...{ name, concurrency },
      queue: { backoff: { baseMs: 1000, maxMs: 60_000 } },
      watches: [
        watching(jobs, (job) => [objectKey(job)]),
        watching(pods, jobsOfPod, {
          indexes: controllerIndex,
          when(change) {
            counts.podChanged(change)
            return true
          },
        }),
      ],
      async reconcile(key, context) {
        const { cached, clock } = context
        const job = cached(jobs).get(key)
        if (job === undefined || isFinished(job)) {
          turns.forget(key)
          return done
        }
        const waitMs = turns.waitFor(job, clock.now())
        if (waitMs > 0) return again(waitMs)
        const look = counts.look(job, clock)
        try {
          return await settleJob(job, {
            rules,
            turns,
            metrics: counts,
            look,
            context: { ...context, starts },
          })
        } catch (error) {
          look.ended(true)
          turns.dueAtOnce(job)
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          throw error
        }
      },
    },
    orphanPodController(`${name}/orphans`, rules),
  ]
}

/** The job that controls a pod; those that might adopt one without a controller. */
function jobsOfPod(pod: Stored<Pod>, { cached }: Lookup): readonly Key[] {
  const { namespace, labels } = pod.metadata
  const owner = controllerOf(pod)
  if (owner !== undefined) return owner.kind === 'Job' ? [{ namespace, name: owner.name }] : []
  const selecting = cached(jobs)
    .list(namespace)
    .filter(({ spec }) => {
      const requirements = spec?.selector && labelRequirementsOf(spec.selector)
      return requirements !== undefined && matchesLabels(requirements, labels)
    })
  return selecting.map(objectKey)
}

/** What a turn of a job works with. */
interface JobTurn {
  readonly rules: JobRules
  readonly turns: JobTurns
  readonly metrics: JobMetrics
  readonly look: JobLook
  readonly context: KeyContext & { readonly starts: SlowStarts }
}

async function settleJob(
  job: Stored<Job>,
  { rules, turns, metrics, look, context }: JobTurn,
): Promise<Outcome> {
  const { cached, client, clock, event, signal } = context
  const now = clock.now()
  turns.taken(job)
  const owned = await settleClaim(
    claim(claimable(cached(pods), job), { owner: job, selector: job.spec?.selector }),
    {
      ...{ client, kind: pods, owner: job, ownerKind: jobs, signal },
      finalizer: rules.finalizer,
    },
  )
  const observed = { job, pods: owned, failures: turns.failuresOf(job) }
  const assessed = assessJob(observed, rules, now)
  const plan = decidePods(assessed, now)
  look.does(plan)
  const result = await carryOutPods(plan, assessed, { ...context, metrics })
  const status = decideStatus(assessed, result, now)
  for (const facts of status.events) event(job, facts)
  await recordStatus(status, assessed, {
    ...context,
    counted: () => turns.counted(job, assessed.failures),
    metrics,
  })
  look.ended(result.error !== undefined)
  if (result.error !== undefined) {
    turns.dueAtOnce(job)
    return failed(result.error)
  }
  if (result.paused) {
    turns.dueAtOnce(job)
    return nextTurn
  }
  const waits = [assessed.end === undefined ? assessed.deadlineMs : undefined, result.waitMs]
  const ms = Math.min(...waits.map((wait) => wait ?? Infinity))
  turns.wakeAt(job, now + ms)
  return ms === Infinity ? done : again(Math.max(1, ms))
}
