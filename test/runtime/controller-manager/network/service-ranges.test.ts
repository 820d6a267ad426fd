// Ranges of service addresses: protected, ready, and gone once no address needs them.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ipAddresses } from '../../../../generated/apis/networking/v1alpha1/ip-address.ts'
import { serviceCIDRs } from '../../../../generated/apis/networking/v1alpha1/service-cidr.ts'
import {
  decideRange,
  graceMs,
} from '../../../../runtime/controller-manager/network/decide-range.ts'
import { startAlphaPlane } from '../../../support/alpha-plane.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager: ranges of service addresses')

const now = Date.parse('2030-01-01T00:00:00Z')
const finalizer = 'x/finalizer'

interface Given {
  readonly going?: number
  readonly finalizers?: readonly string[]
  readonly ready?: string
  readonly cidrs?: readonly string[]
}

function range(name: string, given: Given = {}) {
  const { going, finalizers = [finalizer], ready, cidrs = ['10.0.0.0/24'] } = given
  return {
    metadata: {
      ...{ name, finalizers },
      ...(going !== undefined && { deletionTimestamp: new Date(now - going).toISOString() }),
    },
    spec: { cidrs },
    ...(ready && { status: { conditions: [{ type: 'Ready', status: ready }] } }),
  } as never
}

const decide = (given: Given, others: readonly never[] = [], addresses: readonly string[] = []) => {
  const own = range('own', given)
  const all = addresses.map((name) => ({ metadata: { name } }))
  return decideRange(own, [own, ...others], all, finalizer, now)
}

test('a range is protected, then ready, and then left alone', () => {
  assert.equal(decide({ finalizers: [] }), { is: 'protect' })
  assert.equal(decide({}), { is: 'ready' })
  assert.equal(decide({ ready: 'False' }), { is: 'ready' })
  assert.equal(decide({ ready: 'True' }), { is: 'nothing' })
})

test('a range that is to go waits for its addresses, says so once, and then for the servers', () => {
  assert.equal(decide({ going: 1 }, [], ['10.0.0.7']), { is: 'terminating' })
  assert.equal(decide({ going: 1, ready: 'False' }, [], ['10.0.0.7']), { is: 'nothing' })
  assert.equal(decide({ going: 1000 }, [], ['10.0.1.7']), { is: 'wait', ms: graceMs - 1000 })
  assert.equal(decide({ going: graceMs }), { is: 'release' })
  assert.equal(decide({ going: graceMs, finalizers: [] }), { is: 'nothing' })
})

test('addresses that another range has too keep none of them', () => {
  const larger = range('larger', { cidrs: ['10.0.0.0/16'] })
  const smaller = range('smaller', { cidrs: ['10.0.0.0/29'] })
  assert.is(decide({ going: graceMs }, [larger], ['10.0.0.7']).is, 'release')
  assert.is(decide({ going: graceMs }, [smaller], ['10.0.0.7']).is, 'release')
  assert.is(decide({ going: graceMs }, [smaller], ['10.0.0.9']).is, 'terminating')
  const both = { going: graceMs, cidrs: ['10.0.0.0/24', 'fd00::/64'] }
  assert.is(decide(both, [larger], ['fd00::1']).is, 'terminating')
})

for (const platform of ['orch', 'kubernetes']) {
  test(`a range with an address stays until it is free: ${platform}`, async () => {
    await using plane = await startAlphaPlane(
      platform,
      ['service-cidr-controller'],
      'MultiCIDRServiceAllocator',
    )
    const { client } = plane
    const { api, domain } = plane.platform
    const ranges = client.resource(serviceCIDRs)
    const ready = async () =>
      (await ranges.find('more'))?.status?.conditions?.find(({ type }) => type === 'Ready')
    await ranges.create({ metadata: { name: 'more' }, spec: { cidrs: ['192.168.7.0/24'] } })
    await until('the range is ready', async () => (await ready())?.status === 'True')
    assert.equal((await ranges.get('more')).metadata.finalizers, [
      `networking.${api}/service-cidr-finalizer`,
    ])
    const brand = platform === 'orch' ? 'Orch' : 'Kubernetes'
    assert.is((await ready())?.message, `${brand} Service CIDR is ready`)
    await client.resource(ipAddresses).create({
      metadata: {
        name: '192.168.7.1',
        labels: {
          [`ipaddress.${domain}/managed-by`]: `ipallocator.${api}`,
          [`ipaddress.${domain}/ip-family`]: 'IPv4',
        },
      },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'web' } },
    })
    await ranges.delete('more')
    const stays = await until('it waits', async () => {
      const found = await ready()
      return found?.status === 'False' && found
    })
    assert.is(stays.reason, 'Terminating')
    assert.match(stays.message, 'There are still IPAddresses referencing the ServiceCIDR')
    await client.resource(ipAddresses).delete('192.168.7.1')
    await until('it is gone', async () => (await ranges.find('more')) === undefined)
  })
}

test.run()
