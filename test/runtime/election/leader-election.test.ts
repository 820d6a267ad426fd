// Candidates with clocks of their own, which only move when told, for a lease of a real server.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leases } from '../../../generated/apis/coordination/v1.ts'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { type Client, createClient } from '../../../runtime/client/client.ts'
import {
  createLeaderElection,
  type LeaderElection,
  type Term,
} from '../../../runtime/election/election.ts'
import { aborted } from '../../../runtime/kernel/async/abort-signal.ts'
import type { Clock } from '../../../runtime/kernel/async/clock.ts'
import { type ControlPlane, startControlPlane } from '../../../runtime/testing/testing.ts'
import { type Chaos, createChaos } from '../../support/chaos.ts'
import { type FakeClock, fakeClock } from '../../support/clock.ts'
import { assertRejects } from '../../support/rejects.ts'
import { until } from '../../support/until.ts'

interface Candidate {
  readonly election: LeaderElection
  readonly clock: FakeClock
  readonly chaos: Chaos
  readonly client: Client
  /** Every term that it had. */
  readonly terms: readonly Term[]
  stop(): Promise<void>
}

interface Running {
  plane: ControlPlane
  /** A candidate that runs until the test ends; `clockOf` puts another clock over its own. */
  candidate: (name: string, start?: number, clockOf?: (clock: FakeClock) => Clock) => Candidate
  end: () => Promise<void>
}

const test = suite<Running>('runtime/election: leader election')

test.before.each(async (context) => {
  context.plane = await startControlPlane()
  const stops: (() => Promise<void>)[] = []
  context.candidate = (name, start = 0, clockOf = (clock) => clock) => {
    const clock = fakeClock(start)
    const chaos = createChaos(context.plane.transport)
    const client = createClient(chaos)
    const settings = { client, name: 'operator', identity: name, clock: clockOf(clock) }
    const election = createLeaderElection({ ...settings, random: () => 0 })
    const terms: Term[] = []
    const end = new AbortController()
    const run = election.run(end.signal, async (term) => {
      terms.push(term)
      await Promise.race([aborted(end.signal), aborted(term.lost)])
    })
    const stop = async (): Promise<void> => {
      end.abort()
      await run
    }
    stops.push(stop)
    return { election, clock, chaos, client, terms, stop }
  }
  context.end = async () => {
    await Promise.all(stops.map((stop) => stop()))
    await context.plane.stop()
  }
})

test.after.each(({ end }) => end())

const leaseOf = ({ client }: ControlPlane) => client.resource(leases).get('operator')

/** Lets a candidate's time go by, a little at each look and at most `limitMs`, until something holds. */
async function pass(
  what: string,
  { clock }: Candidate,
  holds: () => boolean | Promise<boolean>,
  { stepMs = 50, limitMs = Number.POSITIVE_INFINITY } = {},
): Promise<void> {
  const end = clock.monotonic() + limitMs
  await until(what, async () => {
    if (clock.monotonic() < end) clock.advance(stepMs)
    return await holds()
  })
}

/** Lets a holder renew its lease, well before its deadline. */
async function renew(plane: ControlPlane, holder: Candidate): Promise<void> {
  const { resourceVersion } = (await leaseOf(plane)).metadata
  const renewed = async (): Promise<boolean> =>
    (await leaseOf(plane)).metadata.resourceVersion !== resourceVersion
  await pass('renewal', holder, renewed, { stepMs: 500, limitMs: 4000 })
}

test('the first candidate makes the lease and holds it', async ({ plane, candidate }) => {
  const a = candidate('a')
  await until('a leads', () => a.terms.length === 1)
  const { spec } = await leaseOf(plane)
  assert.is(spec?.holderIdentity, 'a')
  assert.is(spec?.leaseDurationSeconds, 15)
  assert.is(spec?.leaseTransitions, 0)
  assert.is(a.election.term?.token, 0)
  assert.is(a.election.term?.lease, 'default/operator')
  a.election.term?.assertHeld()
})

test('a holder that renews keeps its lease, whatever time it is where others are', async ({
  plane,
  candidate,
}) => {
  const a = candidate('a', 1_000_000)
  await until('a leads', () => a.terms.length === 1)
  const b = candidate('b', 90_000_000)
  await until('b looks', () => b.election.leader === 'a')
  for (let round = 0; round < 20; round++) {
    await renew(plane, a)
    b.clock.advance(2000)
  }
  a.terms[0]?.assertHeld()
  assert.is(a.terms[0]?.lost.aborted, false)
  assert.equal([a.terms.length, b.terms.length], [1, 0])
})

test('a lease that is not renewed is taken over once its time has passed where the candidate is', async ({
  plane,
  candidate,
}) => {
  const a = candidate('a', 50_000_000)
  await until('a leads', () => a.terms.length === 1)
  const b = candidate('b')
  await until('b looks', () => b.election.leader === 'a')
  await pass('b leads', b, () => b.terms.length === 1)
  assert.ok(b.clock.now() >= 15_000)
  assert.is(b.terms[0]?.token, 1)
  assert.is((await leaseOf(plane)).spec?.holderIdentity, 'b')
})

test('a holder that slept finds its lease taken, and may not write meanwhile', async ({
  plane,
  candidate,
}) => {
  const a = candidate('a')
  await until('a leads', () => a.terms.length === 1)
  const [term] = a.terms as [Term]
  const fenced = a.client.scoped({ beforeWrite: () => term.assertHeld() })
  await fenced.resource(configMaps).create({ metadata: { name: 'in-time' } })
  const b = candidate('b')
  await until('b looks', () => b.election.leader === 'a')
  await pass('b leads', b, () => b.terms.length === 1)
  a.clock.advance(60_000)
  assert.is(term.lost.aborted, true)
  const late = fenced.resource(configMaps)
  await assertRejects(late.create({ metadata: { name: 'late' } }), 'ServiceUnavailable')
  await assertRejects(late.mergePatch('in-time', { data: { a: 'b' } }), 'ServiceUnavailable')
  await assertRejects(late.delete('in-time'), 'ServiceUnavailable')
  assert.is((await late.get('in-time')).metadata.name, 'in-time')
  assert.is(await plane.client.resource(configMaps).find('late'), undefined)
})

for (const which of ['now', 'monotonic'] as const) {
  test(`a process that slept may not write even before its timers fire, by its clock "${which}"`, async ({
    candidate,
  }) => {
    let slept = 0
    const a = candidate('a', 0, (clock) => ({
      ...clock,
      [which]: () => clock[which]() + slept,
    }))
    await until('a leads', () => a.terms.length === 1)
    a.terms[0]?.assertHeld()
    slept = 10_000
    assert.throws(() => a.terms[0]?.assertHeld(), /not held any more by term 0/)
    assert.is(a.terms[0]?.lost.aborted, false)
  })
}

test('a clock that is set forward stops writes until the next renewal', async ({
  plane,
  candidate,
}) => {
  const a = candidate('a')
  await until('a leads', () => a.terms.length === 1)
  const [term] = a.terms as [Term]
  a.clock.set(3_600_000)
  assert.throws(() => term.assertHeld())
  await renew(plane, a)
  await until('held', () => {
    term.assertHeld()
    return true
  })
  a.clock.set(0)
  term.assertHeld()
})

test('a holder survives a server that is gone for a while, and loses its lease to one that is gone for long', async ({
  plane,
  candidate,
}) => {
  const a = candidate('a')
  await until('a leads', () => a.terms.length === 1)
  const [term] = a.terms as [Term]
  a.chaos.down()
  a.clock.advance(6000)
  a.chaos.heal()
  await renew(plane, a)
  assert.is(term.lost.aborted, false)
  a.chaos.down()
  a.clock.advance(10_000)
  assert.is(term.lost.aborted, true)
  assert.match(String(term.lost.reason), 'not renewed in time')
  a.chaos.heal()
  await pass('another term', a, () => a.terms.length === 2)
  assert.is(a.terms[1]?.token, 1)
  assert.throws(() => term.assertHeld())
})

test('a holder that stops gives the lease back, and the next one need not wait for its end', async ({
  plane,
  candidate,
}) => {
  const a = candidate('a')
  await until('a leads', () => a.terms.length === 1)
  const b = candidate('b')
  await until('b looks', () => b.election.leader === 'a')
  await a.stop()
  const { spec } = await leaseOf(plane)
  assert.is(spec?.holderIdentity, '')
  assert.is(spec?.leaseTransitions, 0)
  await pass('b leads', b, () => b.terms.length === 1, { stepMs: 10 })
  assert.ok(b.clock.now() < 15_000, `it waited ${b.clock.now()} ms`)
  assert.is(b.terms[0]?.token, 1)
})

test('a holder whose lease another took, or deleted, loses it at its next renewal', async ({
  plane,
  candidate,
}) => {
  const a = candidate('a')
  await until('a leads', () => a.terms.length === 1)
  await plane.client.resource(leases).mergePatch('operator', {
    spec: { holderIdentity: 'admin' },
  })
  a.clock.advance(2000)
  await aborted((a.terms[0] as Term).lost)
  assert.match(String(a.terms[0]?.lost.reason), 'taken by another')
  await plane.client.resource(leases).delete('operator')
  await pass('another term', a, () => a.terms.length === 2)
  await plane.client.resource(leases).delete('operator')
  a.clock.advance(2000)
  await aborted((a.terms[1] as Term).lost)
})

test('a lease that another only labels stays with its holder', async ({ plane, candidate }) => {
  const a = candidate('a')
  await until('a leads', () => a.terms.length === 1)
  await plane.client.resource(leases).mergePatch('operator', { metadata: { labels: { x: 'y' } } })
  await renew(plane, a)
  await renew(plane, a)
  assert.is((await leaseOf(plane)).metadata.labels?.x, 'y')
  assert.is(a.terms[0]?.lost.aborted, false)
})

test('of five candidates that fall one after the other exactly one leads, each with a greater token', async ({
  candidate,
}) => {
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => candidate(name))
  const tokens: number[] = []
  for (let left = new Set(all); left.size > 0; ) {
    await until('a leader', () => {
      for (const { clock } of left) clock.advance(50)
      return [...left].some(({ election }) => election.term !== undefined)
    })
    const leaders = [...left].filter(({ election }) => election.term !== undefined)
    assert.is(leaders.length, 1)
    const [leader] = leaders as [Candidate]
    tokens.push(leader.election.term?.token ?? -1)
    left.delete(leader)
    await leader.stop()
  }
  assert.equal(tokens, [0, 1, 2, 3, 4])
})

test('times that would let two lead at once are refused', ({ plane: { client } }) => {
  for (const [wrong, message] of [
    [{ leaseMs: 10_000 }, /renewDeadlineMs 10000 and leaseMs 10000/],
    [{ renewDeadlineMs: 2_000 }, /retryMs 2000 times 1.2/],
    [{ retryMs: 0 }, /retryMs 0/],
    [{ retryMs: Number.NaN }, /retryMs NaN/],
    [{ leaseMs: 15_500 }, /whole seconds/],
  ] as const) {
    assert.throws(() => createLeaderElection({ client, name: 'x', ...wrong }), message)
  }
})

test.run()
