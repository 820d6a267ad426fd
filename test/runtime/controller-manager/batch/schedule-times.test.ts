import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  dueTimes,
  nextTime,
} from '../../../../runtime/controller-manager/batch/cron-job/schedule-times.ts'
import { zonedTimestamp } from '../../../../runtime/controller-manager/batch/cron-job/time-zones.ts'
import { parseSchedule, type Schedule } from '../../../../runtime/kernel/values/cron.ts'

const test = suite('runtime/controller-manager: times of schedules (T-06)')

const york = 'America/New_York'

const cases: readonly (readonly [schedule: string, zone: string, after: string, next: string])[] = [
  ['*/15 * * * *', 'UTC', '2030-07-09T14:45:00Z', '2030-07-09T15:00:00Z'],
  ['*/15 * * * *', 'UTC', '2030-07-09T14:59:59Z', '2030-07-09T15:00:00Z'],
  ['20-35/15 * * * *', 'UTC', '2030-07-09T15:45:00Z', '2030-07-09T16:20:00Z'],
  ['*/15 */2 * * *', 'UTC', '2030-07-09T23:46:00Z', '2030-07-10T00:00:00Z'],
  ['0 0 */5 Oct *', 'UTC', '2030-07-09T23:35:00Z', '2030-10-01T00:00:00Z'],
  ['0 0 * Feb Mon', 'UTC', '2030-07-09T23:35:00Z', '2031-02-03T00:00:00Z'],
  // Either day field will do if both name days.
  ['0 0 13 * 5', 'UTC', '2030-07-09T00:00:00Z', '2030-07-12T00:00:00Z'],
  ['0 0 29 Feb ?', 'UTC', '2030-07-09T23:35:00Z', '2032-02-29T00:00:00Z'],
  ['@every 90s', 'UTC', '2030-07-09T14:45:00.700Z', '2030-07-09T14:46:30Z'],
  ['0 9 * * *', 'Asia/Kolkata', '2030-01-01T00:00:00Z', '2030-01-01T03:30:00Z'],
  // An hour that clocks skip has no times.
  ['30 2 11 Mar *', york, '2012-03-11T05:00:00Z', '2013-03-11T06:30:00Z'],
  ['0 * * * *', york, '2012-03-11T06:00:00Z', '2012-03-11T07:00:00Z'],
  ['0 3 * * *', york, '2012-03-11T06:00:00Z', '2012-03-11T07:00:00Z'],
  // One that they repeat has them twice.
  ['0 1 * * *', york, '2012-11-04T04:00:00Z', '2012-11-04T05:00:00Z'],
  ['0 1 * * *', york, '2012-11-04T05:00:00Z', '2012-11-04T06:00:00Z'],
  ['0 1 * * *', york, '2012-11-04T06:00:00Z', '2012-11-05T06:00:00Z'],
  // A day whose midnight is skipped.
  ['0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00:00Z', '2018-11-05T02:00:00Z'],
  ['0 1 * * *', 'America/Sao_Paulo', '2018-11-03T12:00:00Z', '2018-11-04T03:00:00Z'],
]

for (const [text, zone, after, next] of cases) {
  test(`${text} in ${zone} after ${after} is at ${next}`, () => {
    const time = nextTime(parseSchedule(text) as Schedule, zone, Date.parse(after))
    assert.is(time && new Date(time).toISOString().replace('.000', ''), next)
  })
}

test('a schedule of a day that there is not has no times', () => {
  const schedule = parseSchedule('59 23 31 2 *') as Schedule
  assert.is(nextTime(schedule, 'UTC', 0), undefined)
  assert.is(dueTimes(schedule, 'UTC', { after: 0, now: 1 }).valid, false)
})

test('missed times are counted, and the last of them is known', () => {
  const schedule = parseSchedule('*/10 * * * *') as Schedule
  const after = Date.parse('2030-01-01T00:00:00Z')
  const at = (minutes: number) =>
    dueTimes(schedule, 'UTC', { after, now: after + minutes * 60_000 })
  assert.equal(at(9), { last: undefined, missed: 0, valid: true })
  assert.equal(at(10), { last: after + 600_000, missed: 0, valid: true })
  assert.equal(at(35), { last: after + 1_800_000, missed: 3, valid: true })
  assert.is(at(2000).missed, 200)
})

test('a time is written with the offset of its zone', () => {
  const time = Date.parse('2030-01-01T00:00:00Z')
  assert.is(zonedTimestamp('UTC', time), '2030-01-01T00:00:00Z')
  assert.is(zonedTimestamp('Asia/Kolkata', time), '2030-01-01T05:30:00+05:30')
  assert.is(zonedTimestamp(york, time), '2029-12-31T19:00:00-05:00')
})

test.run()
