import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { flowControl } from '../../../../generated/flow-control.ts'
import { metrics as facts } from '../../../../generated/metrics.ts'
import { scheme } from '../../../../generated/scheme.ts'
import { createMetrics } from '../../../../runtime/observe/observe.ts'
import { factsConfig, plainConfig } from '../../../../runtime/server/flow/flow-config.ts'
import {
  type FlowConfig,
  FlowControl,
  type FlowDecision,
  type FlowRequest,
} from '../../../../runtime/server/flow/flow-control.ts'
import { flowRequestOf } from '../../../../runtime/server/flow/flow-request.ts'
import { dealHand } from '../../../../runtime/server/flow/shuffle-sharding.ts'
import { requestInfoOf } from '../../../../runtime/server/request/request-info.ts'
import { routeTable } from '../../../../runtime/server/request/resource-path.ts'
import { type FakeClock, fakeClock } from '../../../support/clock.ts'

const test = suite('runtime/server: flow control')

function asker(name: string, groups: readonly string[] = ['system:authenticated']): FlowRequest {
  return {
    user: { username: name, groups },
    verb: 'get',
    path: '/api/v1/namespaces/default/pods',
    resource: { group: '', name: 'pods', namespace: 'default' },
  }
}

interface Level {
  readonly shares?: number
  readonly queues?: number
  readonly handSize?: number
  readonly queueLengthLimit?: number
  readonly lendablePercent?: number
  readonly borrowingLimitPercent?: number
}

/** One level for each name, and for each a schema for the group of that name, told apart by user. */
function config(levels: Readonly<Record<string, Level>>): FlowConfig {
  const named = (name: string) => ({ name, mandatory: false, uid: `uid-${name}` })
  const names = Object.entries(levels)
  return {
    priorityLevels: names.map(([name, { shares = 10, ...level }]) => {
      const { lendablePercent = 0, borrowingLimitPercent, queues = 0, ...rest } = level
      const limitResponse =
        queues === 0 ? { type: 'Reject' } : { type: 'Queue', queuing: { queues, ...rest } }
      const limited = { nominalConcurrencyShares: shares, lendablePercent, limitResponse }
      const borrowing = borrowingLimitPercent === undefined ? {} : { borrowingLimitPercent }
      return { ...named(name), spec: { type: 'Limited', limited: { ...limited, ...borrowing } } }
    }),
    flowSchemas: names.map(([name]) => ({
      ...named(name),
      spec: {
        priorityLevelConfiguration: { name },
        distinguisherMethod: { type: 'ByUser' },
        rules: [
          {
            subjects: [{ kind: 'Group', group: { name } }],
            resourceRules: [
              { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] },
            ],
          },
        ],
      },
    })),
  }
}

interface Bench {
  readonly clock: FakeClock
  readonly flow: FlowControl
  /** Sends a request; its name is noted when it is let in. */
  readonly send: (user: string, level: string, seats?: number) => Promise<FlowDecision>
  /** Who was let in, in that order, and has not left. */
  readonly inside: string[]
  /** The first of a user leaves. */
  readonly leave: (user: string) => Promise<void>
  readonly text: () => string
}

function bench(levels: Readonly<Record<string, Level>>, seats: number, waitMs = 15_000): Bench {
  const clock = fakeClock(1_000_000)
  const metrics = createMetrics(facts, { release: '1.29.0' })
  const flow = new FlowControl(config(levels), { seats, waitMs, clock, metrics })
  const inside: string[] = []
  const leavers = new Map<string, (() => void)[]>()
  return {
    clock,
    flow,
    inside,
    async send(user, level, width = 1) {
      const entry = await flow.acquire(asker(user, [level]), width)
      if (entry.release !== undefined) {
        inside.push(user)
        leavers.set(user, [...(leavers.get(user) ?? []), entry.release])
      }
      return entry
    },
    async leave(user) {
      inside.splice(inside.indexOf(user), 1)
      leavers.get(user)?.shift()?.()
      for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    },
    text: () => metrics.text('prometheus'),
  }
}

// K-03
test('a namespace is inside itself', () => {
  const asked = (method: string, url: string) => {
    const request = { method, url, headers: {}, async *body() {} }
    const user = { username: 'ann', groups: [] }
    return flowRequestOf(requestInfoOf(routeTable(scheme), request), user, method).resource
  }
  const namespaces = { group: '', name: 'namespaces' }
  assert.equal(asked('GET', '/api/v1/namespaces/mine'), { ...namespaces, namespace: 'mine' })
  assert.equal(asked('GET', '/api/v1/namespaces'), namespaces)
  assert.equal(asked('GET', '/api/v1/nodes/mine'), { group: '', name: 'nodes' })
})

// K-04
test('the seats of a server are divided by shares', () => {
  const { text } = bench({ a: { shares: 30 }, b: { shares: 10 } }, 100)
  assert.match(text(), 'apiserver_flowcontrol_nominal_limit_seats{priority_level="a"} 75\n')
  assert.match(text(), 'apiserver_flowcontrol_nominal_limit_seats{priority_level="b"} 25\n')
})

// K-02
test('a level without queues turns away what is beyond its seats', async () => {
  const { send, leave } = bench({ a: {} }, 2)
  for (const user of ['x', 'y']) assert.ok((await send(user, 'a')).release)
  const refused = await send('z', 'a')
  assert.is(refused.release, undefined)
  assert.is(refused.retryAfterSeconds, 1)
  await leave('x')
  assert.ok((await send('z', 'a')).release)
})

test('who keeps being turned away is asked to wait longer, up to eight seconds', async () => {
  const { send, clock } = bench({ a: {} }, 1)
  await send('x', 'a')
  const seconds: number[] = []
  for (let n = 0; n < 5; n++) {
    seconds.push((await send('y', 'a')).retryAfterSeconds)
    clock.advance(1000)
  }
  assert.equal(seconds, [1, 2, 4, 8, 8])
  clock.advance(20_000)
  assert.is((await send('y', 'a')).retryAfterSeconds, 1)
})

test('a request waits for a seat, and goes on when one is free', async () => {
  const { send, leave, inside, text } = bench({ a: { queues: 4, handSize: 2 } }, 1)
  await send('x', 'a')
  const waits = send('y', 'a')
  assert.match(text(), 'current_inqueue_requests{priority_level="a",flow_schema="a"} 1\n')
  assert.equal(inside, ['x'])
  await leave('x')
  assert.ok((await waits).release)
  assert.equal(inside, ['y'])
  assert.match(text(), 'current_inqueue_requests{priority_level="a",flow_schema="a"} 0\n')
})

test('who has waited too long is turned away', async () => {
  const { send, clock, text } = bench({ a: { queues: 1, handSize: 1 } }, 1, 5000)
  await send('x', 'a')
  const waits = send('y', 'a')
  clock.advance(4999)
  clock.advance(1)
  assert.is((await waits).release, undefined)
  assert.match(
    text(),
    'rejected_requests_total{priority_level="a",flow_schema="a",reason="time-out"} 1',
  )
})

test('a full queue turns away', async () => {
  const { send, text } = bench({ a: { queues: 1, handSize: 1, queueLengthLimit: 2 } }, 1)
  await send('x', 'a')
  void send('y', 'a')
  void send('y', 'a')
  assert.is((await send('y', 'a')).release, undefined)
  assert.match(text(), 'reason="queue-full"} 1')
})

test('a flow that floods its queues does not hold up another', async () => {
  const { send, leave, inside } = bench({ a: { queues: 64, handSize: 4 } }, 1)
  await send('flood', 'a')
  for (let n = 0; n < 40; n++) void send('flood', 'a')
  void send('mouse', 'a')
  let turns = 0
  while (!inside.includes('mouse')) {
    await leave('flood')
    turns++
  }
  assert.ok(turns <= 5, `the mouse waits for one request of each queue at most, not ${turns}`)
})

test('a flow whose requests take longer goes less often', async () => {
  const { send, leave, inside, clock } = bench({ a: { queues: 128, handSize: 1 } }, 1)
  const done = { slow: 0, quick: 0 }
  await send('first', 'a')
  for (let n = 0; n < 30; n++) for (const user of ['slow', 'quick']) void send(user, 'a')
  await leave('first')
  for (let n = 0; n < 24; n++) {
    const [user] = inside as ('slow' | 'quick')[]
    clock.advance(user === 'slow' ? 30 : 10)
    done[user as 'slow']++
    await leave(user as string)
  }
  assert.ok(done.quick >= 2 * done.slow, JSON.stringify(done))
})

test('idle seats are lent, and come back when who has them leaves', async () => {
  const levels = { busy: { queues: 4, handSize: 1 }, idle: { lendablePercent: 50, queues: 4 } }
  const { send, leave, inside } = bench(levels, 8)
  for (let n = 0; n < 6; n++) assert.ok((await send('b', 'busy')).release, String(n))
  void send('late', 'busy')
  assert.is(inside.length, 6)
  for (let n = 0; n < 2; n++) assert.ok((await send('i', 'idle')).release)
  void send('i', 'idle')
  assert.is(inside.filter((user) => user === 'i').length, 2)
  await leave('b')
  assert.is(inside.filter((user) => user === 'i').length, 3, 'the lender comes before who borrowed')
  assert.not.ok(inside.includes('late'))
})

test('a level borrows no more than its limit', async () => {
  const levels = { a: { borrowingLimitPercent: 25 }, b: { lendablePercent: 100 } }
  const { send } = bench(levels, 8)
  const entries = await Promise.all(Array.from({ length: 7 }, () => send('x', 'a')))
  assert.is(entries.filter(({ release: leave }) => leave !== undefined).length, 5)
})

test('a wide request takes several seats, never more than its level has', async () => {
  const { send, inside, leave } = bench({ a: { queues: 2, handSize: 1 } }, 4)
  await send('narrow', 'a')
  void send('wide', 'a', 10)
  assert.equal(inside, ['narrow'])
  await leave('narrow')
  assert.equal(inside, ['wide'])
})

// K-03
test('the bootstrap configuration classifies users as it says', async () => {
  const metrics = createMetrics(facts, { release: '1.29.0' })
  const full = factsConfig(flowControl)
  const options = { seats: 600, waitMs: 1000, clock: fakeClock(), metrics }
  const flow = new FlowControl(full, options)
  const all = ['system:authenticated']
  const lease = { group: 'coordination.orch.io', name: 'leases', namespace: 'orch-system' }
  const cases: readonly (readonly [FlowRequest, string, string])[] = [
    [asker('root', ['system:masters', ...all]), 'exempt', 'exempt'],
    [asker('node-1', ['system:nodes', ...all]), 'system-nodes', 'system'],
    [asker('anna', all), 'global-default', 'global-default'],
    [asker('nobody', ['system:unauthenticated']), 'global-default', 'global-default'],
    [asker('stranger', ['other']), '', ''],
    [
      asker('system:serviceaccount:shop:cart', ['system:serviceaccounts', ...all]),
      'service-accounts',
      'workload-low',
    ],
    [
      asker('system:serviceaccount:orch-system:deployer', ['system:serviceaccounts', ...all]),
      'orch-system-service-accounts',
      'workload-high',
    ],
    [
      { ...asker('system:orch-scheduler', all), resource: lease },
      'system-leader-election',
      'leader-election',
    ],
    [{ user: { username: 'x', groups: all }, verb: 'get', path: '/livez' }, 'probes', 'exempt'],
    [
      { user: { username: 'x', groups: all }, verb: 'get', path: '/version' },
      'global-default',
      'global-default',
    ],
  ]
  for (const [request, schema, level] of cases) {
    const entry = await flow.acquire(request, 1)
    const name = full.flowSchemas.find(({ uid }) => uid === entry.flowSchemaUid)?.name ?? ''
    const levelName =
      full.priorityLevels.find(({ uid }) => uid === entry.priorityLevelUid)?.name ?? ''
    assert.equal([name, levelName], [schema, level], JSON.stringify(request))
    entry.release?.()
  }
})

test('without fairness, reading and changing requests are counted apart', async () => {
  const metrics = createMetrics(facts, { release: '1.29.0' })
  const options = { seats: 3, waitMs: 1000, clock: fakeClock(), metrics }
  const flow = new FlowControl(plainConfig(2, 1), options)
  const send = async (verb: string) => (await flow.acquire({ ...asker('x'), verb }, 1)).release
  assert.ok(await send('create'))
  assert.is(await send('update'), undefined)
  assert.ok(await send('get'))
  assert.ok(await send('list'))
  assert.is(await send('get'), undefined)
})

test('a new configuration lets those go who wait in what it replaces', async () => {
  const { send, flow, inside } = bench({ a: { queues: 1, handSize: 1 } }, 1)
  await send('x', 'a')
  void send('y', 'a')
  flow.configure(config({ a: { queues: 2, handSize: 1, shares: 20 } }))
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  assert.equal(inside, ['x', 'y'])
})

test('a hand is dealt without doubles, the same for the same flow', () => {
  for (let n = 0; n < 200; n++) {
    const hand = dealHand(`flow-${n}`, 16, 6)
    assert.is(new Set(hand).size, 6)
    assert.ok(hand.every((card) => card >= 0 && card < 16))
    assert.equal(hand, dealHand(`flow-${n}`, 16, 6))
  }
  assert.is(dealHand('x', 3, 8).length, 3)
})

test.run()
