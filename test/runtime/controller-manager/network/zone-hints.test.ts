// Hints for zones: which endpoints are for which zone, and when there are none.
import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { nodes } from '../../../../generated/apis/core/v1/node.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { services } from '../../../../generated/apis/core/v1/service.ts'
import { endpointSlices } from '../../../../generated/apis/discovery/v1.ts'
import { platform as ours } from '../../../../generated/platform.ts'
import { createClient } from '../../../../runtime/client/client.ts'
import {
  isOverloaded,
  withHints,
  withoutHints,
} from '../../../../runtime/controller-manager/network/zone-hints.ts'
import { zoneShares } from '../../../../runtime/controller-manager/network/zone-shares.ts'
import { startControlPlane, virtualClock } from '../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'

const test = suite('runtime/controller-manager: hints for zones (T-13)')

function node(zone: string, cpu = '1', more: { ready?: string; labels?: object } = {}) {
  const { ready = 'True', labels = {} } = more
  return {
    metadata: { labels: { ...(zone !== '' && { 'topology.orch.io/zone': zone }), ...labels } },
    status: {
      ...(cpu !== '' && { allocatable: { cpu } }),
      conditions: [{ type: 'Ready', status: ready }],
    },
  } as never
}

const sharesOf = (...all: readonly never[]) => {
  const found = zoneShares(all, ours)
  return found && Object.fromEntries(found)
}

test('zones have the share of their ready nodes in the processors, but for the control plane', () => {
  assert.equal(sharesOf(node('a', '3'), node('b', '500m'), node('b', '500m')), { a: 0.75, b: 0.25 })
  const labels = { 'node-role.orch.io/control-plane': '' }
  const others = [node('b', '5', { labels }), node('b', '7', { ready: 'False' })]
  assert.equal(sharesOf(node('a'), node('b'), ...others), { a: 0.5, b: 0.5 })
})

test('shares are not known where a node does not say its zone or has no processor, nor for one zone', () => {
  assert.is(sharesOf(node('a'), node('b'), node('')), undefined)
  assert.is(sharesOf(node('a'), node('b'), node('b', '')), undefined)
  assert.is(sharesOf(node('a'), node('a')), undefined)
  assert.is(sharesOf(), undefined)
})

interface Given {
  readonly zone?: string
  readonly hint?: string
  readonly ready?: boolean
}

const slice = (...all: readonly Given[]) => ({
  endpoints: all.map(({ zone, hint, ready = true }, at) => ({
    addresses: [`10.0.0.${at}`],
    conditions: { ready },
    ...(zone && { zone }),
    ...(hint && { hints: { forZones: [{ name: hint }] } }),
  })),
})
const many = (zone: string, count: number) => Array.from({ length: count }, () => ({ zone }))
const hintsOf = ({ endpoints }: ReturnType<typeof slice>) =>
  endpoints.map((one) => one.hints?.forZones[0]?.name ?? '-').join('')
const planned = (
  plan: Partial<Record<'create' | 'update' | 'unchanged', ReturnType<typeof slice>[]>>,
) => ({ create: [], update: [], unchanged: [], ...plan })

test('endpoints are for their own zone where zones have their share', () => {
  const create = [slice({ zone: 'a' }, { zone: 'b' }, { zone: 'b', ready: false })]
  const { slices, counts } = withHints(
    planned({ create }),
    new Map([
      ['a', 0.5],
      ['b', 0.5],
    ]),
  )
  assert.is(hintsOf(slices.create[0]!), 'ab-')
  assert.equal(Object.fromEntries(counts!), { a: 1, b: 1 })
})

test('a zone that has too few gets endpoints of those that have too many', () => {
  const create = [slice(...many('a', 6), ...many('b', 1), ...many('c', 2))]
  const thirds = new Map(['a', 'b', 'c'].map((zone) => [zone, 1 / 3]))
  const { counts } = withHints(planned({ create }), thirds)
  assert.equal(Object.fromEntries(counts!), { a: 3, b: 3, c: 3 })
})

test('slices that fit stay as they are, and one that takes too much is given anew', () => {
  const shares = new Map([
    ['a', 0.5],
    ['b', 0.5],
  ])
  const unchanged = [slice({ zone: 'a', hint: 'a' }, { zone: 'b', hint: 'b' })]
  const kept = withHints(planned({ unchanged }), shares)
  assert.is(kept.slices.unchanged[0], unchanged[0])
  assert.equal(kept.slices.update, [])
  const all = many('a', 5).map((one) => ({ ...one, hint: 'a' }))
  const full = [slice(...all), slice({ zone: 'b', hint: 'b' })]
  const { slices } = withHints(planned({ unchanged: full }), shares)
  assert.equal(slices.update.map(hintsOf), ['b'.repeat(2) + 'a'.repeat(3)])
})

const sevenths = new Map(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((zone) => [zone, 1 / 7]))
const halves = new Map([
  ['a', 0.5],
  ['b', 0.5],
])
const refusals = [
  [
    undefined,
    [...many('a', 9)],
    'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes',
  ],
  [halves, [{ zone: 'a' }], 'Insufficient number of endpoints (1 endpoints, 2 zones)'],
  [
    sevenths,
    many('a', 9),
    'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (9 endpoints, 7 zones)',
  ],
  [halves, [{ zone: 'a' }, {}], 'One or more endpoints do not have a zone specified'],
] as const

for (const [shares, endpoints, why] of refusals)
  test(`there are no hints, and those that were go: ${why}`, () => {
    const plan = planned({
      unchanged: [slice(...endpoints, { zone: 'a', hint: 'a', ready: false })],
    })
    const { slices, problem, counts } = withHints(plan, shares)
    assert.is(problem, why)
    assert.is(counts, undefined)
    assert.is(slices.update.map(hintsOf).join('').replaceAll('-', ''), '')
    assert.equal(withoutHints(slices), slices)
  })

test('hints no longer fit once a zone has too few for its share, or shares are unknown', () => {
  const counts = new Map([
    ['a', 5],
    ['b', 5],
  ])
  assert.is(isOverloaded(counts, halves), false)
  assert.is(
    isOverloaded(
      counts,
      new Map([
        ['a', 0.6],
        ['b', 0.4],
      ]),
    ),
    false,
  )
  assert.is(
    isOverloaded(
      counts,
      new Map([
        ['a', 0.7],
        ['b', 0.3],
      ]),
    ),
    true,
  )
  assert.is(
    isOverloaded(
      counts,
      new Map([
        ['a', 0.5],
        ['c', 0.5],
      ]),
    ),
    true,
  )
  assert.is(isOverloaded(counts, undefined), true)
})

test('whatever the zones, every ready endpoint has a hint, and what is counted is what is given', () => {
  const zones = ['a', 'b', 'c']
  const endpoints = fc.array(fc.record({ zone: fc.constantFrom(...zones), ready: fc.boolean() }), {
    maxLength: 30,
  })
  const cpus = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 3 })
  fc.assert(
    fc.property(endpoints, cpus, (all, amounts) => {
      const shares = zoneShares(
        amounts.map((cpu, at) => node(zones[at]!, String(cpu))),
        ours,
      )
      const { slices, counts } = withHints(planned({ create: [slice(...all)] }), shares)
      if (counts === undefined) return
      const first = slices.create[0]!
      assert.is(hintsOf(first).replaceAll('-', '').length, all.filter(({ ready }) => ready).length)
      const given = hintsOf(first)
      for (const [zone, number] of counts) assert.is(given.split(zone).length - 1, number)
      const { slices: later } = withHints(planned({ unchanged: [first] }), shares)
      assert.is(hintsOf([...later.update, ...later.unchanged][0]!).length, given.length)
    }),
  )
})

for (const platform of ['orch', 'kubernetes']) {
  test(`a service that asks for hints has them while there are enough nodes, and events say so: ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC', controllers: ['endpointslice-controller'] },
    })
    const client = createClient(plane.transport, { clock, platform: ours })
    const { domain } = plane.scheme.platform
    const own = { services: client.resource(services).in('default') }
    const hints = async () => {
      const { items } = await client.resource(endpointSlices).in('default').listAll()
      const mine = items.filter(({ metadata }) => metadata.generateName === 's-')
      const all = mine.flatMap((one) => one.endpoints ?? [])
      return all
        .map((one) => one.hints?.forZones?.map(({ name }) => name).join() ?? '-')
        .sort()
        .join(' ')
    }
    const told = async () => {
      await clock.advanceAsync(2000)
      const { items } = await client.resource(events).in('default').listAll()
      return items.map(({ reason, message }) => `${reason}: ${message}`).sort()
    }
    for (const zone of ['a', 'b']) {
      await client.resource(nodes).create({
        metadata: { name: zone, labels: { [`topology.${domain}/zone`]: zone } },
      })
      const status = { allocatable: { cpu: '2' }, conditions: [{ type: 'Ready', status: 'True' }] }
      await client.resource(nodes).mergePatch(zone, { status }, { subresource: 'status' })
      for (const at of [1, 2]) {
        const name = `${zone}${at}`
        await client
          .resource(pods)
          .in('default')
          .create({
            metadata: { name, labels: { app: 'x' } },
            spec: { nodeName: zone, containers: [{ name: 'main', image: 'work' }] },
          })
        const podIP = `10.0.${zone.charCodeAt(0)}.${at}`
        const status = {
          ...{ podIP, podIPs: [{ ip: podIP }], phase: 'Running' },
          conditions: [{ type: 'Ready', status: 'True' }],
        }
        await client
          .resource(pods)
          .in('default')
          .mergePatch(name, { status }, { subresource: 'status' })
      }
    }
    await own.services.create({
      metadata: { name: 's', annotations: { [`service.${domain}/topology-mode`]: 'Auto' } },
      spec: { selector: { app: 'x' }, ports: [{ port: 80 }] },
    })
    await clock.advanceAsync(1000)
    assert.is(await hints(), 'a a b b')
    const enabled =
      'TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4'
    assert.equal(await told(), [enabled])
    const lost = { status: { conditions: [{ type: 'Ready', status: 'False' }] } }
    await client.resource(nodes).mergePatch('b', lost, { subresource: 'status' })
    await clock.advanceAsync(1000)
    assert.is(await hints(), '- - - -')
    const insufficient =
      'TopologyAwareHintsDisabled: Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4'
    assert.equal(await told(), [insufficient, enabled])
    await client.resource(nodes).mergePatch('a', { metadata: { labels: { other: 'label' } } })
    assert.equal(await told(), [insufficient, enabled])
    const { items: all } = await client.resource(events).in('default').listAll()
    assert.equal(
      all.map(({ count }) => count),
      [1, 1],
      'the same reason is told once',
    )
    const back = { status: { conditions: [{ type: 'Ready', status: 'True' }] } }
    await client.resource(nodes).mergePatch('b', back, { subresource: 'status' })
    await clock.advanceAsync(1000)
    assert.is(await hints(), 'a a b b')
    await own.services.mergePatch('s', {
      metadata: { annotations: { [`service.${domain}/topology-mode`]: null } },
    })
    await clock.advanceAsync(1000)
    assert.is(await hints(), '- - - -')
    const off =
      'TopologyAwareHintsDisabled: Topology Aware Hints has been disabled, addressType: IPv4'
    assert.ok((await told()).includes(off))
  })
}

test.run()
