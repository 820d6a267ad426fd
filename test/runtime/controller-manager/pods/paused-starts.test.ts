// Controllers that create many pods, ended in the pause of a slow start, when they tell what they have and have not made the rest yet.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { replicaSets } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { jobs } from '../../../../generated/apis/batch/v1/job.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import type { ControllerName } from '../../../../generated/controllers.ts'
import { platform } from '../../../../generated/platform.ts'
import { type Client, createClient, type Transport } from '../../../../runtime/client/client.ts'
import { controllersInProcess } from '../../../../runtime/controller-manager/controller-manager.ts'
import { type Clock, systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { enabledGatesOf } from '../../../../runtime/kernel/descriptors/enabled-gates.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import { type ControlPlane, startControlPlane } from '../../../../runtime/testing/testing.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager: pauses of slow starts (T-02, T-05)')

/** So many pods are created in several turns, since each of them takes as long as this on the clock of the controller. */
const count = 40
const creationMs = 500

const labels = { app: 'web' }
const containers = [{ name: 'main', image: 'work' }]

/** A clock that each creation of a pod puts forward. */
class BusyClock implements Clock {
  #ahead = 0
  now = () => systemClock.now()
  monotonic = () => systemClock.monotonic() + this.#ahead
  after = (ms: number, run: () => void) => systemClock.after(ms, run)
  pass(ms: number): void {
    this.#ahead += ms
  }
}

/**
 * Runs a controller until it tells that it has some of the pods that it is to have, which it does when a slow start pauses, or has all of them.
 * From then on no request of it arrives, the telling one neither if `loses`.
 */
async function runUntilPause(
  plane: ControlPlane,
  controller: ControllerName,
  loses: boolean,
): Promise<boolean> {
  const clock = new BusyClock()
  const end = new AbortController()
  let isPaused = false
  const transport: Transport = {
    close: async () => {},
    send: async (request) => {
      const { method, path, body } = request
      if (isPaused && method !== 'GET') throw new TypeError('the program has ended')
      if (method === 'POST' && path.endsWith('/pods')) clock.pass(creationMs)
      if (method === 'PUT' && path.endsWith('/status')) {
        const { replicas = 0, active = 0 } = JSON.parse(String(body)).status
        const has = Math.max(replicas, active)
        isPaused = has > 0 && has < count
        if (isPaused && loses) {
          end.abort()
          throw new TypeError('the program has ended')
        }
      }
      const answer = await plane.transport.send(request)
      if (isPaused) end.abort()
      return answer
    },
  }
  const client = createClient(transport)
  const manager = await controllersInProcess({
    ...{ controllers: [controller], platform, clock, log: silentLog },
    gates: enabledGatesOf(plane.scheme),
    clientAs: () => client,
  })
  const ended = manager.run(end.signal)
  const all = plane.client.resource(pods).in('default')
  await until('it pauses or is through', async () => {
    return end.signal.aborted || (await all.listAll()).items.length >= count
  })
  end.abort()
  await ended
  return isPaused
}

const owners: readonly [ControllerName, (client: Client) => Promise<unknown>][] = [
  [
    'replicaset-controller',
    (client) =>
      client.resource(replicaSets).create({
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          ...{ replicas: count, selector: { matchLabels: labels } },
          template: { metadata: { labels }, spec: { containers } },
        },
      }),
  ],
  [
    'job-controller',
    (client) =>
      client.resource(jobs).create({
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          ...{ parallelism: count, completions: count },
          template: { metadata: { labels }, spec: { containers, restartPolicy: 'Never' } },
        },
      }),
  ],
]

for (const [controller, create] of owners) {
  test(`none too many and none missing is created where it ends in each pause: ${controller}`, async () => {
    await using plane = await startControlPlane()
    await create(plane.client)
    const all = plane.client.resource(pods).in('default')
    let pauses = 0
    while (await runUntilPause(plane, controller, pauses % 2 === 0)) {
      pauses += 1
      const { items } = await all.listAll()
      assert.ok(items.length <= count, `${items.length} pods, ${count} were asked for`)
    }
    assert.ok(pauses >= 2, `only ${pauses} pauses`)
    assert.is((await all.listAll()).items.length, count)
  })
}

test.run()
