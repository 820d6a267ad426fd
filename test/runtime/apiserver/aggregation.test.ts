/** Group versions for which another server answers: who it hears of, what comes back, and what of it is shown (B-02, B-03). */
import '../../../tools/test/guard.ts'
import { once } from 'node:events'
import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ApiServerOptions } from '../../../runtime/apiserver/apiserver.ts'
import { alwaysAllow } from '../../../runtime/auth/auth.ts'
import { type FakeClock, fakeClock } from '../../support/clock.ts'
import { type CustomServer, startCustom } from '../../support/custom.ts'
import {
  type Arrived,
  backendGroup,
  json,
  type RemoteBackend,
  startBackend,
} from '../../support/remote-backend.ts'
import { clientPair, newAuthority, serverPair } from '../../support/tls.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: aggregated servers')
const services = '/apis/apiregistration.orch.io/v1/apiservices'
const name = `v1.${backendGroup}`
const lamps = `/apis/${backendGroup}/v1/namespaces/default/lamps`
const merge = 'application/merge-patch+json'

const authority = await newAuthority()
const other = await newAuthority('somebody else')
const pair = await serverPair(authority, ['lights.default.svc'])
const proxy = await clientPair(authority, 'front-proxy')
const bundle = (pem: string) => Buffer.from(pem).toString('base64')

let backend: RemoteBackend
let custom: CustomServer

async function start(options: Partial<ApiServerOptions> = {}): Promise<CustomServer> {
  return startCustom({ aggregation: { certificate: proxy }, ...options })
}

/** Registers the backend by a service with an external name, and waits for what its condition says. */
async function register(
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

function condition(
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
const arrivedAt = (url: string) => backend.arrived.filter((one) => one.url === url)

test.before.each(async () => {
  backend = await startBackend(pair)
  custom = await start()
})
test.after.each(async () => {
  await custom.stop()
  await backend.stop()
})

test('a request goes on as it came, with who asks and without credentials', async () => {
  const { status, lastTransitionTime, ...condition } = await register(custom)
  assert.equal(
    [status, condition],
    ['True', { type: 'Available', reason: 'Passed', message: 'all checks passed' }],
  )
  backend.answer((request, response) => {
    let text = ''
    request.on('data', (part) => (text += part)).on('end', () => json(response, { text }, 201))
  })
  const response = await fetch(`${custom.server.url}${lamps}?b=2&a=1`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer secret',
      'x-remote-user': 'evil',
      'x-remote-extra-scope': 'evil',
      'impersonate-user': 'joe',
      'impersonate-extra-a%2fb': 'c',
      'x-forwarded-for': '192.0.2.1',
      'x-other': 'kept',
      'content-type': 'application/json',
    },
    body: '{"kind":"Lamp"}',
  })
  assert.equal([response.status, await response.json()], [201, { text: '{"kind":"Lamp"}' }])
  const [{ method, headers, shown }] = arrivedAt(`${lamps}?b=2&a=1`) as [Arrived]
  assert.equal([method, shown], ['POST', 'front-proxy'])
  assert.equal(
    Object.fromEntries(
      Object.entries(headers).filter(([name]) =>
        /^(x-|authorization|impersonate|audit)/.test(name),
      ),
    ),
    {
      'x-remote-user': 'joe',
      'x-remote-group': 'system:authenticated',
      'x-remote-extra-a%2fb': 'c',
      'x-forwarded-for': '192.0.2.1, 127.0.0.1',
      'x-forwarded-host': `localhost:${backend.port}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-uri': lamps,
      'x-other': 'kept',
      'audit-id': response.headers.get('audit-id'),
    },
  )
})

const hidden = 'the backend attempted to redirect this request, which is not permitted'
const answers: readonly [string, (backend: RemoteBackend) => void, number, string | RegExp][] = [
  [
    'an error of its own is passed back as it is',
    (one) => one.answer((_, response) => response.writeHead(500).end('oops')),
    500,
    'oops',
  ],
  [
    'bytes that are no JSON are passed back as they are',
    (one) => one.answer((_, response) => response.writeHead(200).end('[nonsense')),
    200,
    '[nonsense',
  ],
  [
    'a redirect is refused',
    (one) => one.answer((_, response) => response.writeHead(302, { Location: '/x' }).end()),
    502,
    hidden,
  ],
  [
    'a connection that breaks is a 503',
    (one) => one.answer((request) => request.socket.destroy()),
    503,
    'error trying to reach service: EOF\n',
  ],
  [
    'what is no HTTP is a 503',
    (one) => one.answer((request) => request.socket.end('NOT HTTP AT ALL\r\n\r\n')),
    503,
    'error trying to reach service: net/http: HTTP/1.x transport connection broken: malformed HTTP status code "HTTP"\n',
  ],
]

for (const [title, prepare, status, text] of answers) {
  test(title, async () => {
    await register(custom)
    prepare(backend)
    const answer = await custom.ask('GET', lamps)
    assert.equal([answer.status, answer.text], [status, text])
  })
}

test('a certificate that nobody vouches for is a 503, and health does not look at it', async () => {
  await register(custom, { caBundle: bundle(other.cert) })
  const { status, text } = await custom.ask('GET', lamps)
  const why = 'tls: failed to verify certificate: x509: certificate signed by unknown authority'
  assert.equal([status, text], [503, `error trying to reach service: ${why}\n`])
})

test('a bundle that holds no certificate is a 500 that says so', async () => {
  await register(custom, { caBundle: bundle('nothing') })
  const { status, text } = await custom.ask('GET', lamps)
  const why = 'unable to load root certificates: unable to parse bytes as PEM block\n'
  assert.equal([status, text], [500, why])
})

test('a server that goes away is a 503 until it is back', async () => {
  await register(custom)
  const { port } = backend
  await backend.stop()
  const touched = { metadata: { annotations: { touched: 'yes' } } }
  await custom.ask('PATCH', `${services}/${name}`, touched, merge)
  const { message } = await condition(custom, 'FailedDiscoveryCheck')
  const url = `https://localhost:${port}/apis/${backendGroup}/v1`
  assert.is(
    message?.replace(/(127\.0\.0\.1|\[::1\])/, 'HOST'),
    `failing or missing response from ${url}: Get "${url}": dial tcp HOST:${port}: connect: connection refused`,
  )
  const away = await custom.ask('GET', lamps)
  assert.equal([away.status, away.text], [503, 'service unavailable\n'])
  assert.match(
    (await custom.ask('GET', '/metrics')).text,
    `aggregator_unavailable_apiservice{name="${name}"} 1`,
  )
  assert.match(
    (await custom.ask('GET', '/metrics')).text,
    `aggregator_unavailable_apiservice_total{name="${name}",reason="FailedDiscoveryCheck"} 1`,
  )
  backend = await startBackend(pair, port)
  await condition(custom, 'Passed')
  assert.is((await custom.ask('GET', lamps)).status, 200)
})

test('rights are asked for here, for what the path names, before anything goes on', async () => {
  await custom.stop()
  custom = await start({
    authorizer: {
      ...alwaysAllow,
      authorize: ({ verb, resource }) => ({
        decision: verb === 'watch' && resource === 'lamps' ? 'Deny' : 'Allow',
      }),
    },
  })
  await register(custom)
  const { status, json } = await custom.ask('GET', `${lamps}?watch=1`)
  const what =
    'cannot watch resource "lamps" in API group "lights.example.com" in the namespace "default"'
  const name = 'lamps.lights.example.com is forbidden'
  assert.equal([status, json.message], [403, `${name}: User "system:anonymous" ${what}`])
  assert.is(arrivedAt(`${lamps}?watch=1`).length, 0)
  assert.is((await custom.ask('GET', lamps)).status, 200)
})

test('an object that is deleted, or names no server any more, counts at once', async () => {
  await register(custom)
  assert.is((await custom.ask('GET', lamps)).status, 200)
  await custom.ask('DELETE', `${services}/${name}`)
  await until('nobody answers', async () => (await custom.ask('GET', lamps)).status === 404)
  const { json } = await custom.ask('GET', '/apis')
  assert.not(json.groups.some((one: { name: string }) => one.name === backendGroup))
})

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

test('a stream comes as it is sent, and ends there when the client leaves', async () => {
  await register(custom)
  let closed = false
  let write = (_text: string): void => {}
  backend.answer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    write = (text) => void response.write(text)
    write('one\n')
    request.socket.on('close', () => (closed = true))
    response.on('close', () => (closed = true))
  })
  const leave = new AbortController()
  const { body } = await fetch(`${custom.server.url}${lamps}?watch=1`, { signal: leave.signal })
  const reader = body!.getReader()
  const next = async () => Buffer.from((await reader.read()).value ?? []).toString()
  assert.is(await next(), 'one\n')
  write('two\n')
  assert.is(await next(), 'two\n')
  leave.abort()
  await reader.closed.catch(() => {})
  await until('the other server sees it', () => closed)
})

test('a connection may go on as another protocol, in both directions', async () => {
  await register(custom)
  backend.upgrade((request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\n\r\nhello `,
    )
    socket.pipe(socket)
  })
  const { hostname, port } = new URL(custom.server.url)
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST ${lamps}/one/exec?command=sh HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`,
  )
  let text = ''
  socket.on('data', (part) => (text += part))
  await until('it is another protocol', () => text.endsWith('\r\n\r\nhello '))
  assert.match(text, /^HTTP\/1\.1 101 Switching Protocols\r\n/)
  assert.match(text, /\r\nUpgrade: SPDY\/3\.1\r\n/i)
  socket.write('there')
  await until('it comes back', () => text.endsWith('hello there'))
  const [{ headers }] = arrivedAt(`${lamps}/one/exec?command=sh`) as [Arrived]
  assert.is(headers['x-remote-user'], 'system:anonymous')
  socket.end()
  await once(socket, 'close')
})

test('a refusal to speak another protocol is passed back', async () => {
  await register(custom)
  backend.upgrade((_, socket) =>
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nnope'),
  )
  const { hostname, port } = new URL(custom.server.url)
  const socket = connect(Number(port), hostname)
  socket.write(
    `GET ${lamps}/one/exec HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  )
  let text = ''
  socket.on('data', (part) => (text += part))
  await once(socket, 'close')
  assert.match(text, /^HTTP\/1\.1 403 Forbidden\r\n/)
  assert.match(text, /\r\n\r\nnope$/)
})

test('a large body goes through, both ways', async () => {
  await register(custom)
  backend.answer((request, response) => {
    response.writeHead(200)
    request.pipe(response)
  })
  const size = 20 * 1024 * 1024
  const { status, text } = await custom.ask('POST', lamps, 'x'.repeat(size))
  assert.equal([status, text.length], [200, size])
})

test('an answer that breaks off is cut off for the client', async () => {
  await register(custom)
  backend.answer((request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"a":')
    setImmediate(() => request.socket.destroy())
  })
  const response = await fetch(custom.server.url + lamps)
    .then((one) => one.text())
    .catch(() => 'cut')
  assert.is(response, 'cut')
})

test('a server that hangs is given up', async () => {
  await custom.stop()
  custom = await start({ requestTimeoutMs: 300 })
  await register(custom)
  let closed = false
  backend.answer((request) => request.socket.on('close', () => (closed = true)))
  const { status, json } = await custom.ask('GET', lamps)
  assert.equal([status, json.reason], [504, 'Timeout'])
  await until('the other server sees it', () => closed)
})

// B-02, B-03
test('a server that never answers is away, and holds up nothing else', async () => {
  await custom.stop()
  const clock = fakeClock(Date.now())
  custom = await start({ clock })
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

test('with routing to endpoints it is found at an address of its own', async () => {
  await custom.stop()
  custom = await start({ aggregation: { certificate: proxy, routing: 'endpoints' } })
  const metadata = { name: 'lights' }
  const spec = { ports: [{ port: 443 }] }
  await custom.ask('POST', '/api/v1/namespaces/default/services', { metadata, spec })
  const subsets = [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: backend.port }] }]
  // The API takes no endpoints of this machine: they stand for those of a pod.
  const { status } = await custom.ask('POST', '/api/v1/namespaces/default/endpoints', {
    metadata,
    subsets,
  })
  if (status !== 201)
    return void console.log('SKIP routing to endpoints: this machine is no endpoint')
  await register(custom, { service: { namespace: 'default', name: 'lights' } })
  assert.is((await custom.ask('GET', lamps)).status, 200)
})

test.run()
