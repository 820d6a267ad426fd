// Which routes a cluster has, as a table.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Node, NodeAddress } from '../../../../../generated/apis/core/v1/node.ts'
import type { CloudRoute } from '../../../../../runtime/cloud/cloud.ts'
import { routedRanges } from '../../../../../runtime/controller-manager/cloud/node-routes/cluster-ranges.ts'
import { decideRoutes } from '../../../../../runtime/controller-manager/cloud/node-routes/decide-routes.ts'
import { together } from '../../../../../runtime/controller-manager/cloud/node-routes/in-groups.ts'
import { decideConditions } from '../../../../../runtime/controller-manager/cloud/node-routes/network-condition.ts'
import { parseRange } from '../../../../../runtime/kernel/values/ip-ranges.ts'

const test = suite('runtime/controller-manager/cloud: which routes there are to be')

const inner = (address: string): NodeAddress => ({ type: 'InternalIP', address })
const own = [inner('172.18.0.2')]

function node(name: string, podCIDRs: readonly string[], addresses = own) {
  return { metadata: { name, uid: name }, spec: { podCIDRs }, status: { addresses } } as never
}

let made = 0
function route(of: string | undefined, range: string, more: Partial<CloudRoute> = {}): CloudRoute {
  return { name: `r${made++}`, node: of, range, ...more }
}

const cluster = ['10.0.0.0/16', 'fd00::/48'].flatMap((text) => parseRange(text) ?? [])

function decide(nodes: readonly never[], routes: readonly CloudRoute[]) {
  const { removed, added, routed } = decideRoutes(nodes, routes, cluster)
  return {
    removed: removed.map(({ node: of, range }) => `${of} ${range}`),
    added: added.map(({ node: { metadata }, range }) => `${metadata.name} ${range}`),
    routed: routed.map(({ node: { metadata }, ranges }) => `${metadata.name} ${ranges}`),
  }
}

const a = node('a', ['10.0.1.0/24', 'fd00:0:0:1::/64'])
const routesOfA = [route('a', '10.0.1.0/24'), route('a', 'fd00:0:0:1::/64')]

test('each range of a node gets its route, and keeps it', () => {
  const both = ['a 10.0.1.0/24', 'a fd00:0:0:1::/64']
  assert.equal(decide([a], []), { removed: [], added: both, routed: ['a 2'] })
  assert.equal(decide([a], routesOfA), { removed: [], added: [], routed: ['a 2'] })
})

test('a node without ranges has no routes, and nothing is said of it before it had some', () => {
  const bare = node('a', [])
  assert.equal(decide([bare], []), { removed: [], added: [], routed: [] })
  const removed = routesOfA.map(({ range }) => `a ${range}`)
  assert.equal(decide([bare], routesOfA), { removed, added: [], routed: ['a 0'] })
})

test('routes of nodes that are gone go, and so do those that lead nowhere, but for those of ranges that are not the cluster’s', () => {
  const routes = [
    route('b', '10.0.2.0/24'),
    route('b', 'fd00:0:0:2::/64'),
    route(undefined, '10.0.3.0/24'),
    route('b', '10.1.0.0/24'),
    route('b', 'fd01::/64'),
    route('b', '8.0.0.0/6'),
    route('b', 'nonsense'),
    route('a', '10.0.9.0/24'),
  ]
  const { removed } = decide([a], [...routesOfA, ...routes])
  assert.equal(removed, [
    'b 10.0.2.0/24',
    'b fd00:0:0:2::/64',
    'undefined 10.0.3.0/24',
    'a 10.0.9.0/24',
  ])
})

test('a route that is larger than the cluster is the cluster’s where it begins or ends in it', () => {
  const { removed } = decide([], [route('b', '10.0.0.0/15'), route('b', '8.0.0.0/6')])
  assert.equal(removed, ['b 10.0.0.0/15'])
})

test('a route that knows other addresses of its node is made anew, and so is one that is dead', () => {
  const [ipv4, ipv6] = routesOfA as [CloudRoute, CloudRoute]
  const moved = { ...ipv4, addresses: [inner('172.18.0.9')] }
  const one = ['a 10.0.1.0/24']
  const anew = { removed: one, added: one, routed: ['a 2'] }
  assert.equal(decide([a], [moved, ipv6]), anew)
  assert.equal(decide([a], [{ ...ipv4, blackhole: true }, ipv6]), anew)
  assert.equal(decide([a], [{ ...ipv4, addresses: own }, ipv6]).removed, [])
})

test('a node says that it can be reached, or cannot, when that changes, and nothing else changes (T-23)', () => {
  const now = Date.parse('2030-01-01T00:00:00Z')
  const ready = { type: 'Ready', status: 'True' } as const
  const said = (...conditions: object[]) => ({ status: { conditions } }) as unknown as Node
  const times = {
    lastHeartbeatTime: '2030-01-01T00:00:00Z',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  }
  const type = 'NetworkUnavailable'
  const reached = {
    ...{ type, status: 'False', ...times, reason: 'RouteCreated' },
    message: 'RouteController created a route',
  }
  const missed = {
    ...{ type, status: 'True', ...times, reason: 'NoRouteCreated' },
    message: 'RouteController failed to create a route',
  }
  assert.equal(decideConditions(said(ready), true, now), [ready, reached])
  assert.equal(decideConditions(said({ type, status: 'False' }, ready), false, now), [
    ready,
    missed,
  ])
  assert.is(decideConditions(said({ type, status: 'False' }), true, now), undefined)
  assert.is(decideConditions(said({ type, status: 'True' }), false, now), undefined)
})

test('routes are for clusters that give nodes ranges and want routes, and these need a range (D2.46)', () => {
  const of = (AllocateNodeCIDRs: boolean, ConfigureCloudRoutes: boolean, ClusterCIDR: string) =>
    routedRanges({
      OrchCloudShared: { AllocateNodeCIDRs, ConfigureCloudRoutes, ClusterCIDR } as never,
    })
  assert.is(of(true, true, '10.0.0.0/16, fd00::/48').ranges.length, 2)
  for (const off of [of(false, true, ''), of(true, false, '10.0.0.0/16')]) {
    assert.equal(off, { ranges: [], problems: [] })
  }
  assert.equal(of(true, true, '').problems, [
    '--cluster-cidr: must be set with --allocate-node-cidrs',
  ])
})

test('several failures are one, which names a few', () => {
  const one = new Error('x')
  assert.is(together([one]), one)
  const all = together(['a', 'b', 'c', 'd', 'e'].map((word) => new Error(word))) as Error
  assert.is(all.message, 'a; b; c; 2 more')
})

test.run()
