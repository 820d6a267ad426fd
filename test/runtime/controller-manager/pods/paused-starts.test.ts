// Controllers that create many pods, ended in the pause of a slow start, when they tell what they have and have not made the rest yet.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { replicaSets } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { jobs } from '../../../../generated/apis/batch/v1/job.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import type { ControllerName } from '../../../../generated/controllers.ts'
import { platform } from '../../../../generated/platform.ts'
import type { Client, Transport } from '../../../../runtime/client/client.ts'
import { controllersInProcess } from '../../../../runtime/controller-manager/controller-manager.ts'
import { pause } from '../../../../runtime/kernel/async/clock.ts'
import { enabledGatesOf } from '../../../../runtime/kernel/descriptors/enabled-gates.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import { explore, type World } from '../../../../runtime/testing/testing.ts'
import { badDayOf } from '../../../support/fault-world.ts'

const test = suite('runtime/controller-manager: pauses of slow starts (T-02, T-05)')

/** So many pods take longer to create than a slow start goes on for. */
const count = 60
const creationMs = 700

const labels = { app: 'web' }
const template = {
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: 'work' }], restartPolicy: 'Always' },
} as const

/** A server that takes its time to create a pod, and notes statuses of owners that do not have all of their pods. */
class SlowServer {
  readonly #inner: Transport
  readonly #clock: World['clock']
  /** How often an owner told that it has some of its pods. */
  told = 0

  constructor({ plane, clock }: World) {
    this.#inner = plane.transport
    this.#clock = clock
  }

  get transport(): Transport {
    return {
      close: () => this.#inner.close(),
      send: async (request) => {
        const { method, path, body, signal } = request
        if (method === 'POST' && path.endsWith('/pods'))
          await pause(this.#clock, creationMs, signal)
        const [, has] = /"(?:replicas|active)":(\d+)[^{}]*\}?$/.exec(statusIn(String(body))) ?? []
        if (path.endsWith('/status') && Number(has) > 0 && Number(has) < count) this.told += 1
        return this.#inner.send(request)
      },
    }
  }
}

function statusIn(body: string): string {
  return body.slice(body.lastIndexOf('"status":'))
}

async function startedOn(world: World, controller: ControllerName, server: SlowServer) {
  const { plane, clock } = world
  const make = (client: Client) =>
    controllersInProcess({
      ...{ controllers: [controller], platform, clock, log: silentLog },
      gates: enabledGatesOf(plane.scheme),
      clientAs: () => client,
    })
  return badDayOf(world, 'manager', make, server.transport)
}

const owners: readonly [ControllerName, (client: Client) => Promise<unknown>][] = [
  [
    'replicaset-controller',
    (client) =>
      client.resource(replicaSets).create({
        metadata: { name: 'web', namespace: 'default' },
        spec: { replicas: count, selector: { matchLabels: labels }, template },
      }),
  ],
  [
    'job-controller',
    (client) =>
      client.resource(jobs).create({
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          ...{ parallelism: count, completions: count },
          template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
        },
      }),
  ],
]

for (const [controller, create] of owners) {
  test(`none too many and none missing is created where it ends in a pause: ${controller}`, async () => {
    let pauses = 0
    await explore(
      async (world) => {
        const { client } = world.plane
        const server = new SlowServer(world)
        const manager = await startedOn(world, controller, server)
        await create(client)
        const look = async (): Promise<number> => {
          const { items } = await client.resource(pods).in('default').listAll()
          assert.ok(items.length <= count, `${items.length} pods, ${count} were asked for`)
          return items.length
        }
        for (let step = 0, seen = 0; step < 200 && (await look()) < count; step++) {
          await world.advance(200)
          if (server.told === seen) continue
          seen = server.told
          pauses += 1
          if (world.random() < 0.7) await manager.restart()
        }
        manager.mend()
        await world.until(async () => (await look()) === count)
        await world.advance(10_000)
        assert.is(await look(), count)
        await manager.stop()
      },
      { seeds: 6 },
    )
    assert.ok(pauses >= 6, `only ${pauses} pauses`)
  })
}

test.run()
