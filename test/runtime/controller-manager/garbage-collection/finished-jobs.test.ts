import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from '../../../../generated/apis/batch/v1/job.ts'
import { decideFinished } from '../../../../runtime/controller-manager/garbage-collection/finished-jobs.ts'
import { startControlPlane, virtualClock } from '../../../../runtime/testing/testing.ts'

const test = suite('runtime/controller-manager: finished jobs (T-19)')

const finishedAt = '2030-01-01T00:00:00Z'
const now = Date.parse(finishedAt) + 4000
const complete = { type: 'Complete', status: 'True', lastTransitionTime: finishedAt }

const cases: readonly (readonly [name: string, job: object, dueMs: number | undefined])[] = [
  ['a job that does not say how long stays', { status: { conditions: [complete] } }, undefined],
  ['one that runs stays', { spec: { ttlSecondsAfterFinished: 1 } }, undefined],
  [
    'one that is suspended stays',
    {
      spec: { ttlSecondsAfterFinished: 1 },
      status: { conditions: [{ ...complete, type: 'Suspended' }] },
    },
    undefined,
  ],
  [
    'one that is complete goes when its time has come',
    { spec: { ttlSecondsAfterFinished: 3 }, status: { conditions: [complete] } },
    -1000,
  ],
  [
    'and no earlier',
    { spec: { ttlSecondsAfterFinished: 10 }, status: { conditions: [complete] } },
    6000,
  ],
  [
    'one that failed goes, too',
    {
      spec: { ttlSecondsAfterFinished: 0 },
      status: { conditions: [{ ...complete, type: 'Failed' }] },
    },
    -4000,
  ],
  [
    'one that goes already is let alone',
    {
      metadata: { deletionTimestamp: finishedAt },
      spec: { ttlSecondsAfterFinished: 0 },
      status: { conditions: [complete] },
    },
    undefined,
  ],
]

for (const [name, job, dueMs] of cases) {
  test(name, () => {
    assert.is(decideFinished({ metadata: {}, ...job } as never, now), dueMs)
  })
}

test('a job goes in the foreground, seconds after it finished', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({
    clock,
    authorization: 'RBAC',
    controllers: ['ttl-after-finished-controller'],
  })
  const template = {
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work' }] },
  } as const
  const all = plane.client.resource(jobs).in('default')
  const job = await all.create({
    metadata: { name: 'x' },
    spec: { ttlSecondsAfterFinished: 60, template },
  })
  const at = new Date(clock.now()).toISOString()
  await all.updateStatus({
    ...job,
    status: {
      ...{ startTime: at, completionTime: at, succeeded: 1 },
      conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: at, lastProbeTime: at }],
    },
  })
  await clock.advanceAsync(59_000)
  assert.is((await all.get('x')).metadata.deletionTimestamp, undefined)
  await clock.advanceAsync(2000)
  assert.equal((await all.get('x')).metadata.finalizers, ['foregroundDeletion'])
})

test.run()
