// Processes that compete for a lease, are killed and stopped under load, and what of them reaches the server.
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { leases } from 'orch/generated/apis/coordination/v1'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hangSignal } from '../../support/deadline.ts'
import {
  type Stamp,
  type StampingProcesses,
  startStamping,
} from '../../support/stamping-processes.ts'
import { until } from '../../support/until.ts'

const test = suite<StampingProcesses>('examples/guide: leader election')
const main = fileURLToPath(new URL('../../../examples/guide/leader-election.js', import.meta.url))

test.before.each(async (context) => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 2))
  Object.assign(context, await startStamping({ main, field: 'holder', objects: 10, pause }))
})

test.after.each(({ end }) => end())

const stampedBy = (stamps: readonly Stamp[], holder: string): number =>
  stamps.filter((one) => one.by === holder).length

/** The tokens never go back: no write of a term came after one of a later term. */
function assertFenced(stamps: readonly Stamp[]): void {
  const tokens = stamps.map(({ token }) => token)
  assert.equal(
    tokens,
    [...tokens].sort((a, b) => a - b),
  )
  const holders = new Set(stamps.map(({ by, token }) => `${token} ${by}`))
  assert.is(holders.size, new Set(tokens).size, `two holders of one term: ${[...holders].join()}`)
}

test('where the holder is killed under load another takes over, and no write of two terms is mixed', async ({
  start,
  stamps,
}) => {
  const a = start('a')
  await until('a works', () => stampedBy(stamps, 'a') > 5)
  const b = start('b')
  a.kill('SIGKILL')
  await until('b works', () => stampedBy(stamps, 'b') > 5)
  start('c')
  b.kill('SIGKILL')
  await until('c works', () => stampedBy(stamps, 'c') > 5)
  assertFenced(stamps)
})

test('a holder that was stopped for long writes nothing when it goes on', async ({
  plane,
  start,
  stamps,
}) => {
  const a = start('a')
  await until('a works', () => stampedBy(stamps, 'a') > 5)
  const b = start('b')
  a.kill('SIGSTOP')
  await until('b works', () => stampedBy(stamps, 'b') > 5)
  a.kill('SIGCONT')
  const before = stamps.length
  await until('b goes on', () => stamps.length > before + 20)
  assertFenced(stamps)
  b.kill('SIGKILL')
  await until('a again', () => stamps.at(-1)?.by === 'a')
  assertFenced(stamps)
  const lease = await plane.client.resource(leases).get('stamp-operator')
  assert.is(lease.spec?.leaseTransitions, 2)
})

test('a holder that is told to stop gives the lease back', async ({ plane, start, stamps }) => {
  const a = start('a')
  await until('a works', () => stampedBy(stamps, 'a') > 5)
  a.kill('SIGTERM')
  assert.equal(await once(a, 'exit', { signal: hangSignal() }), [0, null])
  const lease = await plane.client.resource(leases).get('stamp-operator')
  assert.is(lease.spec?.holderIdentity, '')
})

test.run()
