/** Whether a cron job starts a job now, and when it is looked at next. */
import type { CronJob, CronJobStatus } from '../../../../generated/apis/batch/v1/cron-job.ts'
import type { ObjectReference } from '../../../../generated/apis/core/v1/common.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { parseSchedule, type Schedule } from '../../../kernel/values/cron.ts'
import type { EventFacts } from '../../../recorder/recorder.ts'
import { dueTimes, nextTime } from './schedule-times.ts'
import { isKnownZone, ownZone } from './time-zones.ts'

/** Beyond so many missed times a cron job is told to be odd. */
const manyMissed = 100

/** It is looked at a little after a time, since clocks differ. */
const paddingMs = 100

/** What a cron job is to do. */
export interface StartPlan {
  readonly events: readonly EventFacts[]
  /** The time for which a job is started. */
  readonly start?: number
  /** Jobs that go before. */
  readonly replaced?: readonly ObjectReference[]
  /** When it is looked at next; undefined if only a change could make a difference. */
  readonly againMs?: number
}

/** What a cron job is to do now, given a status that is up to date. */
export function decideStart(
  cronJob: Stored<CronJob>,
  status: CronJobStatus,
  now: number,
): StartPlan {
  const { metadata, spec } = cronJob
  const { suspend, startingDeadlineSeconds, concurrencyPolicy } = spec ?? {}
  if (metadata.deletionTimestamp !== undefined) return { events: [] }
  const zone = zoneOf(cronJob)
  if (!isKnownZone(zone)) {
    const message = `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`
    return { events: [{ type: 'Warning', reason: 'UnknownTimeZone', message }] }
  }
  if (suspend === true) return { events: [] }
  const text = spec?.schedule ?? ''
  const events: EventFacts[] = text.includes('TZ') ? [unsupported(text)] : []
  const schedule = scheduleOf(cronJob)
  if (typeof schedule === 'string') {
    const message = `unparseable schedule: ${JSON.stringify(text)} : ${schedule}`
    return { events: [...events, { type: 'Warning', reason: 'UnparseableSchedule', message }] }
  }
  const since = sinceOf(cronJob, status)
  const deadlineMs =
    startingDeadlineSeconds === undefined ? Infinity : startingDeadlineSeconds * 1000
  const after = Math.max(since, now - deadlineMs)
  const { last, missed, valid } = dueTimes(schedule, zone, { after, now })
  if (!valid) {
    const message = `invalid schedule: ${text} : time difference between two schedules is less than 1 second`
    return { events: [...events, { type: 'Warning', reason: 'InvalidSchedule', message }] }
  }
  const againMs = nextMs(cronJob, status, now)
  const wait = againMs === undefined ? { events } : { events, againMs }
  if (last === undefined) return wait
  if (missed > manyMissed) events.push(tooMany)
  const { active = [], lastScheduleTime } = status
  const name = jobName(cronJob, last)
  const isStarted =
    active.some((one) => one.name === name) || Date.parse(lastScheduleTime ?? '') === last
  if (isStarted) return wait
  if (concurrencyPolicy === 'Forbid' && active.length > 0)
    return { ...wait, events: [...events, alreadyActive] }
  return { ...wait, start: last, replaced: concurrencyPolicy === 'Replace' ? active : [] }
}

/** Milliseconds until a cron job is to be looked at again. */
export function nextMs(
  cronJob: Stored<CronJob>,
  status: CronJobStatus,
  now: number,
): number | undefined {
  const schedule = scheduleOf(cronJob)
  const zone = zoneOf(cronJob)
  if (typeof schedule === 'string' || !isKnownZone(zone)) return undefined
  const since = sinceOf(cronJob, status)
  const { last, missed } = dueTimes(schedule, zone, { after: since, now })
  const time = nextTime(schedule, zone, last ?? (missed > 0 ? now : since))
  return time === undefined ? undefined : Math.max(0, time + paddingMs - now)
}

/** The job for a time always has the same name, so that it is started once. */
export function jobName({ metadata }: Stored<CronJob>, time: number): string {
  return `${metadata.name}-${Math.floor(time / 60_000)}`
}

const prefix = /^(?:CRON_)?TZ=(\S+)\s+/

function scheduleOf({ spec }: CronJob): Schedule | string {
  return parseSchedule((spec?.schedule ?? '').replace(prefix, ''))
}

function zoneOf({ spec }: CronJob): string {
  const [, named] = prefix.exec(spec?.schedule ?? '') ?? []
  return named ?? spec?.timeZone ?? ownZone()
}

function sinceOf({ metadata }: Stored<CronJob>, { lastScheduleTime }: CronJobStatus): number {
  return Date.parse(lastScheduleTime ?? metadata.creationTimestamp)
}

const alreadyActive: EventFacts = {
  type: 'Normal',
  reason: 'JobAlreadyActive',
  message: 'Not starting job because prior execution is running and concurrency policy is Forbid',
}

const tooMany: EventFacts = {
  type: 'Warning',
  reason: 'TooManyMissedTimes',
  message:
    'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
}

function unsupported(schedule: string): EventFacts {
  const message =
    `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, ` +
    'see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'
  return { type: 'Warning', reason: 'UnsupportedSchedule', message }
}
