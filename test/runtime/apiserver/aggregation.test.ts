/** Requests for which another server answers: who it hears of, and what comes back (B-03). */
import '../../../tools/test/guard.ts'
import { once } from 'node:events'
import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { alwaysAllow } from '../../../runtime/auth/auth.ts'
import {
  arrivedAt,
  backend,
  bundle,
  condition,
  custom,
  lamps,
  name,
  register,
  restart,
  restartBackend,
  services,
  withServers,
} from '../../support/aggregated.ts'
import {
  type Arrived,
  backendGroup,
  json,
  type RemoteBackend,
} from '../../support/remote-backend.ts'
import { newAuthority } from '../../support/tls.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: requests to aggregated servers')
withServers(test)
const merge = 'application/merge-patch+json'
const other = await newAuthority('somebody else')

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
  const url = `https://localhost:${port}/apis/${backendGroup}/v1`
  const refused = `failing or missing response from ${url}: Get "${url}": dial tcp HOST:${port}: connect: connection refused`
  // A check that was under way as the server stopped tells of a connection that broke.
  await until('the condition says that nobody listens', async () => {
    const { message } = await condition(custom, 'FailedDiscoveryCheck')
    return message?.replace(/(127\.0\.0\.1|\[::1\])/, 'HOST') === refused
  })
  const away = await custom.ask('GET', lamps)
  assert.equal([away.status, away.text], [503, 'service unavailable\n'])
  assert.match(
    (await custom.ask('GET', '/metrics')).text,
    `aggregator_unavailable_apiservice{name="${name}"} 1`,
  )
  const lost = `aggregator_unavailable_apiservice_total{name="${name}",reason="FailedDiscoveryCheck"} 1\n`
  await until('it is counted', async () =>
    (await custom.ask('GET', '/metrics')).text.includes(lost),
  )
  await restartBackend(port)
  await condition(custom, 'Passed')
  assert.is((await custom.ask('GET', lamps)).status, 200)
})

test('rights are asked for here, for what the path names, before anything goes on', async () => {
  await restart({
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

test('what goes on is recorded here, under the id that the other server is told', async () => {
  const events: Readonly<Record<string, unknown>>[] = []
  await restart({
    audit: {
      policy: {
        rules: [{ level: 'Metadata', omitStages: ['RequestReceived', 'ResponseStarted'] }],
      },
      log: { output: (line) => void events.push(JSON.parse(line)) },
    },
  })
  await register(custom)
  const path = `${lamps}/one/status`
  assert.is((await custom.ask('PUT', path, { kind: 'Lamp' })).status, 200)
  const event = await until('it is recorded', () =>
    events.find(({ requestURI }) => requestURI === path),
  )
  const [{ headers }] = arrivedAt(path) as [Arrived]
  assert.equal(
    [event.verb, event.auditID, event.stage],
    ['update', headers['audit-id'], 'ResponseComplete'],
  )
  assert.equal(event.objectRef, {
    ...{ resource: 'lamps', namespace: 'default', name: 'one', subresource: 'status' },
    ...{ apiGroup: backendGroup, apiVersion: 'v1' },
  })
})

test('an object that is deleted, or names no server any more, counts at once', async () => {
  await register(custom)
  assert.is((await custom.ask('GET', lamps)).status, 200)
  await custom.ask('DELETE', `${services}/${name}`)
  await until('nobody answers', async () => (await custom.ask('GET', lamps)).status === 404)
  const { json } = await custom.ask('GET', '/apis')
  assert.not(json.groups.some((one: { name: string }) => one.name === backendGroup))
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
  const path = `${lamps}?timeout=1s`
  await register(custom)
  let closed = false
  backend.answer((request) => request.socket.on('close', () => (closed = true)))
  const { status, json } = await custom.ask('GET', path)
  assert.equal([status, json.reason], [504, 'Timeout'])
  await until(
    'the other server, if it was asked in time, sees it',
    () => arrivedAt(path).length === 0 || closed,
  )
})

test.run()
