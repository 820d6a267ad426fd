// What clusters that never come to rest cost: requests of the scheduler by the minute of a virtual clock.
import { setImmediate } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodes } from '../../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import { priorityClasses } from '../../../generated/apis/scheduling/v1.ts'
import { platform } from '../../../generated/platform.ts'
import { type Client, createClient } from '../../../runtime/client/client.ts'
import { isStatus } from '../../../runtime/kernel/errors/status-error.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { createScheduler } from '../../../runtime/scheduler/scheduler.ts'
import { startControlPlane, virtualClock } from '../../../runtime/testing/testing.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/scheduler: bad input')

/** Writes of the scheduler, by what they are. */
interface Sent {
  bindings: number
  statuses: number
  deletions: number
  events: number
}

interface World {
  readonly client: Client
  readonly sent: Sent
  /** Lets so many seconds pass, and gives what was sent meanwhile. */
  pass(seconds: number): Promise<Sent>
}

/** Runs a scheduler whose requests are counted, under a virtual clock. */
async function counted(run: (world: World) => Promise<void>): Promise<void> {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock })
  const { client, transport } = plane
  const sent: Sent = { bindings: 0, statuses: 0, deletions: 0, events: 0 }
  let pending = 0
  const counting = createClient(
    {
      send: async (request) => {
        const [path = ''] = request.path.split('?')
        if (path.endsWith('/binding')) sent.bindings += 1
        else if (path.endsWith('/status')) sent.statuses += 1
        else if (request.method === 'DELETE') sent.deletions += 1
        else if (request.method !== 'GET' && path.includes('/events')) sent.events += 1
        pending += 1
        return transport.send(request).finally(() => {
          pending -= 1
        })
      },
      close: async () => {},
    },
    { clock },
  )
  const scheduler = await createScheduler({
    ...{ client: counting, platform, clock, log: silentLog, keepAlive: false },
  })
  const end = new AbortController()
  const ended = scheduler.run(end.signal)
  await scheduler.ready
  /** Lets what is under way come to its end: some turns of the event loop in which nothing is sent. */
  const calm = async (): Promise<void> => {
    for (let quiet = 0; quiet < 10; quiet++) {
      await setImmediate()
      if (pending > 0) quiet = 0
    }
  }
  await run({
    client,
    sent,
    async pass(seconds) {
      const before = { ...sent }
      for (let at = 0; at < 2 * seconds; at++) {
        await clock.advanceAsync(500)
        await calm()
      }
      return {
        bindings: sent.bindings - before.bindings,
        statuses: sent.statuses - before.statuses,
        deletions: sent.deletions - before.deletions,
        events: sent.events - before.events,
      }
    },
  })
  end.abort()
  let isEnded = false
  const after = ended.then(() => {
    isEnded = true
  })
  while (!isEnded) await clock.advanceAsync(500)
  await after
}

async function addNode(client: Client, name: string): Promise<void> {
  await client.resource(nodes).create({ metadata: { name } })
  const status = { allocatable: { cpu: '4', memory: '8Gi', pods: '2000' } }
  await client.resource(nodes).mergePatch(name, { status }, { subresource: 'status' })
  await client.resource(nodes).mergePatch(name, { spec: { taints: null } })
}

async function addPod(client: Client, name: string, cpu: string, more: object = {}): Promise<void> {
  const containers = [{ name: 'main', image: 'example', resources: { requests: { cpu } } }]
  const spec = { containers, terminationGracePeriodSeconds: 0, ...more }
  await client
    .resource(pods)
    .in('default')
    .create({ metadata: { name }, spec } as unknown as Pod)
}

const many = 200

test('pods that can never be placed are told so once, and looked at every five minutes without a word', async () => {
  await counted(async ({ client, sent, pass }) => {
    await addNode(client, 'a')
    for (let at = 0; at < many; at++) await addPod(client, `p${at}`, '5')
    await until('each is told', async () => {
      await pass(1)
      return sent.statuses >= many
    })
    await pass(60)
    assert.is(sent.statuses, many)
    const rest = await pass(1200)
    assert.equal([rest.statuses, rest.bindings, rest.deletions], [0, 0, 0])
    // Each look counts the event of a pod once more.
    assert.ok(rest.events <= 4 * many, `${rest.events} events in twenty minutes`)
  })
})

test('a node that flaps wakes no pod that it is too small for, and others no oftener than their back-off', async () => {
  await counted(async ({ client, pass }) => {
    await addNode(client, 'a')
    const near = {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'nobody' } } },
      ],
    }
    const affinity = { affinity: { podAffinity: near } }
    for (let at = 0; at < many; at++) await addPod(client, `big-${at}`, '5')
    const few = 10
    for (let at = 0; at < few; at++) await addPod(client, `lonely-${at}`, '1', affinity)
    await pass(120)
    const minutes = 4
    let [statuses, events] = [0, 0]
    for (let second = 0; second < 60 * minutes; second++) {
      const unschedulable = second % 2 === 0
      await client.resource(nodes).mergePatch('a', { spec: { unschedulable } })
      const now = await pass(1)
      statuses += now.statuses
      events += now.events
    }
    // A pod is tried again every ten seconds at most.
    const most = few * 6 * minutes
    assert.ok(statuses <= most, `${statuses} statuses`)
    assert.ok(events <= most, `${events} events`)
  })
})

test('pods that come back after they had to go for more important ones do not make these go, nor each other', async () => {
  await counted(async ({ client, pass }) => {
    for (const [name, value] of Object.entries({ low: 1, high: 10 })) {
      await client.resource(priorityClasses).create({ metadata: { name }, value })
    }
    await addNode(client, 'a')
    const all = client.resource(pods).in('default')
    const place = async (): Promise<void> => {
      for (let at = 0; at < 6; at++) {
        await addPod(client, `low-${at}`, '1', { priorityClassName: 'low' }).catch((error) => {
          if (!isStatus(error, 'AlreadyExists')) throw error
        })
      }
    }
    await place()
    await pass(30)
    for (let at = 0; at < 6; at++) {
      await addPod(client, `high-${at}`, '1', { priorityClassName: 'high' })
    }
    for (let second = 0; second < 60; second++) {
      await pass(1)
      await place()
    }
    const { items } = await all.listAll()
    const placed = items.filter(({ spec }) => spec?.nodeName === 'a')
    assert.equal(
      placed.map(({ spec }) => spec?.priorityClassName),
      ['high', 'high', 'high', 'high'],
    )
    await addPod(client, 'huge', '5', { priorityClassName: 'high' })
    const first = await pass(60)
    assert.is(first.deletions, 0)
    const rest = await pass(240)
    assert.equal([rest.deletions, rest.bindings, rest.statuses], [0, 0, 0])
  })
})

test.run()
