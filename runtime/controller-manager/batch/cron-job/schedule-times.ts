/** When a schedule is due, in a time zone. */
import type { CalendarSchedule, Schedule } from '../../../kernel/values/cron.ts'
import { offsetOf } from './time-zones.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/** A schedule whose times are further apart has none. */
const mostYears = 5

/**
 * The first time after another one that a schedule names in a zone; undefined if there is none within five years. An hour that the clocks skip has
 * no times; one that they repeat has them twice.
 */
export function nextTime(schedule: Schedule, zone: string, after: number): number | undefined {
  const second = Math.floor(after / 1000) * 1000
  if (schedule.is === 'interval') return second + schedule.ms
  const first = Math.ceil((second + 1000) / minuteMs) * minuteMs
  return nextMinute(schedule, zone, first)
}

function nextMinute(schedule: CalendarSchedule, zone: string, from: number) {
  const { minutes, hours, months } = schedule
  const lastYear = localDate(from, zone).getUTCFullYear() + mostYears
  let time = from
  while (true) {
    const local = localDate(time, zone)
    const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
    if (year > lastYear) return undefined
    if (!months.includes(month + 1)) time = timeOf(Date.UTC(year, month + 1, 1), zone)
    else if (!matchesDay(schedule, local)) time = timeOf(Date.UTC(year, month, day + 1), zone)
    else if (!hours.includes(local.getUTCHours())) time += hourMs - local.getUTCMinutes() * minuteMs
    else if (!minutes.includes(local.getUTCMinutes())) time += minuteMs
    else return time
  }
}

/** If neither day field leaves all days in, a day matches that either of them names. */
function matchesDay(schedule: CalendarSchedule, local: Date): boolean {
  const { days, weekdays, anyDay, anyWeekday } = schedule
  const ofMonth = days.includes(local.getUTCDate())
  const ofWeek = weekdays.includes(local.getUTCDay())
  return anyDay || anyWeekday ? ofMonth && ofWeek : ofMonth || ofWeek
}

/** A date whose fields in UTC are those of a time in a zone. */
function localDate(time: number, zone: string): Date {
  return new Date(time + offsetOf(zone, time))
}

/** The first time of a day in a zone, given its start as if it were in UTC. */
function timeOf(local: number, zone: string): number {
  const offset = offsetOf(zone, local)
  const time = local - offset
  const real = offsetOf(zone, time)
  const found = real === offset ? time : local - real
  const hour = localDate(found, zone).getUTCHours()
  return hour > 12 ? found + (24 - hour) * hourMs : found
}

/** How often a schedule was due, and when last. */
export interface DueTimes {
  /** The last time that is over; undefined if none is. */
  readonly last: number | undefined
  /** How many are over, counted as if all were as far apart as the first two. */
  readonly missed: number
  /** False for a schedule that names no time. */
  readonly valid: boolean
}

/** The times of a schedule after one moment and up to another. */
export function dueTimes(
  schedule: Schedule,
  zone: string,
  { after, now }: { readonly after: number; readonly now: number },
): DueTimes {
  const first = nextTime(schedule, zone, after)
  if (first === undefined) return { last: undefined, missed: 0, valid: false }
  if (now < first) return { last: undefined, missed: 0, valid: true }
  const second = nextTime(schedule, zone, first) ?? first + mostYears * 365 * dayMs
  if (now < second) return { last: first, missed: 0, valid: true }
  const apart = second - first
  const missed = Math.floor((now - first) / apart) + 1
  let last: number | undefined
  let time = nextTime(schedule, zone, first + (missed - 2) * apart)
  while (time !== undefined && time <= now) {
    last = time
    time = nextTime(schedule, zone, time)
  }
  return { last, missed, valid: true }
}
