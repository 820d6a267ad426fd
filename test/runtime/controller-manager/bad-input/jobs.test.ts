// Jobs that can never complete and schedules that never come: what is told, and how often the server is asked.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cronJobs } from '../../../../generated/apis/batch/v1/cron-job.ts'
import { jobs } from '../../../../generated/apis/batch/v1/job.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { namespaces } from '../../../../generated/apis/core/v1/namespace.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { resourceQuotas } from '../../../../generated/apis/core/v1/resource-quota.ts'
import { type CountedPlane, startCountedPlane } from '../../../support/api-calls.ts'

const batch = suite<CountedPlane>('runtime/controller-manager: bad jobs (T-05)')

batch.before(async (context) => {
  Object.assign(context, await startCountedPlane())
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

batch(
  'a job whose pods fail is tried ever more rarely, until its limit, which it says',
  async (world) => {
    const idle = await world.callsPerMinute(5)
    const { client } = world.plane
    const namespace = await namespaceOf(world, 'failing')
    const all = client.resource(jobs).in(namespace)
    await all.create({
      metadata: { name: 'limited' },
      spec: { backoffLimit: 3, template: once({}, crash) },
    })
    await all.create({
      metadata: { name: 'patient' },
      spec: { backoffLimit: 1000, template: once({}, crash) },
    })
    await world.callsPerMinute(20)
    const limited = await all.get('limited')
    const failed = limited.status?.conditions?.find(({ type }) => type === 'Failed')
    assert.equal(
      [failed?.status, failed?.reason, failed?.message, limited.status?.failed],
      ['True', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit', 4],
    )
    const told = (await client.resource(events).in(namespace).listAll()).items
    const [exceeded] = told.filter(({ reason }) => reason === 'BackoffLimitExceeded')
    assert.is(exceeded?.involvedObject.name, 'limited')
    const busy = await world.callsPerMinute(10)
    assert.ok(busy.perMinute < idle.perMinute + 5, busy.most)
    const { items } = await client.resource(pods).in(namespace).listAll()
    const patient = items.filter(({ metadata }) => metadata.name.startsWith('patient'))
    assert.ok(
      patient.length < 12,
      `${patient.length} pods in half an hour: it waits up to ten minutes`,
    )
  },
)

batch(
  'a job that no node takes waits, and one above a quota asks at most twice a minute',
  async (world) => {
    const idle = await world.callsPerMinute(5)
    const { client } = world.plane
    const namespace = await namespaceOf(world, 'nowhere')
    const all = client.resource(jobs).in(namespace)
    const template = once({ nodeSelector: { no: 'such' } })
    await all.create({ metadata: { name: 'unplaced' }, spec: { template } })
    const full = await namespaceOf(world, 'full')
    const quota = { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } }
    await client.resource(resourceQuotas).in(full).create(quota)
    await world.callsPerMinute(1)
    const refused = { metadata: { name: 'refused' }, spec: { template: once() } }
    await client.resource(jobs).in(full).create(refused)
    await world.callsPerMinute(10)
    const busy = await world.callsPerMinute(10)
    assert.ok(busy.perMinute < idle.perMinute + 4, busy.most)
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

batch(
  'a schedule that never comes costs nothing, and one whose jobs never end says so',
  async (world) => {
    const idle = await world.callsPerMinute(5)
    const { client } = world.plane
    const namespace = await namespaceOf(world, 'scheduled')
    const all = client.resource(cronJobs).in(namespace)
    const stuck = { spec: { template: once({ nodeSelector: { no: 'such' } }) } }
    await all.create({
      metadata: { name: 'never' },
      spec: { schedule: '0 0 31 2 *', jobTemplate: { spec: { template: once() } } },
    })
    const quiet = await world.callsPerMinute(10)
    assert.is(quiet.perMinuteOf(`/namespaces/${namespace}/cronjobs`), 0, quiet.most)
    await all.create({
      metadata: { name: 'forbids' },
      spec: { schedule: '* * * * *', concurrencyPolicy: 'Forbid', jobTemplate: stuck },
    })
    await world.callsPerMinute(5)
    const busy = await world.callsPerMinute(10)
    // One event a minute, as there is one time a minute.
    assert.ok(busy.perMinute < idle.perMinute + 3, busy.most)
    assert.is((await client.resource(jobs).in(namespace).listAll()).items.length, 1)
    const told = (await client.resource(events).in(namespace).listAll()).items
    const active = told.find(({ reason }) => reason === 'JobAlreadyActive')
    assert.is(
      active?.message,
      'Not starting job because prior execution is running and concurrency policy is Forbid',
    )
  },
)

batch(
  'a schedule that was away for long runs once, and says how many times it missed',
  async (world) => {
    const { client } = world.plane
    const namespace = await namespaceOf(world, 'away')
    const all = client.resource(cronJobs).in(namespace)
    const jobTemplate = { spec: { template: once() } }
    await all.create({
      metadata: { name: 'paused' },
      spec: { schedule: '* * * * *', suspend: true, jobTemplate },
    })
    await world.callsPerMinute(105)
    await all.mergePatch('paused', { spec: { suspend: false } })
    await world.callsPerMinute(1)
    const { items } = await client.resource(jobs).in(namespace).listAll()
    assert.ok(items.length >= 1 && items.length <= 2, `${items.length} jobs`)
    const told = (await client.resource(events).in(namespace).listAll()).items
    assert.ok(
      told.some(({ reason }) => reason === 'TooManyMissedTimes'),
      told.map(({ reason }) => reason).join(),
    )
  },
)

batch.run()
