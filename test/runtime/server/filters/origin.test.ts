import { request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hostMatcher } from '../../../../runtime/server/http/hosts.ts'
import { originMatcher } from '../../../../runtime/server/server.ts'
import { startTestServer, type TestRequest } from '../harness.ts'

const test = suite('runtime/server: hosts and origins')
const allowedOrigin = await originMatcher(['^https://console\\.example(:|$)'])
const wire = await startTestServer({
  allowedHosts: ['.proxy.example', 'API.example'],
  allowedOrigin,
})
const closed = await startTestServer()
test.after(async () => {
  await wire.stop()
  await closed.stop()
})

const maps = '/api/v1/namespaces/default/configmaps'
const port = new URL(wire.url).port
const foreign = 'http://elsewhere.example'

const hosts: readonly (readonly [host: string, status: number])[] = [
  ['localhost', 200],
  [`LOCALHOST:${port}`, 200],
  ['localhost.', 200],
  ['app.localhost:3000', 200],
  ['127.0.0.1', 200],
  ['10.1.2.3:8080', 200],
  [`[::1]:${port}`, 200],
  ['orch', 200],
  ['control-plane:8080', 200],
  ['orch.default.svc', 200],
  ['orch.default.svc.cluster.local:443', 200],
  ['a.proxy.example', 200],
  ['api.example:80', 200],
  ['elsewhere.example', 403],
  [`elsewhere.example:${port}`, 403],
  ['localhost.elsewhere.example', 403],
  ['127.0.0.1.elsewhere.example', 403],
  ['proxy.example', 403],
  ['local.host.example', 403],
  ['localhost@elsewhere.example', 403],
  ['[elsewhere.example]', 403],
]

test('a name that leads to the server without being its own is refused (DNS rebinding)', async () => {
  for (const [host, status] of hosts) {
    const { status: found, text } = await wire.request({ path: maps, headers: { host } })
    assert.is(found, status, `${host}: ${text}`)
    if (status === 403) assert.match(text, '--allowed-hosts')
  }
})

test('a target that names a server counts in place of the header (RFC 9112, section 3.2.2)', async () => {
  const rows: readonly (readonly [target: string, host: string, status: number])[] = [
    ['http://localhost', 'localhost', 200],
    ['http://localhost', 'elsewhere.example', 200],
    [`HTTPS://api.example:${port}`, 'elsewhere.example', 200],
    ['http://elsewhere.example', 'localhost', 403],
    ['http://localhost@elsewhere.example', 'localhost', 403],
    ['http://', 'localhost', 403],
    ['ftp://localhost', 'localhost', 404],
  ]
  for (const [target, host, status] of rows) {
    const path = `${target}${maps}`
    const found = await new Promise((resolve, reject) => {
      const sent = request({ port, path, headers: { host }, agent: false })
      sent.on('response', (response) => resolve(response.resume().statusCode))
      sent.on('error', reject)
      sent.end()
    })
    assert.is(found, status, path)
  }
})

test('the matcher is linear in what clients send', () => {
  const matches = hostMatcher([])
  assert.not.ok(matches(`${'a.'.repeat(15_000)}:x`))
  assert.not.ok(matches(`[${':'.repeat(30_000)}`))
})

/** Headers of a browser, and what becomes of a POST and a GET with them: true for one that is served. */
const browsers: readonly (readonly [
  headers: Record<string, string>,
  post: boolean,
  get: boolean,
])[] = [
  [{}, true, true],
  [{ origin: foreign }, false, false],
  [{ origin: 'null' }, false, false],
  [{ origin: `http://localhost:3000` }, false, false],
  [{ origin: foreign, 'sec-fetch-site': 'cross-site' }, false, false],
  [{ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }, false, false],
  [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, false, false],
  [
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    false,
    false,
  ],
  [
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    false,
    true,
  ],
  [{ origin: wire.url }, true, true],
  [{ origin: wire.url, 'sec-fetch-site': 'same-origin' }, true, true],
  // A page that `kubectl proxy --www` serves: the browser reached the proxy, the proxy us.
  [{ origin: 'http://127.0.0.1:8001', 'sec-fetch-site': 'same-origin' }, true, true],
  [{ 'sec-fetch-site': 'none' }, true, true],
  [{ origin: 'https://console.example' }, true, true],
  [{ origin: 'https://console.example:8443', 'sec-fetch-site': 'cross-site' }, true, true],
  [{ origin: 'https://console.example.elsewhere.example' }, false, false],
]

test('a page of another origin neither writes nor reads, whatever the type of its body', async () => {
  let serial = 0
  for (const [headers, post, get] of browsers) {
    const told = JSON.stringify(headers)
    for (const type of [undefined, 'text/plain', 'application/json']) {
      const sent = { ...headers, ...(type && { 'content-type': type }) }
      const body = { metadata: { name: `m${serial++}` } }
      const { status } = await wire.request({ method: 'POST', path: maps, headers: sent, body })
      assert.is(status, !post ? 403 : type === 'text/plain' ? 415 : 201, `${told} ${type}`)
    }
    const { status } = await wire.request({ path: maps, headers })
    assert.is(status, get ? 200 : 403, told)
  }
})

test('a websocket is held to the same hosts and origins', async () => {
  const upgrade = {
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const path = `${maps}?watch=true&timeoutSeconds=60`
  const statusOf = (headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const asked = request(`${wire.url}${path}`, {
        headers: { ...upgrade, ...headers },
        agent: false,
      })
      asked.on('error', reject)
      asked.on('response', (response) => resolve(response.resume().statusCode ?? 0))
      asked.on('upgrade', (_, socket) => {
        socket.destroy()
        resolve(101)
      })
      asked.end()
    })
  assert.is(await statusOf({}), 101)
  assert.is(await statusOf({ origin: wire.url }), 101)
  assert.is(await statusOf({ origin: 'https://console.example' }), 101)
  assert.is(await statusOf({ origin: foreign }), 403)
  const rebound = { host: 'elsewhere.example', origin: foreign }
  assert.is(await statusOf(rebound), 403)
})

const preflight: TestRequest = {
  method: 'OPTIONS',
  path: maps,
  headers: { origin: 'https://console.example', 'access-control-request-method': 'POST' },
}

test('an allowed origin is answered before its request, and reads the response', async () => {
  const before = await wire.request(preflight)
  assert.is(before.status, 204)
  assert.is(before.headers['content-length'], undefined)
  assert.is(before.headers['access-control-allow-origin'], 'https://console.example')
  assert.is(
    before.headers['access-control-allow-methods'],
    'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  )
  assert.is(before.headers['access-control-allow-credentials'], 'true')
  const { headers } = await wire.request({
    path: maps,
    headers: { origin: 'https://console.example' },
  })
  assert.is(headers['access-control-allow-origin'], 'https://console.example')
  assert.match(headers.vary ?? '', 'Origin')
})

test('without --cors-allowed-origins no origin is answered, and nobody is sent to HTTPS or away (R-20)', async () => {
  const { status, headers } = await closed.request(preflight)
  assert.is(status, 403)
  assert.is(headers['access-control-allow-origin'], undefined)
  const read = await closed.request({ path: maps })
  assert.is(read.status, 200)
  assert.is(read.headers['strict-transport-security'], undefined)
  assert.is(read.headers.connection, 'close', 'as the client asked')
})

test('an expression that would find the host of somebody else is refused', async () => {
  for (const pattern of ['example.com', '^https://example.com', 'example.com$', '(']) {
    const error = await originMatcher([pattern]).catch((thrown: Error) => thrown.message)
    assert.match(String(error), JSON.stringify(pattern))
  }
})

test('a request of the same process has no host', async () => {
  const headers = { host: 'elsewhere.example', origin: foreign }
  assert.is((await wire.server.dispatch({ method: 'GET', path: maps, headers })).status, 200)
})

test.run()
