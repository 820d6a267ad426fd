/** Parts of timestamps and durations. */

import { type FunctionDeclaration, method, type Overload } from '../functions/functions.ts'
import { spendSteps } from '../limits/step-limit.ts'
import * as types from '../types/types.ts'
import { localDate, second } from '../values/time.ts'
import { fail, intOf, type Result, type Timestamp } from '../values/values.ts'

const { intType: int, stringType: string, durationType: duration, timestampType: timestamp } = types

/** Reading a part of a timestamp makes a date, which takes longer than its cost of 1. */
const stepsPerPart = 40

/** A part of a timestamp, in UTC or in a named time zone. */
function part(id: string, of: (date: Date) => number): Overload[] {
  const read = (instant: Timestamp, zone: string): Result => {
    spendSteps(stepsPerPart)
    const date = localDate(instant, zone)
    return date === undefined ? fail(`unknown time zone ${zone.slice(0, 64)}`) : of(date)
  }
  return [
    method(`timestamp_to_${id}`, [timestamp], int, (instant) => read(instant, '')),
    method(`timestamp_to_${id}_with_tz`, [timestamp, string], int, read),
  ]
}

/** A duration in whole units of so many nanoseconds, rounded towards zero. */
function whole(id: string, nanos: bigint): Overload {
  return method(`duration_to_${id}`, [duration], int, (span) => intOf(span.nanos / nanos))
}

function dayOfYear(date: Date): number {
  const first = new Date(0)
  first.setUTCFullYear(date.getUTCFullYear(), 0, 1)
  return Math.floor((date.getTime() - first.getTime()) / 86_400_000)
}

/** The accessors of timestamps, in UTC or a named zone, and durations in whole units. */
export const time: readonly FunctionDeclaration[] = [
  { name: 'getFullYear', overloads: part('year', (date) => date.getUTCFullYear()) },
  { name: 'getMonth', overloads: part('month', (date) => date.getUTCMonth()) },
  { name: 'getDayOfYear', overloads: part('day_of_year', dayOfYear) },
  { name: 'getDayOfMonth', overloads: part('day_of_month', (date) => date.getUTCDate() - 1) },
  { name: 'getDate', overloads: part('day_of_month_1_based', (date) => date.getUTCDate()) },
  { name: 'getDayOfWeek', overloads: part('day_of_week', (date) => date.getUTCDay()) },
  {
    name: 'getHours',
    overloads: [...part('hours', (date) => date.getUTCHours()), whole('hours', 3600n * second)],
  },
  {
    name: 'getMinutes',
    overloads: [...part('minutes', (date) => date.getUTCMinutes()), whole('minutes', 60n * second)],
  },
  {
    name: 'getSeconds',
    overloads: [...part('seconds', (date) => date.getUTCSeconds()), whole('seconds', second)],
  },
  {
    name: 'getMilliseconds',
    overloads: [
      ...part('milliseconds', (date) => date.getUTCMilliseconds()),
      method('duration_to_milliseconds', [duration], int, ({ nanos }) =>
        intOf((nanos % second) / 1_000_000n),
      ),
    ],
  },
]
