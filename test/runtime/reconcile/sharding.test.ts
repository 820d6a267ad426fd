// Managers that share keys, each with a clock and a connection of its own, while members come, go, freeze, and lose the server.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leases } from '../../../generated/apis/coordination/v1.ts'
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { metrics as table } from '../../../generated/metrics.ts'
import { createClient } from '../../../runtime/client/client.ts'
import { memberOf } from '../../../runtime/election/election.ts'
import { createMetrics, type Metrics } from '../../../runtime/observe/observe.ts'
import { printReport } from '../../../runtime/operator/print-report.ts'
import {
  createManager,
  defineController,
  done,
  type Manager,
  type ShardingSettings,
} from '../../../runtime/reconcile/reconcile.ts'
import { seededRandom } from '../../../runtime/testing/seeded-random.ts'
import { type ControlPlane, startControlPlane } from '../../../runtime/testing/testing.ts'
import { type Chaos, createChaos } from '../../support/chaos.ts'
import { type FakeClock, fakeClock } from '../../support/clock.ts'
import { until } from '../../support/until.ts'

/** How a member is: one that is dead has no process, one that is frozen has one for which no time passes. */
type State = 'alive' | 'frozen' | 'dead'

interface Member {
  readonly name: string
  readonly manager: Manager
  readonly clock: FakeClock
  readonly chaos: Chaos
  readonly metrics: Metrics
  state: State
  /** What its run failed with. */
  ended?: unknown
  /** Its process is killed: nothing of it is heard of any more. */
  kill(): void
  freeze(): void
  /** It goes on, at a time that the others have reached meanwhile, and hears of it later than its runs do. */
  thaw(): Promise<void>
  stop(): Promise<void>
}

interface Running {
  plane: ControlPlane
  members: Member[]
  /** Two runs of one key that were under way at once. */
  clashes: string[]
  /** Every run so far: `key member token`. */
  runs: string[]
  join: (name: string, settings?: Partial<ShardingSettings>) => Member
  end: () => Promise<void>
}

const timing = { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 500 }
const test = suite<Running>('runtime/reconcile: managers that share keys')

test.before.each(async (context) => {
  const plane = await startControlPlane()
  const members: Member[] = []
  const under = new Map<string, Member>()
  const over = new AbortController()
  let time = 0
  const pumping = pump()
  Object.assign(context, { plane, members, clashes: [], runs: [] })

  /** Time passes for all members that are not frozen, whatever time it is where they are. */
  async function pump(): Promise<void> {
    while (!over.signal.aborted) {
      time += 50
      for (const { clock, state } of members) if (state === 'alive') clock.advance(50)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  context.join = (name, settings = {}) => {
    const [start, joined] = [members.length * 1_000_000, time]
    const clock = fakeClock(start)
    const chaos = createChaos(plane.transport)
    let thawed: Promise<void> | undefined
    let wake = (): void => {}
    const client = createClient({
      ...chaos,
      async send(request) {
        await thawed
        return chaos.send(request)
      },
    })
    const controller = defineController<ConfigMap>({
      name: 'stamp',
      for: configMaps,
      async reconcile(map, { client, term, signal }) {
        const key = map.metadata.name
        const other = under.get(key)
        if (other !== undefined && other !== member && other.state === 'alive') {
          context.clashes.push(`${key}: ${other.name} and ${name}`)
        }
        under.set(key, member)
        context.runs.push(`${key} ${name} ${term?.token}`)
        try {
          for (let turn = 0; turn < 5 && !signal.aborted; turn++) {
            await new Promise((resolve) => setTimeout(resolve, 1))
            await thawed
          }
          if (map.data?.seen === map.data?.wanted) return done
          const data = { seen: map.data?.wanted ?? '', holder: name, token: String(term?.token) }
          await client.resource(configMaps).mergePatch(map.metadata, { data })
          return done
        } finally {
          if (under.get(key) === member) under.delete(key)
        }
      },
    })
    const metrics = createMetrics(table, { release: '1.29.0', daemon: 'controller-manager' })
    const manager = createManager({
      ...{ client, clock, metrics, controllers: [controller], namespace: 'default', drainMs: 500 },
      queue: { backoff: { baseMs: 20, maxMs: 100 }, retries: { perSecond: 1000, burst: 1000 } },
      sharding: { name: 'stamps', identity: name, shards: 8, ...timing, ...settings },
    })
    const stop = new AbortController()
    const running = manager.run(stop.signal)
    running.catch((error) => {
      member.ended = error
    })
    const member: Member = {
      ...{ name, manager, clock, chaos, metrics, state: 'alive' },
      kill() {
        member.state = 'dead'
        chaos.down()
        for (const [key, one] of under) if (one === member) under.delete(key)
      },
      freeze() {
        member.state = 'frozen'
        thawed = new Promise((resolve) => {
          wake = resolve
        })
      },
      async thaw() {
        const missed = start + time - joined - clock.monotonic()
        clock.set(clock.now() + missed)
        thawed = undefined
        wake()
        await new Promise((resolve) => setTimeout(resolve, 20))
        clock.set(clock.now() - missed)
        clock.advance(start + time - joined - clock.monotonic())
        for (const [key, one] of under) if (one === member) under.delete(key)
        member.state = 'alive'
      },
      async stop() {
        if (member.state === 'frozen') await member.thaw()
        member.state = 'alive'
        stop.abort()
        await running
      },
    }
    members.push(member)
    return member
  }
  context.end = async () => {
    await Promise.allSettled(members.map((member) => member.stop()))
    over.abort()
    await pumping
    await plane.stop()
  }
})

test.after.each(({ end }) => end())

const keys = Array.from({ length: 24 }, (_, at) => `m${at}`)

async function want({ client }: ControlPlane, wanted: string): Promise<void> {
  const maps = client.resource(configMaps)
  await Promise.all(
    keys.map((name) => maps.apply({ metadata: { name }, data: { wanted } }, { force: true })),
  )
}

/** Waits until every key is stamped with what is wanted of it. */
async function allSeen({ client }: ControlPlane, wanted: string): Promise<readonly ConfigMap[]> {
  return until(`all ${wanted}`, async () => {
    const { items } = await client.resource(configMaps).listAll({})
    const stamped = items.filter(({ data }) => data?.seen === wanted)
    return stamped.length === keys.length && stamped
  })
}

const sharesOf = ({ manager }: Member): Readonly<Record<string, number>> =>
  manager.report().sharding?.members ?? {}

/** Waits until a member knows that each shard is held by the one of these that it belongs to. */
async function settled(who: Member, names: readonly string[]): Promise<void> {
  await until(`${names} share`, () => {
    const shares = sharesOf(who)
    const { shards = [] } = who.manager.report().sharding ?? {}
    const isDone = shards.every(
      ({ shard, holder, closing }) => holder === memberOf(shard, names) && !closing,
    )
    return isDone && Object.keys(shares).join() === [...names].sort().join()
  })
}

test('one member has all keys; of two each works on its own, and a third takes from both', async ({
  plane,
  join,
  clashes,
}) => {
  const many = { shards: 32 }
  const a = join('a', many)
  await settled(a, ['a'])
  await want(plane, '1')
  await allSeen(plane, '1')
  join('b', many)
  await settled(a, ['a', 'b'])
  await want(plane, '2')
  const stamped = await allSeen(plane, '2')
  assert.equal([...new Set(stamped.map(({ data }) => data?.holder))].sort(), ['a', 'b'])
  const between = a.manager.report().sharding?.shards ?? []
  const c = join('c', many)
  await settled(c, ['a', 'b', 'c'])
  const moved = between.filter(({ shard, holder }) => memberOf(shard, ['a', 'b', 'c']) !== holder)
  const { shards = [] } = c.manager.report().sharding ?? {}
  assert.equal(
    shards.filter(({ holder }) => holder === 'c').map(({ shard }) => shard),
    moved.map(({ shard }) => shard),
  )
  assert.ok(moved.length > 0)
  assert.equal(clashes, [])
})

test('who stops leaves at once, and its lease goes', async ({ plane, join }) => {
  const [a, b] = [join('a'), join('b')]
  await settled(a, ['a', 'b'])
  await b.stop()
  await settled(a, ['a'])
  assert.is(await plane.client.resource(leases).find('stamps-member-b'), undefined)
  await want(plane, '1')
  await allSeen(plane, '1')
})

test("what belongs together is one process's, where namespaces are hashed", async ({
  plane,
  join,
}) => {
  const by = { by: 'namespace' } as const
  const [a] = [join('a', by), join('b', by)]
  await settled(a, ['a', 'b'])
  await want(plane, '1')
  const stamped = await allSeen(plane, '1')
  assert.is(new Set(stamped.map(({ data }) => data?.holder)).size, 1)
})

test('a process that divides the keys otherwise is refused, and says what to do', async ({
  join,
}) => {
  const a = join('a')
  await settled(a, ['a'])
  const b = join('b', { shards: 16 })
  await until('b has ended', () => b.ended !== undefined)
  assert.match(
    String(b.ended),
    /divides its work into 8 by key, this member into 16 by key: give all members/,
  )
})

test('what was deleted while no process had it is told to the next', async ({ plane }) => {
  const clock = fakeClock()
  const gone: string[] = []
  const member = (identity: string) =>
    createManager({
      ...{ client: plane.client, clock, namespace: 'default', drainMs: 0 },
      controllers: [
        defineController<ConfigMap>({
          name: 'gone',
          for: configMaps,
          reconcile: async () => done,
          async deleted({ name }) {
            gone.push(`${identity} ${name}`)
            return done
          },
        }),
      ],
      sharding: { name: 'gone', identity, shards: 1, ...timing },
    })
  const [first, second] = ['a', 'b'].map(member) as [Manager, Manager]
  const [stopFirst, stop] = [new AbortController(), new AbortController()]
  await plane.client.resource(configMaps).create({ metadata: { name: 'x' } })
  const one = first.run(stopFirst.signal)
  await until('a has it', () => first.report().sharding?.members.a === 1)
  const two = second.run(stop.signal)
  await second.ready
  stopFirst.abort()
  await one
  await plane.client.resource(configMaps).delete('x')
  await until('b hears', () => {
    clock.advance(100)
    return gone.some((line) => line.endsWith(' x'))
  })
  assert.equal(gone, ['b x'])
  stop.abort()
  await two
})

test('report and metrics say who has what', async ({ join }) => {
  const a = join('a')
  await settled(a, ['a'])
  const { sharding } = a.manager.report()
  assert.is(sharding?.division, '8 by key')
  assert.equal(sharding?.members, { a: 8 })
  assert.equal(
    sharding?.shards.map(({ holder, token }) => [holder, token]),
    Array.from({ length: 8 }, () => ['a', 0]),
  )
  const page = printReport(a.manager.report())
  assert.match(page, 'shards of stamps: 8 by key\n  a (this process)  8  0 1 2 3 4 5 6 7\n')
  const text = a.metrics.text('prometheus')
  assert.match(text, /^shards_held\{name="stamps"\} 8$/m)
  assert.match(text, /^shard_moves_total\{name="stamps",type="taken"\} 8$/m)
})

/** What happens to a group, by chance. */
async function disturb(
  { members, join }: Running,
  random: () => number,
  step: number,
): Promise<string> {
  const pick = (state: State): Member | undefined => {
    const those = members.filter((member) => member.state === state)
    return those[Math.floor(random() * those.length)]
  }
  const alive = members.filter(({ state }) => state === 'alive')
  const what = Math.floor(random() * 6)
  const one = pick('alive')
  if (alive.length < 2 || one === undefined || what === 0) return `${join(`n${step}`).name} joins`
  if (what === 1) one.kill()
  if (what === 2) one.freeze()
  if (what === 3) await pick('frozen')?.thaw()
  if (what === 4) one.chaos.down()
  if (what === 5) for (const { chaos, state } of members) if (state !== 'dead') chaos.heal()
  return `${what} ${one.name}`
}

for (const seed of [1, 2, 3]) {
  test(`whatever happens to members, no key has two runs, no write is late, and nothing is lost: seed ${seed}`, async (context) => {
    const { plane, members, join, clashes } = context
    const random = seededRandom(seed)
    const stop = new AbortController()
    const stamps: { readonly name: string; readonly token: number }[] = []
    const watching = collect(plane, stamps, stop.signal)
    for (const name of ['a', 'b', 'c']) join(name)
    const steps: string[] = []
    for (let step = 0; step < 12; step++) {
      steps.push(await disturb(context, random, step))
      await want(plane, String(step))
      await new Promise((resolve) => setTimeout(resolve, 100 + random() * 200))
    }
    for (const member of members) {
      if (member.state === 'frozen') await member.thaw()
      if (member.state === 'alive') member.chaos.heal()
    }
    if (members.every(({ state }) => state === 'dead')) join('last')
    await want(plane, 'end')
    await allSeen(plane, 'end')
    stop.abort()
    await watching
    assert.equal(clashes, [], steps.join('; '))
    for (const key of keys) {
      const tokens = stamps.filter(({ name }) => name === key).map(({ token }) => token)
      assert.equal(
        tokens,
        [...tokens].sort((a, b) => a - b),
        `${key}: ${steps.join('; ')}`,
      )
    }
  })
}

/** Every stamp of a key, in the order of their revisions. */
async function collect(
  { client }: ControlPlane,
  stamps: { readonly name: string; readonly token: number }[],
  signal: AbortSignal,
): Promise<void> {
  const seen = new Map<string, string | undefined>()
  for await (const { object } of client.resource(configMaps).in('default').watch({}, signal)) {
    const { data = {}, metadata } = object as ConfigMap & { metadata: { name: string } }
    if (data.holder === undefined || data.seen === seen.get(metadata.name)) continue
    seen.set(metadata.name, data.seen)
    stamps.push({ name: metadata.name, token: Number(data.token) })
  }
}

test.run()
