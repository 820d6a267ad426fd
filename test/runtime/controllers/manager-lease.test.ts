import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leases } from '../../../generated/apis/coordination/v1.ts'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { startControlPlane, virtualClock } from '../../../runtime/testing/testing.ts'

const test = suite('runtime/controllers: the lease of a controller manager')

const held = { holderIdentity: 'a controller manager', leaseDurationSeconds: 15 }

test('namespaces are emptied by the server unless a controller manager holds its lease (X-16)', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock })
  const all = plane.client.resource(namespaces)
  const lease = plane.client.resource(leases).in('orch-system')
  const remove = async (name: string) => {
    await all.create({ metadata: { name } })
    await plane.client
      .resource(configMaps)
      .in(name)
      .create({ metadata: { name: 'x' } })
    await all.delete(name)
    await clock.advanceAsync(1000)
  }
  await remove('first')
  assert.is(await all.find('first'), undefined)
  const taken = await lease.create({ metadata: { name: 'orch-controller-manager' }, spec: held })
  await clock.advanceAsync(1000)
  await remove('second')
  assert.is((await all.get('second')).status?.phase, 'Terminating')
  const { metadata } = await lease.update({ ...taken, spec: { ...held, holderIdentity: '' } })
  await clock.advanceAsync(1000)
  assert.is(await all.find('second'), undefined)
  await lease.update({ ...taken, metadata, spec: held })
  await clock.advanceAsync(1000)
  await remove('third')
  assert.ok(await all.find('third'))
  await clock.advanceAsync(20_000)
  assert.is(await all.find('third'), undefined)
})

test('a loop that runs elsewhere in the process is not in the server', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, controllers: ['namespace-controller'] })
  await plane.client.resource(namespaces).create({ metadata: { name: 'shop' } })
  await plane.client.resource(namespaces).delete('shop')
  await clock.advanceAsync(10_000)
  assert.is(await plane.client.resource(namespaces).find('shop'), undefined)
})

test.run()
