import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import {
  type RunningApiServer,
  type StoreLocation,
  startApiServer,
} from '../../../runtime/apiserver/apiserver.ts'
import { healthChecks, partsOf } from '../../../runtime/apiserver/health-checks.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { fakeClock } from '../../support/clock.ts'
import { tempDirectory } from '../../support/temp.ts'
import { until } from '../../support/until.ts'

const apiserver = suite('runtime/apiserver')

const memory: StoreLocation = { kind: 'memory' }

function start(storage: StoreLocation, port: number | undefined = 0): Promise<RunningApiServer> {
  return startApiServer({ scheme, storage, clock: systemClock, log: silentLog, listen: { port } })
}

async function create(server: RunningApiServer, name: string): Promise<number> {
  const { status } = await fetch(`${server.url}/api/v1/namespaces`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
  })
  return status
}

// O-01
apiserver('is ready when it has started: the system namespaces are there', async () => {
  const server = await start(memory)
  const list: unknown = await (await fetch(`${server.url}/api/v1/namespaces`)).json()
  const names = (list as { items: { metadata: { name: string } }[] }).items.map(
    ({ metadata }) => metadata.name,
  )
  assert.equal(names, ['default', 'orch-node-lease', 'orch-public', 'orch-system'])
  await server.stop()
})

// H-05
apiserver('health lists the checks that clients know, each by its own path too', async () => {
  const server = await start(memory)
  const checked = async (path: string) => {
    const text = await (await fetch(`${server.url}/${path}?verbose`)).text()
    return [...text.matchAll(/^\[\+\](\S+) ok$/gm)].map(([, name = '']) => name)
  }
  const readyz = await checked('readyz')
  const livez = await checked('livez')
  assert.equal(await checked('healthz'), livez)
  const only = ['etcd-readiness', 'informer-sync', 'shutdown']
  assert.equal(readyz.filter((name) => !livez.includes(name)).sort(), only)
  const steps = [
    ...['start-orch-apiserver-admission-initializer', 'generic-apiserver-start-informers'],
    ...['priority-and-fairness-config-consumer', 'priority-and-fairness-config-producer'],
    ...['priority-and-fairness-filter', 'storage-object-count-tracker-hook', 'crd-informer-synced'],
    ...['start-apiextensions-informers', 'start-apiextensions-controllers', 'bootstrap-controller'],
    ...['start-system-namespaces-controller', 'scheduling/bootstrap-system-priority-classes'],
    ...['apiservice-registration-controller', 'apiservice-status-available-controller'],
    ...['orch-apiserver-autoregistration', 'apiservice-discovery-controller'],
    ...['apiservice-openapi-controller', 'apiservice-openapiv3-controller'],
    ...['start-cluster-authentication-info-controller', 'start-orch-aggregator-informers'],
    'start-legacy-token-tracking-controller',
  ].map((name) => `poststarthook/${name}`)
  for (const name of ['ping', 'log', 'etcd', 'autoregister-completion', ...steps]) {
    assert.ok(livez.includes(name), name)
    const { status } = await fetch(`${server.url}/livez/${name}`)
    assert.is(status, 200, name)
  }
  await server.stop()
})

apiserver(
  '[H-15] a check of a part that not every server has is listed where the part is',
  async () => {
    const further = [
      'poststarthook/rbac/bootstrap-roles',
      'poststarthook/start-orch-apiserver-identity-lease-controller',
      'poststarthook/start-orch-apiserver-identity-lease-garbage-collector',
    ]
    const plain = await start(memory)
    const server = await startApiServer({
      ...{ scheme, storage: memory, clock: systemClock, log: silentLog, listen: { port: 0 } },
      ...{ hostname: 'machine-1', authorization: { modes: ['AlwaysAllow', 'RBAC'] } },
    })
    for (const name of further) {
      assert.is((await fetch(`${server.url}/readyz/${name}`)).status, 200, name)
      assert.is((await fetch(`${plain.url}/readyz/${name}`)).status, 404, name)
    }
    const certificate = { certFile: 'proxy.crt', keyFile: 'proxy.key' }
    const withCertificate = { scheme, aggregation: { certificate } } as never
    assert.equal([...partsOf(withCertificate)], ['proxy-certificate'])
    const checks = healthChecks({
      ...{ prefix: 'orch', checkStore: async () => {}, isStarted: () => true },
      parts: partsOf(withCertificate),
    })
    const reload = 'poststarthook/aggregator-reload-proxy-client-cert'
    assert.ok(checks.some(({ name }) => name === reload))
    await Promise.all([plain.stop(), server.stop()])
  },
)

apiserver('two in one process share nothing', async () => {
  const [one, two] = await Promise.all([start(memory), start(memory)])
  assert.is(await create(one, 'mine'), 201)
  assert.is((await fetch(`${two.url}/api/v1/namespaces/mine`)).status, 404)
  await Promise.all([one.stop(), two.stop()])
})

apiserver('what was written to a file is there at the next start', async () => {
  const storage: StoreLocation = { kind: 'sqlite', file: join(tempDirectory(), 'store.db') }
  const first = await start(storage)
  assert.is(await create(first, 'kept'), 201)
  await first.stop()
  const second = await start(storage)
  assert.is((await fetch(`${second.url}/api/v1/namespaces/kept`)).status, 200)
  await second.stop()
})

apiserver('a start that fails leaves nothing behind: the file is free for the next', async () => {
  const storage: StoreLocation = { kind: 'sqlite', file: join(tempDirectory(), 'store.db') }
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const address = taken.address()
  const port = typeof address === 'object' ? address?.port : 0
  let message = ''
  await start(storage, port).catch((error: Error) => {
    message = error.message
  })
  assert.match(message, `port ${port} of 127.0.0.1 is taken`)
  taken.close()
  await (await start(storage)).stop()
})

// A4.72, H-06
apiserver('goes on serving for its shutdown delay, while readyz fails', async () => {
  const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
  const options = { scheme, storage: memory, clock, log: silentLog, listen: { port: 0 } }
  const server = await startApiServer({ ...options, shutdownDelayMs: 1000 })
  const status = async (path: string) => (await fetch(server.url + path)).status
  assert.is(await status('/readyz'), 200)
  const stopped = server.stop()
  await until('readyz fails', async () => (await status('/readyz')) === 500)
  clock.advance(999)
  assert.is(await status('/livez'), 200)
  assert.is(await status('/api/v1/namespaces'), 200)
  clock.advance(1)
  await stopped
  assert.is(await status('/livez').catch(() => 0), 0)
})

apiserver('stop may be called twice and settles ended', async () => {
  const server = await start(memory)
  await Promise.all([server.stop(), server.stop()])
  await server.ended
})

apiserver.run()
