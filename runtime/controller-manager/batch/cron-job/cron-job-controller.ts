import {
  type CronJob,
  type CronJobStatus,
  cronJobs,
} from '../../../../generated/apis/batch/v1/cron-job.ts'
import { type Job, jobs } from '../../../../generated/apis/batch/v1/job.ts'
import type { ObjectReference } from '../../../../generated/apis/core/v1/common.ts'
import { objectKey } from '../../../informer/informer.ts'
import { timestamp } from '../../../kernel/async/clock.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import { errorText } from '../../../kernel/errors/error-text.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import type { Histogram } from '../../../observe/observe.ts'
import {
  again,
  controllerOf,
  done,
  type KeyContext,
  type KeyController,
  type Outcome,
  ownedBy,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { isNamespaceTerminating } from '../../contract/namespace-refusals.ts'
import { controllerIndex } from '../../pods/claim.ts'
import { decideStart, jobName, nextMs } from './decide-start.ts'
import { decideHistory, observeRuns, withActive } from './observe-jobs.ts'
import { zonedTimestamp } from './time-zones.ts'

/**
 * Starts jobs at the times of cron jobs, and deletes old ones (T-06).
 *
 *   reads    CronJob, Job
 *   writes   Job: create, delete; CronJob: status
 *   wakes    when a cron job or one of its jobs changes, and when the next time has come
 *   settles  when the job of the last time that is over was started, and the status has those that run
 */
export async function cronJobController({
  name,
  platform,
  gates,
  concurrency = 5,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const annotated = gates.has('CronJobsScheduledAnnotation')
  const skew = metrics.histogram('cronjob_controller_job_creation_skew_duration_seconds')
  const schedules = new Map<string, string>()
  return [
    {
      ...{ name, concurrency },
      watches: [
        watching(cronJobs, (cronJob) => [objectKey(cronJob)]),
        watching(
          jobs,
          (job) => {
            const owner = controllerOf(job)
            const { namespace } = job.metadata
            return owner?.kind === 'CronJob' ? [{ namespace, name: owner.name }] : []
          },
          { indexes: controllerIndex },
        ),
      ],
      async reconcile(key, context) {
        const text = `${key.namespace}/${key.name}`
        const cronJob = context.cached(cronJobs).get(key)
        if (cronJob === undefined) {
          schedules.delete(text)
          return done
        }
        const { uid } = cronJob.metadata
        const { schedule = '', timeZone = '' } = cronJob.spec ?? {}
        const asked = `${schedule}\n${timeZone}`
        const known = schedules.get(text)
        schedules.set(text, `${uid}\n${asked}`)
        if (known?.startsWith(`${uid}\n`) && known !== `${uid}\n${asked}`) {
          const ms = nextMs(cronJob, cronJob.status ?? {}, context.clock.now())
          if (ms !== undefined) return again(Math.max(1, ms), 'its schedule has changed')
        }
        try {
          return await settle(cronJob, { context, platform, annotated, skew })
        } catch (error) {
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          throw error
        }
      },
    },
  ]
}

interface Run {
  readonly context: KeyContext
  readonly platform: Platform
  /** Whether a job says for when it was planned. */
  readonly annotated: boolean
  /** Seconds by which a job came late. */
  readonly skew: Histogram
}

async function settle(cronJob: Stored<CronJob>, run: Run): Promise<Outcome> {
  const { cached, client, clock, event, signal } = run.context
  const owned = cached(jobs).index('controller', cronJob.metadata.uid)
  const { status: before = {} } = cronJob
  let status: CronJobStatus = before
  for (const job of decideHistory(cronJob, owned)) status = await remove(job, cronJob, status, run)
  const now = clock.now()
  const seen = observeRuns(status, owned)
  status = await withoutMissing(seen.status, seen.missing, cronJob, run)
  const plan = decideStart(cronJob, status, now)
  for (const facts of [...seen.events, ...plan.events]) event(cronJob, facts)
  let { againMs } = plan
  if (plan.start !== undefined) {
    for (const { uid, name = '' } of plan.replaced ?? []) {
      const job = cached(jobs).get({ namespace: cronJob.metadata.namespace, name })
      if (job?.metadata.uid !== uid || job === undefined) continue
      const left = await remove(job, cronJob, status, run)
      if (left === status) throw new Error(`could not replace job ${name}`)
      status = left
    }
    status = await start(plan.start, cronJob, status, run)
    againMs = nextMs(cronJob, status, now)
  }
  if (!deepEqual(status, before)) {
    await client.resource(cronJobs).updateStatus({ ...cronJob, status }, {}, signal)
  }
  return againMs === undefined ? done : again(Math.max(1, againMs))
}

/** Deletes a job; gives the status without it, or the same if it could not be deleted. */
async function remove(
  job: Stored<Job>,
  cronJob: Stored<CronJob>,
  status: CronJobStatus,
  { context: { client, event, signal } }: Run,
): Promise<CronJobStatus> {
  const { name, uid } = job.metadata
  try {
    await client.resource(jobs).delete(job, { propagationPolicy: 'Background' }, signal)
  } catch (error) {
    const message = `Deleted job: ${errorText(error)}`
    event(cronJob, { type: 'Warning', reason: 'FailedDelete', message })
    return status
  }
  event(cronJob, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted job ${name}` })
  return withActive(status, status.active?.filter((one) => one.uid !== uid) ?? [])
}

/** The status without active jobs that the server does not have either. */
async function withoutMissing(
  status: CronJobStatus,
  missing: readonly ObjectReference[],
  cronJob: Stored<CronJob>,
  { context: { client, event, signal } }: Run,
): Promise<CronJobStatus> {
  let { active = [] } = status
  for (const { name = '', uid } of missing) {
    const { namespace } = cronJob.metadata
    if ((await client.resource(jobs).find({ namespace, name }, signal)) !== undefined) continue
    const message = `Active job went missing: ${name}`
    event(cronJob, { type: 'Normal', reason: 'MissingJob', message })
    active = active.filter((one) => one.uid !== uid)
  }
  return missing.length === 0 ? status : withActive(status, active)
}

/** Starts the job for a time, unless it is there; gives the status with it. */
async function start(
  time: number,
  cronJob: Stored<CronJob>,
  status: CronJobStatus,
  { context: { client, clock, event, signal }, platform, annotated, skew }: Run,
): Promise<CronJobStatus> {
  const { metadata, spec } = cronJob
  const { labels, annotations } = spec?.jobTemplate.metadata ?? {}
  const planned = `batch.${platform.domain}/cronjob-scheduled-timestamp`
  const name = jobName(cronJob, time)
  const all = client.resource(jobs).in(metadata.namespace)
  let job: Stored<Job> | undefined
  try {
    job = await all.create(
      {
        metadata: {
          ...{ name, ownerReferences: [ownedBy(cronJob)] },
          ...(labels && { labels }),
          annotations: {
            ...annotations,
            ...(annotated && { [planned]: zonedTimestamp(spec?.timeZone ?? 'UTC', time) }),
          },
        },
        ...(spec?.jobTemplate.spec && { spec: spec.jobTemplate.spec }),
      },
      {},
      signal,
    )
    skew.observe([], (clock.now() - time) / 1000)
    const message = `Created job ${name}`
    event(cronJob, { type: 'Normal', reason: 'SuccessfulCreate', message })
  } catch (error) {
    if (isStatus(error, 'AlreadyExists')) job = await all.get(name, signal)
    else {
      const message = `Error creating job: ${errorText(error)}`
      if (!isNamespaceTerminating(error))
        event(cronJob, { type: 'Warning', reason: 'FailedCreate', message })
      throw error
    }
  }
  const { uid, resourceVersion, namespace } = job.metadata
  const isKnown = status.active?.some((one) => one.uid === uid)
  if (isKnown || controllerOf(job)?.uid !== metadata.uid) return status
  const { apiVersion, kind } = job
  const reference = { kind, namespace, name, uid, apiVersion, resourceVersion }
  return {
    ...withActive(status, [...(status.active ?? []), reference]),
    lastScheduleTime: timestamp(time),
  }
}
