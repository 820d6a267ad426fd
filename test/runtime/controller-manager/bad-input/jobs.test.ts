// Jobs that can never complete and schedules that never come: what is told, and how often the server is asked.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cronJobs } from '../../../../generated/apis/batch/v1/cron-job.ts'
import { jobs } from '../../../../generated/apis/batch/v1/job.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { namespaces } from '../../../../generated/apis/core/v1/namespace.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { resourceQuotas } from '../../../../generated/apis/core/v1/resource-quota.ts'
import { startControlPlane, virtualClock } from '../../../../runtime/testing/testing.ts'
import { type Calls, type CountedPlane, startCountedPlane } from '../../../support/api-calls.ts'

/** A control plane with everything below in it, and how often it was asked after half of an hour. */
interface World extends CountedPlane {
  readonly idle: Calls
  readonly busy: Calls
}

const batch = suite<World>('runtime/controller-manager: bad jobs (T-05)')

batch.before(async (context) => {
  const world = await startCountedPlane()
  Object.assign(context, world, { idle: await world.callsPerMinute(5) })
  await startFull(world)
  await world.callsPerMinute(1)
  await startFailing(world)
  await startUnplaced(world)
  await startScheduled(world)
  await world.callsPerMinute(20)
  Object.assign(context, { busy: await world.callsPerMinute(10) })
})
batch.after((context) => context[Symbol.asyncDispose]())

const crash = { 'simulation.orch.io/exit-code': '1', 'simulation.orch.io/duration': '1s' }

/** A template of pods that are not started again where they are. */
function once(spec: object = {}, annotations: Record<string, string> = {}) {
  const containers = [{ name: 'main', image: 'work' }]
  return {
    metadata: { annotations },
    spec: { restartPolicy: 'Never' as const, containers, ...spec },
  }
}

async function namespaceOf({ plane }: CountedPlane, name: string): Promise<string> {
  await plane.client.resource(namespaces).create({ metadata: { name } })
  return name
}

async function startFailing(world: CountedPlane): Promise<void> {
  const all = world.plane.client.resource(jobs).in(await namespaceOf(world, 'failing'))
  const template = once({}, crash)
  await all.create({ metadata: { name: 'limited' }, spec: { backoffLimit: 3, template } })
  await all.create({ metadata: { name: 'patient' }, spec: { backoffLimit: 1000, template } })
}

batch(
  'a job whose pods fail is tried ever more rarely, until its limit, which it says',
  async ({ plane: { client }, busy }) => {
    const limited = await client.resource(jobs).in('failing').get('limited')
    const failed = limited.status?.conditions?.find(({ type }) => type === 'Failed')
    assert.equal(
      [failed?.status, failed?.reason, failed?.message, limited.status?.failed],
      ['True', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit', 4],
    )
    const told = (await client.resource(events).in('failing').listAll()).items
    const [exceeded] = told.filter(({ reason }) => reason === 'BackoffLimitExceeded')
    assert.is(exceeded?.involvedObject.name, 'limited')
    assert.ok(busy.perMinuteOf('/namespaces/failing/') < 5, busy.most)
    const { items } = await client.resource(pods).in('failing').listAll()
    const patient = items.filter(({ metadata }) => metadata.name.startsWith('patient'))
    assert.ok(
      patient.length < 12,
      `${patient.length} pods in half an hour: it waits up to ten minutes`,
    )
  },
)

async function startFull(world: CountedPlane): Promise<void> {
  const quota = { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } }
  const namespace = await namespaceOf(world, 'full')
  await world.plane.client.resource(resourceQuotas).in(namespace).create(quota)
}

/** A job that no node takes, and one above the quota of `full`. */
async function startUnplaced(world: CountedPlane): Promise<void> {
  const all = world.plane.client.resource(jobs)
  const template = once({ nodeSelector: { no: 'such' } })
  const namespace = await namespaceOf(world, 'nowhere')
  await all.in(namespace).create({ metadata: { name: 'unplaced' }, spec: { template } })
  await all.in('full').create({ metadata: { name: 'refused' }, spec: { template: once() } })
}

batch(
  'a job that no node takes waits, and one above a quota asks at most twice a minute',
  async ({ plane: { client }, busy }) => {
    const asked = ['nowhere', 'full'].map((name) => busy.perMinuteOf(`/namespaces/${name}/`))
    assert.ok(Math.max(...asked) < 4, busy.most)
    const texts = (await client.resource(events).listAll()).items.map(
      ({ involvedObject, reason, message }) => `${involvedObject.kind} ${reason}: ${message}`,
    )
    for (const text of [
      /^Pod FailedScheduling: 0\/3 nodes are available: 3 node\(s\) didn't match Pod's node affinity\/selector/,
      /^Job FailedCreate: .*exceeded quota: none, requested: pods=1/,
    ]) {
      assert.ok(
        texts.some((one) => text.test(one)),
        `${text} in\n${texts.join('\n')}`,
      )
    }
  },
)

/** A schedule that never comes, and one whose first job never ends. */
async function startScheduled(world: CountedPlane): Promise<void> {
  const all = world.plane.client.resource(cronJobs)
  const stuck = { spec: { template: once({ nodeSelector: { no: 'such' } }) } }
  await all.in(await namespaceOf(world, 'never')).create({
    metadata: { name: 'never' },
    spec: { schedule: '0 0 31 2 *', jobTemplate: { spec: { template: once() } } },
  })
  await all.in(await namespaceOf(world, 'scheduled')).create({
    metadata: { name: 'forbids' },
    spec: { schedule: '* * * * *', concurrencyPolicy: 'Forbid', jobTemplate: stuck },
  })
}

batch(
  'a schedule that never comes costs nothing, and one whose jobs never end says so',
  async ({ plane: { client }, busy }) => {
    assert.is(busy.perMinuteOf('/namespaces/never/'), 0, busy.most)
    // One event a minute, as there is one time a minute.
    assert.ok(busy.perMinuteOf('/namespaces/scheduled/') < 3, busy.most)
    assert.is((await client.resource(jobs).in('scheduled').listAll()).items.length, 1)
    const told = (await client.resource(events).in('scheduled').listAll()).items
    const active = told.find(({ reason }) => reason === 'JobAlreadyActive')
    assert.is(
      active?.message,
      'Not starting job because prior execution is running and concurrency policy is Forbid',
    )
  },
)

batch('all of them together keep no controller and no node busy', ({ idle, busy }) => {
  assert.ok(busy.perMinute < idle.perMinute + 5 + 4 + 4 + 3, busy.most)
})

batch(
  'a schedule that was away for long runs once, and says how many times it missed',
  async () => {
    const clock = virtualClock()
    await using plane = await startControlPlane({ clock, controllers: ['cronjob-controller'] })
    const all = plane.client.resource(cronJobs).in('default')
    await all.create({
      metadata: { name: 'paused' },
      spec: {
        schedule: '* * * * *',
        suspend: true,
        jobTemplate: { spec: { template: once() } },
      },
    })
    await clock.advanceAsync(105 * 60_000)
    await all.mergePatch('paused', { spec: { suspend: false } })
    await clock.advanceAsync(60_000)
    const { items } = await plane.client.resource(jobs).in('default').listAll()
    assert.ok(items.length >= 1 && items.length <= 2, `${items.length} jobs`)
    const told = (await plane.client.resource(events).in('default').listAll()).items
    assert.ok(
      told.some(({ reason }) => reason === 'TooManyMissedTimes'),
      told.map(({ reason }) => reason).join(),
    )
  },
)

batch.run()
