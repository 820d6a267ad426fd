/** I-07, O-02: the API is found by a service, as a fresh cluster has it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controllers: the service of the API')

async function start(more: object = {}): Promise<RunningApiServer> {
  return startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    listen: { host: '127.0.0.1', port: 0 },
    ...more,
  })
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
type Answer = any

async function get(server: RunningApiServer, path: string): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`)
  return response.json()
}

const servicePath = '/api/v1/namespaces/default/services/orch'
const endpointsPath = '/api/v1/namespaces/default/endpoints/orch'
const slicePath = '/apis/discovery.orch.io/v1/namespaces/default/endpointslices/orch'

test('it has the first address and leads to the port that is listened on', async () => {
  const server = await start({ advertiseAddress: '192.0.2.7' })
  try {
    const port = Number(new URL(server.url).port)
    const { metadata, spec } = await get(server, servicePath)
    assert.is(spec.clusterIP, '10.0.0.1')
    assert.equal(spec.ports, [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }])
    assert.equal(metadata.labels, { component: 'apiserver', provider: 'orch' })
    const { subsets } = await get(server, endpointsPath)
    assert.equal(subsets, [
      { addresses: [{ ip: '192.0.2.7' }], ports: [{ name: 'https', port, protocol: 'TCP' }] },
    ])
    const slice = await get(server, slicePath)
    assert.is(slice.metadata.labels['orch.io/service-name'], 'orch')
    assert.equal(slice.endpoints, [{ addresses: ['192.0.2.7'], conditions: { ready: true } }])
  } finally {
    await server.stop()
  }
})

test('it comes back when somebody deletes it, and leads where it should when somebody turns it', async () => {
  const server = await start()
  try {
    const { uid } = (await get(server, servicePath)).metadata
    await fetch(`${server.url}${servicePath}`, { method: 'DELETE' })
    await until('made again', async () => {
      const { metadata } = await get(server, servicePath)
      return metadata.uid !== undefined && metadata.uid !== uid
    })
    const headers = { 'content-type': 'application/merge-patch+json' }
    const turned = JSON.stringify({ spec: { ports: [{ port: 80 }] } })
    await fetch(`${server.url}${servicePath}`, { method: 'PATCH', headers, body: turned })
    await until(
      'put right',
      async () => (await get(server, servicePath)).spec.ports[0].port === 443,
    )
    assert.is((await get(server, servicePath)).spec.clusterIP, '10.0.0.1')
  } finally {
    await server.stop()
  }
})

test('another range gives it another address', async () => {
  const server = await start({
    serviceRanges: { addresses: ['fd00::/112', '10.1.0.0/16'], nodePorts: '31000-31100' },
  })
  try {
    assert.is((await get(server, servicePath)).spec.clusterIP, 'fd00::1')
  } finally {
    await server.stop()
  }
})

test('an address that no endpoint can have is refused at the start', async () => {
  const refused = await start({ advertiseAddress: '0.0.0.0' }).then(
    () => 'started',
    (error: Error) => error.message,
  )
  assert.is(refused, '--advertise-address 0.0.0.0: may not be unspecified (0.0.0.0 or ::)')
})

test('ranges that cannot be are refused at the start', async () => {
  const of = (addresses: readonly string[], nodePorts = '30000-32767') =>
    start({ serviceRanges: { addresses, nodePorts } }).then(
      () => 'started',
      (error: Error) => error.message,
    )
  assert.match(await of(['10.0.0.0']), 'is not a CIDR')
  assert.match(await of(['10.0.0.0/8']), 'the mask must be >= 12')
  assert.match(await of(['10.0.0.0/24', '10.1.0.0/24']), 'one of each address family')
  assert.match(await of(['10.0.0.0/30']), 'at least 8 addresses')
  assert.match(await of(['10.0.0.0/24'], '40000-30000'), '--service-node-port-range')
})

test.run()
