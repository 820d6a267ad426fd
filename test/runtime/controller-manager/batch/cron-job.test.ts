import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CronJobStatus, cronJobs } from '../../../../generated/apis/batch/v1/cron-job.ts'
import { jobs } from '../../../../generated/apis/batch/v1/job.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { decideStart } from '../../../../runtime/controller-manager/batch/cron-job/decide-start.ts'
import {
  decideHistory,
  observeRuns,
} from '../../../../runtime/controller-manager/batch/cron-job/observe-jobs.ts'
import {
  type ControlPlane,
  startControlPlane,
  virtualClock,
} from '../../../../runtime/testing/testing.ts'

const test = suite('runtime/controller-manager: cron jobs (T-06)')

const created = '2030-01-01T00:00:00Z'
const hour = Date.parse(created) + 3_600_000

interface Given {
  readonly spec?: object
  readonly status?: CronJobStatus
  readonly metadata?: object
  readonly at?: number
}

function start({ spec, status = {}, metadata, at = hour }: Given): string {
  const cronJob = {
    metadata: { name: 'c', creationTimestamp: created, ...metadata },
    spec: { schedule: '0 * * * *', timeZone: 'UTC', concurrencyPolicy: 'Allow', ...spec },
  }
  const plan = decideStart(cronJob as never, status, at)
  const reasons = plan.events.map(({ reason }) => reason)
  if (plan.start !== undefined)
    reasons.push(`start ${new Date(plan.start).toISOString().slice(11, 16)}`)
  if (plan.replaced?.length) reasons.push(`replace ${plan.replaced.length}`)
  if (plan.start === undefined && plan.againMs !== undefined)
    reasons.push(`wait ${plan.againMs / 1000}`)
  return reasons.join(' ')
}

const running = { active: [{ name: 'c-1', uid: '1' }] }
const day = 86_400_000

const starts: readonly (readonly [name: string, given: Given, want: string])[] = [
  ['before its first time nothing starts', { at: hour - 1000 }, 'wait 1.1'],
  ['at its time a job starts', {}, 'start 01:00'],
  [
    'once for each time',
    { status: { lastScheduleTime: '2030-01-01T01:00:00Z' }, at: hour + 1000 },
    'wait 3599.1',
  ],
  ['of several missed times the last one counts', { at: hour + 2.5 * 3_600_000 }, 'start 03:00'],
  ['more than a hundred are odd', { at: hour + 5 * day }, 'TooManyMissedTimes start 01:00'],
  [
    'a time is missed if it is too late to start',
    { spec: { startingDeadlineSeconds: 60 }, at: hour + 61_000 },
    'wait 3539.1',
  ],
  ['none starts while suspended', { spec: { suspend: true } }, ''],
  ['none starts once it goes', { metadata: { deletionTimestamp: created } }, ''],
  [
    'none starts beside another one if that is forbidden',
    { spec: { concurrencyPolicy: 'Forbid' }, status: running },
    'JobAlreadyActive wait 3600.1',
  ],
  [
    'another one goes before if it is to be replaced',
    { spec: { concurrencyPolicy: 'Replace' }, status: running },
    'start 01:00 replace 1',
  ],
  ['a schedule that is none is told of', { spec: { schedule: 'x' } }, 'UnparseableSchedule'],
  ['so is one that never comes', { spec: { schedule: '59 23 31 2 *' } }, 'InvalidSchedule'],
  ['so is a zone that there is not', { spec: { timeZone: 'Nowhere/Else' } }, 'UnknownTimeZone'],
  [
    'a schedule may still name its zone',
    { spec: { schedule: 'TZ=Asia/Kolkata 30 6 * * *', timeZone: undefined } },
    'UnsupportedSchedule start 01:00',
  ],
]

for (const [name, given, want] of starts) test(name, () => assert.is(start(given), want))

function job(name: string, end: 'Complete' | 'Failed' | undefined, minute: number) {
  const time = `2030-01-01T00:${String(minute).padStart(2, '0')}:00Z`
  const conditions = end === undefined ? [] : [{ type: end, status: 'True' }]
  return {
    metadata: { name, uid: name },
    status: { startTime: time, conditions, ...(end === 'Complete' && { completionTime: time }) },
  }
}

test('the oldest jobs that ended go, beyond what is kept', () => {
  const all = [
    job('d', 'Complete', 4),
    job('a', 'Complete', 1),
    job('c', 'Complete', 3),
    job('b', 'Failed', 2),
    job('e', undefined, 0),
  ]
  const limits = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 }
  const going = decideHistory({ spec: limits } as never, all as never)
  assert.equal(
    going.map(({ metadata }) => metadata.name),
    ['a', 'c', 'b'],
  )
})

test('the status has the jobs that run, and the time of the last success', () => {
  const before = {
    active: [
      { name: 'a', uid: 'a' },
      { name: 'gone', uid: 'gone' },
    ],
  }
  const all = [job('a', 'Complete', 7), job('b', 'Complete', 5), job('c', undefined, 9)]
  const { status, events: told, missing } = observeRuns(before, all as never)
  assert.is(status.lastSuccessfulTime, '2030-01-01T00:07:00Z')
  assert.equal(missing, [{ name: 'gone', uid: 'gone' }])
  assert.equal(
    told.map(({ reason, message }) => `${reason}: ${message}`),
    [
      'SawCompletedJob: Saw completed job: a, status: Complete',
      'UnexpectedJob: Saw a job that the controller did not create or forgot: c',
    ],
  )
})

async function finish({ client }: ControlPlane, name: string, now: number) {
  const all = client.resource(jobs).in('default')
  const at = new Date(now).toISOString()
  const times = { lastTransitionTime: at, lastProbeTime: at }
  await all.updateStatus({
    ...(await all.get(name)),
    status: {
      ...{ startTime: at, completionTime: at, succeeded: 1 },
      conditions: [{ type: 'Complete', status: 'True', ...times }],
    },
  })
}

test('a cron job starts a job at each of its times, and keeps as many as it says', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({
    ...{ clock, authorization: 'RBAC', controllers: ['cronjob-controller'] },
  })
  const template = {
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work' }] },
  } as const
  const all = plane.client.resource(cronJobs).in('default')
  await all.create({
    metadata: { name: 'x' },
    spec: {
      ...{ schedule: '*/5 * * * *', timeZone: 'Asia/Kolkata', successfulJobsHistoryLimit: 1 },
      jobTemplate: { metadata: { labels: { run: 'it' } }, spec: { template } },
    },
  })
  const minutes: number[] = []
  for (let round = 0; round < 3; round++) {
    await clock.advanceAsync(301_000)
    const time = Math.floor(clock.now() / 300_000) * 300_000
    minutes.push(time / 60_000)
    const { status } = await all.get('x')
    const name = `x-${time / 60_000}`
    assert.equal(
      status?.active?.map((one) => one.name),
      [name],
    )
    assert.is(Date.parse(status?.lastScheduleTime ?? ''), time)
    const job = await plane.client.resource(jobs).in('default').get(name)
    assert.equal(job.metadata.labels, { run: 'it' })
    assert.match(
      job.metadata.annotations?.['batch.orch.io/cronjob-scheduled-timestamp'] ?? '',
      /\+05:30$/,
    )
    await finish(plane, name, clock.now())
    await clock.advanceAsync(1000)
  }
  const { status } = await all.get('x')
  assert.is(status?.active, undefined)
  assert.ok(status?.lastSuccessfulTime)
  const { items } = await plane.client.resource(jobs).in('default').listAll()
  assert.equal(
    items.map(({ metadata }) => metadata.name),
    [`x-${minutes.at(-1)}`],
  )
  await clock.advanceAsync(2000)
  const told = await plane.client.resource(events).in('default').listAll()
  const reasons = new Set(told.items.map(({ reason }) => reason))
  assert.equal([...reasons].sort(), ['SawCompletedJob', 'SuccessfulCreate', 'SuccessfulDelete'])
})

test.run()
