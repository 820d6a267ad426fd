/** What a server with a name says of itself: its lease (O-07), and since when it keeps track of legacy tokens (O-08). */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { identityOf, isExpired } from '../../../../runtime/controllers/identity/identity-lease.ts'
import { enabledGatesOf } from '../../../../runtime/kernel/descriptors/enabled-gates.ts'
import { type Log, silentLog } from '../../../../runtime/observe/observe.ts'
import { fakeClock } from '../../../support/clock.ts'
import { startCustom } from '../../../support/custom.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controllers: what says that the server is there')
const identity = identityOf('machine-1', 'orch-apiserver')
const leases = '/apis/coordination.orch.io/v1/namespaces/orch-system/leases'
const lease = `${leases}/${identity}`
const configMaps = '/api/v1/namespaces/orch-system/configmaps'
const tracking = `${configMaps}/orch-apiserver-legacy-service-account-token-tracking`

test('[O-07] a lease is called by the hash of its machine', () => {
  // As the reference calls that of this machine.
  assert.is(identityOf('vm', 'kube-apiserver'), 'apiserver-wlv32tlttr4jl3gtroqexyxapa')
})

test('[O-07] a lease is over when its time is, or when it has none', () => {
  const now = Date.parse('2030-01-01T01:00:00Z')
  const over = (spec: object) => isExpired({ spec } as never, now)
  const renewTime = '2030-01-01T00:00:00.000000Z'
  assert.is(over({ renewTime, leaseDurationSeconds: 3600 }), false)
  assert.is(over({ renewTime, leaseDurationSeconds: 3599 }), true)
  assert.is(over({ renewTime }), true)
  assert.is(over({ leaseDurationSeconds: 3600 }), true)
})

test('[O-07] a server with a name holds a lease of an hour, renews it and removes those of servers that are gone', async () => {
  const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
  const { ask, stop } = await startCustom({ clock, hostname: 'machine-1' })
  await until('the lease is there', async () => (await ask('GET', lease)).status === 200)
  const { metadata, spec } = (await ask('GET', lease)).json
  assert.equal(metadata.labels, {
    'apiserver.orch.io/identity': 'orch-apiserver',
    'orch.io/hostname': 'machine-1',
  })
  assert.match(spec.holderIdentity, new RegExp(`^${identity}_[0-9a-f-]{36}$`))
  assert.is(spec.leaseDurationSeconds, 3600)
  assert.is(spec.renewTime, '2030-01-01T00:00:00.000000Z')
  assert.is(metadata.managedFields[0].manager, 'orch-apiserver')
  const labels = { 'apiserver.orch.io/identity': 'orch-apiserver' }
  const gone = { renewTime: '2029-12-31T00:00:00.000000Z', leaseDurationSeconds: 3600 }
  await ask('POST', leases, { metadata: { name: 'gone', labels }, spec: gone })
  await ask('POST', leases, { metadata: { name: 'other' }, spec: gone })
  await until('it is renewed', async () => {
    await clock.advance(10_000)
    return (await ask('GET', lease)).json.spec.renewTime !== spec.renewTime
  })
  await until('the other is removed', async () => {
    await clock.advance(3_600_000)
    return (await ask('GET', `${leases}/gone`)).status === 404
  })
  assert.is((await ask('GET', `${leases}/other`)).status, 200, 'leases without the label stay')
  await stop()
})

test('[O-07] of two servers on one machine the last writer holds the lease, and a server that stops takes back its own only', async () => {
  const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
  const storage = { kind: 'sqlite', file: join(tempDirectory(), 'store.db') } as const
  const first = await startCustom({ clock, hostname: 'machine-1', storage })
  const holderOf = async (): Promise<string> =>
    (await first.ask('GET', lease)).json.spec.holderIdentity
  await until('the lease is there', async () => (await first.ask('GET', lease)).status === 200)
  const own = await holderOf()
  const merge = 'application/merge-patch+json'
  await first.ask('PATCH', lease, { spec: { holderIdentity: `${identity}_other` } }, merge)
  await until('it is held again', async () => {
    await clock.advance(10_000)
    return (await holderOf()) === own
  })
  await first.stop()
  const second = await startCustom({ clock, hostname: 'machine-2', storage })
  assert.is((await second.ask('GET', lease)).status, 404)
  const other = `${leases}/${identityOf('machine-2', 'orch-apiserver')}`
  await until('the lease is there', async () => (await second.ask('GET', other)).status === 200)
  await second.ask('PATCH', other, { spec: { holderIdentity: 'other' } }, merge)
  await second.stop()
  const third = await startCustom({ storage })
  assert.is((await third.ask('GET', other)).json.spec.holderIdentity, 'other')
  await third.stop()
  // Two hours later it is over: who removes such leases and who takes it anew meet.
  const lines: string[] = []
  const note: Log['warn'] = (event, fields) => void lines.push(`${event} ${fields?.reason}`)
  const log: Log = { ...silentLog, warn: note }
  await clock.advance(7_200_000)
  const fourth = await startCustom({ clock, hostname: 'machine-2', storage, log })
  await until('the lease is held', async () => {
    await clock.advance(1)
    const { status, json } = await fourth.ask('GET', other)
    return status === 200 && json.spec.holderIdentity !== 'other'
  })
  assert.equal(lines, [])
  await fourth.stop()
})

test('[O-07] without the gate there is no lease, but tokens are tracked', async () => {
  const gates = new Set([...enabledGatesOf(scheme)].filter((gate) => gate !== 'APIServerIdentity'))
  const { ask, stop } = await startCustom({ hostname: 'machine-1', gates })
  await until('the date is there', async () => (await ask('GET', tracking)).status === 200)
  assert.equal((await ask('GET', leases)).json.items, [])
  await stop()
})

test('[O-08] it is said since when legacy tokens are tracked; what is no date is mended', async () => {
  const clock = fakeClock(Date.parse('2030-01-01T13:00:00Z'))
  const { ask, stop } = await startCustom({ clock, hostname: 'machine-1' })
  await until('the date is there', async () => (await ask('GET', tracking)).status === 200)
  assert.equal((await ask('GET', tracking)).json.data, { since: '2030-01-01' })
  const merge = 'application/merge-patch+json'
  await ask('PATCH', tracking, { data: { since: '2028-02-03' } }, merge)
  await ask('PATCH', tracking, { data: { other: 'stays' } }, merge)
  assert.equal((await ask('GET', tracking)).json.data, { since: '2028-02-03', other: 'stays' })
  await ask('PATCH', tracking, { data: { since: 'yesterday' } }, merge)
  await until('it is a date again', async () => {
    return (await ask('GET', tracking)).json.data.since === '2030-01-01'
  })
  await stop()
})

test('[O-08] once removed it comes back after half an hour: servers of an older release remove it', async () => {
  const clock = fakeClock(Date.parse('2030-01-01T13:00:00Z'))
  const { ask, stop } = await startCustom({ clock, hostname: 'machine-1' })
  await until('the date is there', async () => (await ask('GET', tracking)).status === 200)
  await ask('DELETE', tracking)
  await until('it is back', async () => {
    await clock.advance(60_000)
    return (await ask('GET', tracking)).status === 200
  })
  assert.ok(clock.now() >= Date.parse('2030-01-01T13:30:00Z'))
  await stop()
})

test.run()
