// Which nodes are silent, and how fast pods leave them (T-10, T-23, D2.155).
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Lease } from '../../../../../generated/apis/coordination/v1.ts'
import type { Node } from '../../../../../generated/apis/core/v1/node.ts'
import {
  decideNodes,
  type NodesMemory,
  type NodesPlan,
  type NodesSettings,
  nothingKnown,
} from '../../../../../runtime/controller-manager/cluster/node-lifecycle/decide-nodes.ts'
import {
  evictionRate,
  isFree,
  paceAt,
  spent,
  zoneOf,
} from '../../../../../runtime/controller-manager/cluster/node-lifecycle/zones.ts'
import { timestamp } from '../../../../../runtime/kernel/async/clock.ts'
import type { Stored } from '../../../../../runtime/kernel/meta/object.ts'
import { seededRandom } from '../../../../../runtime/testing/seeded-random.ts'

const test = suite('runtime/controller-manager/cluster/node-lifecycle: decisions')

const begin = Date.parse('2030-01-01T00:00:00Z')

const settings: NodesSettings = {
  ...{ NodeEvictionRate: 0.1, SecondaryNodeEvictionRate: 0.01 },
  ...{ LargeClusterSizeThreshold: 50, UnhealthyZoneThreshold: 0.55 },
  grace: { startupMs: 60_000, monitorMs: 40_000 },
  ...{ periodMs: 5000, agent: 'orchlet', domain: 'orch.io' },
}

interface NodeFacts {
  readonly ready?: 'True' | 'False' | 'Unknown'
  readonly beat?: number
  readonly since?: number
  readonly zone?: string
  readonly taints?: readonly string[]
  readonly uid?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** A node; times are seconds after the beginning. Without `ready`, its agent never said anything. */
function nodeOf(name: string, facts: NodeFacts = {}): Stored<Node> {
  const { ready, beat = 0, since = 0, zone, taints = [], uid = name, labels } = facts
  const at = (seconds: number) => timestamp(begin + seconds * 1000)
  const condition = {
    ...{ type: 'Ready', status: ready, reason: 'x', message: 'y' },
    ...{ lastHeartbeatTime: at(beat), lastTransitionTime: at(since) },
  }
  return {
    metadata: {
      ...{ name, uid, creationTimestamp: at(0), resourceVersion: '1' },
      labels: { ...(zone && { 'topology.orch.io/zone': zone }), ...labels },
    },
    spec: { taints: taints.map((key) => ({ key: `node.orch.io/${key}`, effect: 'NoExecute' })) },
    status: { conditions: ready === undefined ? [] : [condition] },
  } as unknown as Stored<Node>
}

const leaseAt = (seconds: number) =>
  ({ spec: { renewTime: new Date(begin + seconds * 1000).toISOString() } }) as Stored<Lease>

/** What is decided at each of some seconds, one look after another. */
function looks(
  states: readonly (readonly [seconds: number, nodes: readonly Stored<Node>[], lease?: number])[],
  other: Partial<NodesSettings> = {},
): readonly NodesPlan[] {
  let memory: NodesMemory = nothingKnown
  return states.map(([seconds, nodes, lease]) => {
    const leaseOf = () => (lease === undefined ? undefined : leaseAt(lease))
    const moment = { now: begin + seconds * 1000, monotonic: 7_000_000 + seconds * 1000 }
    const plan = decideNodes({ nodes, leaseOf }, memory, { ...settings, ...other }, moment)
    memory = plan.memory
    return plan
  })
}

/** The seconds at which nodes were found silent. */
const silentAt = (...given: Parameters<typeof looks>) =>
  looks(...given).map(({ silent }, index) => (silent.length > 0 ? given[0][index]?.[0] : undefined))

const ready = (beat = 0) => [nodeOf('a', { ready: 'True', beat })]
const slow = { periodMs: 1_000_000 }

const silences: readonly (readonly [string, Parameters<typeof looks>[0], readonly number[]])[] = [
  [
    'a node that said something has forty seconds',
    [
      [0, ready()],
      [40, ready()],
      [41, ready()],
    ],
    [41],
  ],
  [
    'a heartbeat in its status counts',
    [
      [0, ready()],
      [30, ready(30)],
      [70, ready(30)],
    ],
    [],
  ],
  [
    'so does a lease that is renewed',
    [
      [0, ready(), 0],
      [30, ready(), 29],
      [70, ready(), 29],
    ],
    [],
  ],
  [
    'one that is not does not',
    [
      [0, ready(), 0],
      [30, ready(), 0],
      [70, ready(), 0],
    ],
    [70],
  ],
  [
    'nor one that goes',
    [
      [0, ready(), 0],
      [30, ready()],
      [41, ready()],
    ],
    [41],
  ],
  [
    'a lease that appears counts, however old it is',
    [
      [0, ready()],
      [30, ready(), -999],
      [70, ready(), -999],
    ],
    [],
  ],
  [
    'a new program begins to count when it sees a node',
    [
      [500, ready()],
      [540, ready()],
      [541, ready()],
    ],
    [541],
  ],
  [
    'a node that never said anything has a minute from its creation',
    [
      [50, [nodeOf('a')]],
      [60, [nodeOf('a')]],
      [61, [nodeOf('a')]],
    ],
    [61],
  ],
  [
    'unless its lease is renewed',
    [
      [50, [nodeOf('a')], 49],
      [110, [nodeOf('a')], 109],
    ],
    [],
  ],
  [
    'another node of the same name begins anew',
    [
      [0, ready()],
      [30, [nodeOf('a', { ready: 'True', uid: 'b' })]],
      [70, [nodeOf('a', { ready: 'True', uid: 'b' })]],
    ],
    [],
  ],
  [
    'a node of which nothing is known is not found silent again',
    [
      [0, [nodeOf('a', { ready: 'Unknown' })]],
      [99, [nodeOf('a', { ready: 'Unknown' })]],
    ],
    [],
  ],
]

for (const [title, states, expected] of silences) {
  test(title, () => {
    const found = silentAt(states, slow).filter((one) => one !== undefined)
    assert.equal(found, expected)
  })
}

test('time in which this program was stopped is held against no node', () => {
  const seconds = [0, 5, 10, ...Array.from({ length: 8 }, (_, index) => 600 + 5 * index)]
  const states = seconds.map((second) => [second, ready()] as const)
  assert.equal(silentAt(states).filter(Boolean), [625, 630, 635])
})

test('what an agent says is Unknown when it is silent, what others say stays, and times move with the status only', () => {
  const [, plan] = looks(
    [
      [0, ready()],
      [41, [withPressure()]],
    ],
    slow,
  )
  assert.equal(
    plan?.silent[0]?.conditions.map((one) => [
      ...[one.type, one.status, one.reason, one.message],
      ...[one.lastHeartbeatTime, one.lastTransitionTime],
    ]),
    [
      [
        'Ready',
        'Unknown',
        'NodeStatusUnknown',
        'Orchlet stopped posting node status.',
        at(0),
        at(41),
      ],
      ['NetworkUnavailable', 'True', 'x', 'y', at(0), at(0)],
      ['DiskPressure', 'Unknown', 'x', 'y', at(0), at(0)],
      [
        'MemoryPressure',
        'Unknown',
        'NodeStatusNeverUpdated',
        'Orchlet never posted node status.',
        at(0),
        at(41),
      ],
      [
        'PIDPressure',
        'Unknown',
        'NodeStatusNeverUpdated',
        'Orchlet never posted node status.',
        at(0),
        at(41),
      ],
    ],
  )
  assert.is(plan?.silent[0]?.wasReady, true)
})

const at = (seconds: number) => timestamp(begin + seconds * 1000)

function withPressure(): Stored<Node> {
  const node = nodeOf('a', { ready: 'True' })
  const said = { reason: 'x', message: 'y', lastHeartbeatTime: at(0), lastTransitionTime: at(0) }
  const conditions = [
    ...(node.status?.conditions ?? []),
    { type: 'NetworkUnavailable' as const, status: 'True' as const, ...said },
    { type: 'DiskPressure' as const, status: 'Unknown' as const, ...said },
  ]
  return { ...node, status: { conditions } }
}

test('nodes are told of when they are first seen, and when they are gone', () => {
  const [first, second, third] = looks([
    [0, [nodeOf('a'), nodeOf('b')]],
    [5, [nodeOf('a'), nodeOf('c')]],
    [10, [nodeOf('a'), nodeOf('c')]],
  ])
  const names = (nodes: readonly Stored<Node>[] | undefined) =>
    nodes?.map((one) => one.metadata.name)
  assert.equal(names(first?.registered), ['a', 'b'])
  assert.equal([names(second?.registered), names(second?.removed)], [['c'], ['b']])
  assert.equal([names(third?.registered), names(third?.removed)], [[], []])
})

test('the rate of a zone is that of its settings, lower where much is wrong, and none there if it is small', () => {
  const cases: readonly (readonly [readyNodes: number, notReady: number, rate: number])[] = [
    [10, 0, 0.1],
    [0, 1, 0.1],
    [0, 9, 0.1],
    [1, 2, 0.1],
    [3, 3, 0.1],
    [2, 3, 0],
    [22, 28, 0],
    [22, 29, 0.01],
    [23, 28, 0.1],
    [900, 1100, 0.01],
  ]
  for (const [readyNodes, notReady, rate] of cases) {
    assert.is(
      evictionRate({ ready: readyNodes, notReady }, settings),
      rate,
      `${readyNodes} ${notReady}`,
    )
  }
})

test('a zone is a region and a zone, by the former names of the labels first', () => {
  const zone = (labels: Record<string, string>) => zoneOf(nodeOf('a', { labels }), 'orch.io')
  assert.is(zone({}), '')
  assert.is(zone({ 'topology.orch.io/region': 'r', 'topology.orch.io/zone': 'z' }), 'r:\0:z')
  assert.is(zone({ 'topology.orch.io/zone': 'z' }), ':\0:z')
  const former = { 'failure-domain.beta.orch.io/zone': 'old', 'topology.orch.io/zone': 'z' }
  assert.is(zone(former), ':\0:old')
})

test('a pace that changes keeps its turn if it was free, and waits for the next one if it was not', () => {
  const free = paceAt(undefined, 0.1, 1000)
  assert.is(isFree(free, 1000), true)
  assert.is(isFree(paceAt(free, 0.01, 2000), 2000), true)
  const used = spent(0.1, 1000)
  assert.equal(used, { perSecond: 0.1, freeAt: 11_000 })
  assert.equal(paceAt(used, 0.2, 2000), { perSecond: 0.2, freeAt: 7000 })
  const stopped = paceAt(free, 0, 3000)
  assert.is(isFree(stopped, 1e9), false)
  assert.equal(paceAt(stopped, 0.1, 4000), { perSecond: 0.1, freeAt: 14_000 })
})

const lost = (name: string, facts: NodeFacts = {}) => nodeOf(name, { ready: 'Unknown', ...facts })
const well = (name: string, facts: NodeFacts = {}) => nodeOf(name, { ready: 'True', ...facts })
const names = ({ evicting }: NodesPlan) =>
  evicting.map(({ node, taint }) => `${node.metadata.name} ${taint.replace(/.*\//, '')}`)

test('pods leave one node of a zone in ten seconds, the one first that was lost first', () => {
  const nodes = [
    ...[well('a'), well('b'), well('c')],
    ...[lost('d', { since: 9 }), nodeOf('e', { ready: 'False', since: 8 })],
  ]
  const after = nodes.map((one) =>
    one.metadata.name === 'e' ? nodeOf('e', { ready: 'False', taints: ['not-ready'] }) : one,
  )
  const [first, early, due] = looks([
    [10, nodes],
    [15, after],
    [20, after],
  ])
  assert.equal(first && names(first), ['e not-ready'])
  assert.is(first?.dueMs, 10_000)
  assert.equal([early && names(early), early?.dueMs], [[], 5000])
  assert.equal(due && names(due), ['d unreachable'])
})

test('each zone has a pace of its own', () => {
  const nodes = [
    ...[well('a', { zone: 'x' }), lost('b', { zone: 'x' })],
    ...[well('c', { zone: 'y' }), lost('d', { zone: 'y' }), lost('e', { zone: 'z' })],
  ]
  const [plan] = looks([[0, nodes]])
  assert.equal(plan && names(plan), ['b unreachable', 'd unreachable', 'e unreachable'])
})

test('a node that has one of the taints waits for no turn: it becomes the other one at once', () => {
  const [plan] = looks([[0, [well('a'), lost('b', { taints: ['not-ready'] })]]])
  assert.equal([plan && names(plan), plan?.dueMs, plan?.spared], [[], undefined, []])
})

test('where no node is ready nothing is evicted, and what was begun is taken back', () => {
  const nodes = [lost('a', { zone: 'x', taints: ['unreachable'] }), lost('b', { zone: 'y' })]
  const [cut, still, back] = looks([
    [0, nodes],
    [5, nodes],
    [10, [well('a', { zone: 'x' }), lost('b', { zone: 'y' })]],
  ])
  for (const plan of [cut, still]) {
    assert.equal(
      plan?.spared.map(({ metadata }) => metadata.name),
      ['a'],
    )
    assert.equal([plan && names(plan), plan?.dueMs], [[], undefined])
  }
  assert.equal([back?.spared, back && names(back), back?.dueMs], [[], [], 10_000])
})

test('when the first node answers again, all have their grace anew', () => {
  const both = (beat: number, status: 'True' | 'Unknown') => [
    nodeOf('a', { ready: status, beat }),
    nodeOf('b', { ready: 'True' }),
  ]
  const states = [
    [0, both(0, 'True')],
    [41, both(0, 'True')],
    [46, both(45, 'True')],
    [51, both(50, 'True')],
    [86, both(85, 'True')],
    [91, both(90, 'True')],
  ] as const
  const found = looks(states, slow).map(({ silent }) =>
    silent.map(({ node }) => node.metadata.name).join(),
  )
  assert.equal(found, ['', 'a,b', 'b', '', '', 'b'])
})

test('a node that is excluded from disruptions counts in no zone, and loses its pods all the same', () => {
  const labels = { 'node.orch.io/exclude-disruption': '' }
  const [plan] = looks([[0, [well('a', { labels }), lost('b', { labels }), lost('c')]]])
  assert.is(plan?.memory.isCutOff, true)
  const [other] = looks([[0, [well('a'), lost('b', { labels })]]])
  assert.equal(other && names(other), ['b unreachable'])
})

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
  test(`laws of random histories: ${seed}`, () => {
    const random = seededRandom(seed)
    const rates = {
      NodeEvictionRate: 0.2,
      SecondaryNodeEvictionRate: 0.05,
      LargeClusterSizeThreshold: 6,
    }
    const own = { ...settings, ...rates }
    const fleet = Array.from({ length: 16 }, (_, index) => ({
      ...{ name: `n${index}`, zone: `z${index % 2}`, lease: 0, isAlive: true },
      ...{ ready: 'True' as 'True' | 'Unknown', since: 0, taints: [] as string[] },
    }))
    const evictions = new Map<string, number[]>()
    let memory: NodesMemory = nothingKnown
    let lastReady = 0
    for (let seconds = 0; seconds < 3000; seconds += 5) {
      if (random() < 0.02) for (const one of fleet) one.isAlive = random() < 0.5
      if (random() < 0.01) for (const one of fleet) one.isAlive = false
      if (random() < 0.03) memory = nothingKnown
      for (const one of fleet) {
        if (random() < 0.02) one.isAlive = !one.isAlive
        if (!one.isAlive) continue
        one.lease = seconds
        if (one.ready === 'Unknown')
          Object.assign(one, { ready: 'True', since: seconds, taints: [] })
      }
      const nodes = fleet.map((one) => nodeOf(one.name, one))
      const leaseOf = (name: string) => leaseAt(fleet.find((one) => one.name === name)?.lease ?? 0)
      const moment = { now: begin + seconds * 1000, monotonic: seconds * 1000 }
      const isRestarted = memory === nothingKnown
      const plan = decideNodes({ nodes, leaseOf }, memory, own, moment)
      memory = plan.memory
      const find = (node: Stored<Node>) => fleet.find((one) => one.name === node.metadata.name)
      for (const { node } of plan.silent) {
        const one = find(node)
        assert.ok(
          one && seconds - one.lease > 40,
          `${one?.name} spoke ${one?.lease}, is silent at ${seconds}`,
        )
        if (random() < 0.9) Object.assign(one, { ready: 'Unknown', since: seconds })
      }
      for (const node of plan.spared) Object.assign(find(node) ?? {}, { taints: [] })
      const count = fleet.filter(({ ready: status }) => status === 'True').length
      if (count > 0) lastReady = seconds
      if (seconds > lastReady)
        assert.is(plan.evicting.length, 0, 'nothing is evicted where no node is ready')
      for (const { node } of plan.evicting) {
        const one = find(node)
        assert.ok(one && !one.isAlive, 'no node that speaks loses its pods')
        if (random() < 0.9) one.taints = ['unreachable']
        const times = isRestarted ? [] : (evictions.get(one.zone) ?? [])
        const previous = times.at(-1)
        assert.ok(previous === undefined || seconds - previous >= 5, 'the pace of the zone is kept')
        evictions.set(one.zone, [...times, seconds])
      }
    }
  })
}

test.run()
