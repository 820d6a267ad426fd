/** What is shown of another server: whether it is there, what it serves, and its schemas (B-02 to B-04). */
import '../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  backend,
  custom,
  lamps,
  proxy,
  register,
  restart,
  withServers,
} from '../../support/aggregated.ts'
import { fakeClock } from '../../support/clock.ts'
import { outerAddress } from '../../support/outer-address.ts'
import { backendGroup, json, resourceList } from '../../support/remote-backend.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: what is shown of aggregated servers')
withServers(test)

test('discovery names it in every form, in the order of priorities', async () => {
  await register(custom, { groupPriorityMinimum: 20_000 })
  const { groups } = (await custom.ask('GET', '/apis')).json
  const row = { groupVersion: `${backendGroup}/v1`, version: 'v1' }
  assert.equal(groups[0], { name: backendGroup, versions: [row], preferredVersion: row })
  const { json } = await custom.ask('GET', `/apis/${backendGroup}`)
  assert.equal(json.versions, [row])
  assert.equal((await custom.ask('GET', `/apis/${backendGroup}/v1`)).json.resources.length, 2)
  const entry = await until('its resources are known', () => aggregatedEntry('Current'))
  assert.equal(entry, {
    version: 'v1',
    resources: [
      {
        resource: 'lamps',
        responseKind: { group: '', version: '', kind: 'Lamp' },
        scope: 'Namespaced',
        singularResource: 'lamp',
        verbs: ['create', 'get', 'list', 'watch'],
        shortNames: ['lp'],
        subresources: [
          {
            subresource: 'status',
            responseKind: { group: '', version: '', kind: 'Lamp' },
            verbs: ['get'],
          },
        ],
      },
    ],
    freshness: 'Current',
  })
})

async function aggregatedEntry(freshness: string): Promise<object | undefined> {
  const type = 'application/json;g=apidiscovery.orch.io;v=v2beta1;as=APIGroupDiscoveryList'
  const { json } = await custom.ask('GET', '/apis', undefined, type)
  const found = json.items.find(
    ({ metadata }: { metadata: { name: string } }) => metadata.name === backendGroup,
  )?.versions[0]
  return found?.freshness === freshness ? found : undefined
}

test('one that says nothing readable of itself is stale, and others are not', async () => {
  backend.answer((_, response) => response.writeHead(200).end('[nonsense'), true)
  await register(custom)
  const entry = await until('it is stale', () => aggregatedEntry('Stale'))
  assert.equal(entry, { version: 'v1', freshness: 'Stale' })
})

const key = `apis/${backendGroup}/v1`

/** Answers discovery, and with these documents; 404 to everything else. */
function documents(known: Readonly<Record<string, unknown>>): void {
  const all: Readonly<Record<string, unknown>> = { [`/${key}`]: resourceList, ...known }
  backend.answer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    json(response, all[path] ?? {}, all[path] === undefined ? 404 : 200)
  }, true)
}

const indexed = () =>
  until(
    'its schemas are known',
    async () => key in (await custom.ask('GET', '/openapi/v3')).json.paths,
  )

// B-04
test('the schemas of a server that knows version 2 only are in both versions', async () => {
  const path = `/${key}/lamps`
  const responses = { 200: { description: 'OK', schema: { $ref: '#/definitions/Lamp' } } }
  documents({
    '/openapi/v2': {
      paths: { [path]: { get: { responses, produces: ['application/json'] } } },
      definitions: { Lamp: { type: 'object', description: 'shines' } },
    },
  })
  await register(custom)
  await indexed()
  const document = (await custom.ask('GET', `/openapi/v3/${key}`)).json
  assert.is(document.components.schemas.Lamp.description, 'shines')
  const swagger = (await custom.ask('GET', '/openapi/v2')).json
  assert.equal([swagger.definitions.Lamp.description, path in swagger.paths], ['shines', true])
  assert.ok('/api/v1/pods' in swagger.paths)
})

// B-04
test('schemas that are none leave those of others as they are', async () => {
  documents({
    '/openapi/v3': { paths: { [key]: { serverRelativeURL: `/openapi/v3/${key}?hash=A` } } },
    [`/openapi/v3/${key}`]: {
      paths: { [`/${key}/lamps`]: { get: { parameters: { a: 1 }, responses: [[7]] } } },
      components: { schemas: { Odd: { properties: [null], items: 7, type: { a: [] } } } },
    },
  })
  await register(custom)
  await indexed()
  const { status, json } = await custom.ask('GET', '/openapi/v2')
  assert.is(status, 200)
  assert.ok('/api/v1/pods' in json.paths)
})

// B-02, B-03
test('a server that never answers is away, and holds up nothing else', async () => {
  const clock = fakeClock(Date.now())
  await restart({ clock })
  backend.answer(() => {}, true)
  const found = await register(custom, {}, 'FailedDiscoveryCheck', clock)
  assert.match(found.message ?? '', /Client\.Timeout exceeded while awaiting headers\)$/)
  assert.equal(await aggregatedEntry('Stale'), { version: 'v1', freshness: 'Stale' })
  assert.is((await custom.ask('GET', '/api/v1/namespaces')).status, 200)
})

// B-02
const missing: readonly [string, object | undefined, object | undefined, string, string][] = [
  [
    'no service',
    undefined,
    undefined,
    'ServiceNotFound',
    'service/web in "default" is not present',
  ],
  [
    'no such port',
    { ports: [{ port: 80 }] },
    undefined,
    'ServicePortError',
    'service/web in "default" is not listening on port 443',
  ],
  [
    'no endpoints',
    { ports: [{ port: 443 }] },
    undefined,
    'EndpointsNotFound',
    'cannot find endpoints for service/web in "default"',
  ],
  [
    'no address',
    { ports: [{ port: 443, name: 'https' }] },
    { subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 443, name: 'other' }] }] },
    'MissingEndpoints',
    'endpoints for service/web in "default" have no addresses with port name "https"',
  ],
  [
    'no cluster address',
    { ports: [{ port: 443 }], clusterIP: 'None' },
    { subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 443 }] }] },
    'FailedDiscoveryCheck',
    'cannot route to service with ClusterIP "None"',
  ],
]
for (const [what, service, endpoints, reason, message] of missing) {
  test(`with ${what} it is away: ${reason}`, async () => {
    const metadata = { name: 'web' }
    if (service)
      await custom.ask('POST', '/api/v1/namespaces/default/services', { metadata, spec: service })
    if (endpoints)
      await custom.ask('POST', '/api/v1/namespaces/default/endpoints', { metadata, ...endpoints })
    const found = await register(custom, { service: { namespace: 'default', name: 'web' } }, reason)
    assert.equal([found.status, found.message], ['False', message])
  })
}

const routing = 'with routing to endpoints it is found at an address of its own'
const ip = outerAddress()
const atEndpoint = ip === undefined ? () => {} : test
if (ip === undefined) console.log(`SKIP ${routing}: this machine has no address but loopback`)
atEndpoint(routing, async () => {
  await restart({ aggregation: { certificate: proxy, routing: 'endpoints' } })
  const metadata = { name: 'lights' }
  const spec = { ports: [{ port: 443 }] }
  await custom.ask('POST', '/api/v1/namespaces/default/services', { metadata, spec })
  const subsets = [{ addresses: [{ ip }], ports: [{ port: backend.port }] }]
  const endpoints = '/api/v1/namespaces/default/endpoints'
  assert.is((await custom.ask('POST', endpoints, { metadata, subsets })).status, 201)
  await register(custom, { service: { namespace: 'default', name: 'lights' } })
  assert.is((await custom.ask('GET', lamps)).status, 200)
})

test.run()
