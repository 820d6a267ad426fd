/** A server, another one behind a service, and what tests of aggregated servers do with them. */
import type { Test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ApiServerOptions } from '../../runtime/apiserver/apiserver.ts'
import type { FakeClock } from './clock.ts'
import { type CustomServer, startCustom } from './custom.ts'
import { type Arrived, backendGroup, type RemoteBackend, startBackend } from './remote-backend.ts'
import { clientPair, newAuthority, serverPair } from './tls.ts'
import { until } from './until.ts'

export const services = '/apis/apiregistration.orch.io/v1/apiservices'
/** The object of the group version. */
export const name = `v1.${backendGroup}`
export const lamps = `/apis/${backendGroup}/v1/namespaces/default/lamps`

const authority = await newAuthority()
const pair = await serverPair(authority, ['lights.default.svc'])
/** By what the other server knows ours. */
export const proxy = await clientPair(authority, 'front-proxy')
export const bundle = (pem: string): string => Buffer.from(pem).toString('base64')

/** The two servers of the test that runs. */
export let backend: RemoteBackend
export let custom: CustomServer

/** Starts both before each test, and stops them after it. */
export function withServers(test: Test): void {
  test.before.each(async () => {
    backend = await startBackend(pair)
    custom = await start()
  })
  test.after.each(async () => {
    await custom.stop()
    await backend.stop()
  })
}

function start(options: Partial<ApiServerOptions> = {}): Promise<CustomServer> {
  return startCustom({ aggregation: { certificate: proxy }, ...options })
}

/** Our server with other options. */
export async function restart(options: Partial<ApiServerOptions>): Promise<void> {
  await custom.stop()
  custom = await start(options)
}

/** The other server, which was stopped, at its port. */
export async function restartBackend(port: number): Promise<void> {
  backend = await startBackend(pair, port)
}

/** Registers the backend by a service with an external name, and waits for what its condition says. */
export async function register(
  { ask }: CustomServer,
  spec: object = {},
  reason = 'Passed',
  clock?: FakeClock,
): Promise<Readonly<Record<string, string>>> {
  const external = {
    metadata: { name: 'lights' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  }
  await ask('POST', '/api/v1/namespaces/default/services', external)
  const object = {
    metadata: { name },
    spec: {
      ...{ group: backendGroup, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 },
      caBundle: bundle(authority.cert),
      service: { namespace: 'default', name: 'lights', port: backend.port },
      ...spec,
    },
  }
  const { status, text } = await ask('POST', services, object)
  assert.is(status, 201, text)
  return condition({ ask }, reason, clock)
}

/** Waits until the condition of the object has this reason. */
export function condition(
  { ask }: Pick<CustomServer, 'ask'>,
  reason: string,
  clock?: FakeClock,
): Promise<Readonly<Record<string, string>>> {
  return until(`the condition is ${reason}`, async () => {
    await clock?.advance(1000)
    const { json } = await ask('GET', `${services}/${name}`)
    const [found] = json.status?.conditions ?? []
    return found?.reason === reason ? found : undefined
  })
}

/** What arrived at a URL. */
export const arrivedAt = (url: string): readonly Arrived[] =>
  backend.arrived.filter((one) => one.url === url)
