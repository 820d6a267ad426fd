import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leases } from '../../../generated/apis/coordination/v1.ts'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { metrics as table } from '../../../generated/metrics.ts'
import { createMetrics } from '../../../runtime/observe/observe.ts'
import {
  createManager,
  defineController,
  done,
  type Manager,
} from '../../../runtime/reconcile/reconcile.ts'
import { type ControlPlane, startControlPlane } from '../../../runtime/testing/testing.ts'
import { type FakeClock, fakeClock } from '../../support/clock.ts'
import { until } from '../../support/until.ts'

interface Member {
  readonly manager: Manager
  readonly clock: FakeClock
  /** Names of objects that its controller saw, and the token of the term in which it did. */
  readonly seen: string[]
  readonly errors: unknown[]
  stop(): Promise<void>
}

interface Running {
  plane: ControlPlane
  /** A manager with a clock of its own; `hold` lets its runs wait until they are let go. */
  member: (name: string, hold?: (signal: AbortSignal) => Promise<void>) => Member
  end: () => Promise<void>
}

const test = suite<Running>('runtime/reconcile: managers that elect a leader')

test.before.each(async (context) => {
  context.plane = await startControlPlane()
  const { client } = context.plane
  const stops: (() => Promise<void>)[] = []
  context.member = (name, hold = async () => {}) => {
    const clock = fakeClock()
    const seen: string[] = []
    const errors: unknown[] = []
    const controller = defineController({
      name: 'test',
      for: configMaps,
      async reconcile(map, context) {
        seen.push(`${map.metadata.name} ${context.term?.token}`)
        await hold(context.signal)
        await context.client
          .resource(configMaps)
          .mergePatch(map.metadata, { data: { [name]: 'x' } })
        return done
      },
    })
    const metrics = createMetrics(table, { release: '1.29.0', daemon: 'controller-manager' })
    const log = { debugging: false, debug() {}, info() {}, warn() {}, error: logged }
    function logged(_: string, __?: unknown, cause?: unknown): void {
      errors.push(cause)
    }
    const manager = createManager({
      ...{ client, clock, metrics, log, controllers: [controller], namespace: 'default' },
      random: () => 0,
      leaderElection: { name: 'operator', identity: name },
      drainMs: 0,
    })
    const end = new AbortController()
    const run = manager.run(end.signal)
    const stop = async (): Promise<void> => {
      end.abort()
      await run
    }
    stops.push(stop)
    return { manager, clock, seen, errors, stop }
  }
  context.end = async () => {
    await Promise.all(stops.map((stop) => stop()))
    await context.plane.stop()
  }
})

test.after.each(({ end }) => end())

/** Lets a member's time go by, a little at each look, until it leads. */
async function lead({ clock, manager }: Member): Promise<void> {
  await until('lead', () => {
    if (!manager.isLeader) clock.advance(50)
    return manager.isLeader
  })
}

test('one manager works, the other is ready and waits with a filled cache and queue', async ({
  plane,
  member,
}) => {
  const a = member('a')
  await until('a leads', () => a.manager.isLeader)
  const b = member('b')
  await b.manager.ready
  await plane.client.resource(configMaps).create({ metadata: { name: 'x' } })
  await until('a works', () => a.seen.length > 0)
  await until('b knows', () => b.manager.stats().test?.depth === 1)
  assert.is(b.manager.isLeader, false)
  assert.equal(b.seen, [])
  await a.stop()
  await lead(b)
  await until('b works', () => b.seen.includes('x 1'))
})

test('a run under way ends with the lease, writes nothing, and is done again in the next term', async ({
  plane,
  member,
}) => {
  let held = true
  const a = member('a', async (signal) => {
    if (!held) return
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  })
  await until('a leads', () => a.manager.isLeader)
  await plane.client.resource(configMaps).create({ metadata: { name: 'x' } })
  await until('a works', () => a.seen.length === 1)
  const { spec } = await plane.client.resource(leases).get('operator')
  await plane.client.resource(leases).mergePatch('operator', {
    spec: { holderIdentity: 'other', leaseTransitions: (spec?.leaseTransitions ?? 0) + 1 },
  })
  await until('lost', () => {
    a.clock.advance(50)
    return !a.manager.isLeader
  })
  held = false
  assert.is((await plane.client.resource(configMaps).get('x')).data, undefined)
  await lead(a)
  await until('written', async () => {
    a.clock.advance(50)
    return (await plane.client.resource(configMaps).get('x')).data?.a === 'x'
  })
  assert.is(a.seen[1], 'x 2')
})

test('a manager that is told to stop while it waits for its lease ends', async ({ member }) => {
  const a = member('a')
  await until('a leads', () => a.manager.isLeader)
  const b = member('b')
  await b.manager.ready
  await b.stop()
  assert.is(a.manager.isLeader, true)
})

test.run()
