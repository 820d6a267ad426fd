import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fits, type Script, startTestServer } from '../harness.ts'

const test = suite('runtime/server: discovery, schema documents, health')
const wire = await startTestServer({
  checks: [
    {
      name: 'etcd',
      check() {
        if (storeDown) throw new Error('the store does not answer')
      },
    },
  ],
})
let storeDown = false
test.after(() => wire.stop())

const aggregated = 'application/json;g=apidiscovery.orch.io;v=v2beta1;as=APIGroupDiscoveryList'
const publicForm = aggregated.replace('orch.io', 'k8s.io')
const foreignForm = aggregated.replace('orch.io', 'example.com')
const plainText = 'text/plain; charset=utf-8'

const script: Script = [
  [
    'S-01: /api names the core versions',
    { path: '/api' },
    { status: 200, body: { kind: 'APIVersions', versions: ['v1'] } },
  ],
  [
    'S-02: /apis names the groups',
    { path: '/apis' },
    { status: 200, body: { kind: 'APIGroupList', apiVersion: 'v1' } },
  ],
  [
    'S-03: /apis/<group> is one group',
    { path: '/apis/apps' },
    { status: 200, body: { kind: 'APIGroup', name: 'apps' } },
  ],
  [
    'S-04: a version lists its resources',
    { path: '/api/v1' },
    { status: 200, body: { kind: 'APIResourceList', groupVersion: 'v1' } },
  ],
  [
    'S-05: the aggregated form repeats its type',
    { path: '/apis', headers: { accept: `${aggregated},application/json` } },
    {
      status: 200,
      headers: { 'content-type': aggregated, 'cache-control': 'public', vary: 'Accept' },
    },
  ],
  [
    'S-05: public clients find it under the name they know',
    { path: '/apis', headers: { accept: `${publicForm},application/json` } },
    {
      status: 200,
      headers: { 'content-type': publicForm },
      body: { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2beta1' },
    },
  ],
  [
    'S-06: of a form that nobody serves, plain JSON is what comes next',
    { path: '/apis', headers: { accept: `${foreignForm},application/json` } },
    { status: 200, body: { kind: 'APIGroupList' } },
  ],
  [
    'S-05: version 2 is served to those who ask for it first',
    { path: '/api', headers: { accept: `${aggregated.replace('v2beta1', 'v2')},${aggregated}` } },
    { status: 200, body: { apiVersion: 'apidiscovery.orch.io/v2' } },
  ],
  [
    'S-06: whoever wants plain JSON first gets it',
    { path: '/apis', headers: { accept: `application/json,${aggregated}` } },
    { status: 200, body: { kind: 'APIGroupList' } },
  ],
  [
    'S-16: /version',
    { path: '/version' },
    { status: 200, body: { major: '1', minor: '29', gitVersion: 'v1.29.0' } },
  ],
  [
    'S-16: /version is JSON that is laid out for people',
    { path: '/version', headers: { 'user-agent': 'a-program' } },
    { status: 200, body: /^\{\n {2}"major": "1",\n/ },
  ],
  [
    'S-16: /version has no other form',
    { path: '/version', headers: { accept: 'application/yaml' } },
    { status: 406 },
  ],
  [
    'S-17: / lists paths in JSON, whatever the client accepts',
    { path: '/', headers: { accept: 'text/html' } },
    { status: 200, body: /^\{\n {2}"paths": \[\n {4}"\/api",\n[\s\S]*"\/apis\/apps\/v1",\n/ },
  ],
  [
    'an unknown group is a plain 404 (E-20)',
    { path: '/apis/nope' },
    { status: 404, body: '404 page not found\n', headers: { 'content-type': plainText } },
  ],
  [
    'discovery is read only',
    { method: 'POST', path: '/apis', body: {} },
    { status: 405, headers: { allow: 'GET, HEAD' } },
  ],
  [
    'H-01: health is a bare ok (A4.70)',
    { path: '/healthz' },
    {
      status: 200,
      body: 'ok',
      headers: { 'content-type': plainText, 'x-content-type-options': 'nosniff' },
    },
  ],
  [
    'H-02, D-05: verbose health lists its checks (A4.74)',
    { path: '/livez?verbose' },
    { status: 200, body: '[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n' },
  ],
  [
    'D-05: the last line names the endpoint',
    { path: '/healthz?verbose' },
    { status: 200, body: /\nhealthz check passed\n$/ },
  ],
  [
    'H-02: a check can be left out (A4.74)',
    { path: '/readyz?verbose&exclude=etcd' },
    { status: 200, body: /\[\+\]etcd excluded: ok\n[\s\S]*readyz check passed\n$/ },
  ],
  [
    'H-02: leaving out an unknown check warns',
    { path: '/healthz?verbose&exclude=x' },
    { status: 200, body: /warn: some health checks cannot be excluded: no matches for "x"/ },
  ],
  ['H-04: one check has a path (A4.73)', { path: '/livez/etcd' }, { status: 200, body: 'ok' }],
  ['H-04: an unknown check is a 404', { path: '/livez/nope' }, { status: 404 }],
]

test('S-17: / lists each health check, and schema documents by their root alone', async () => {
  const reply = await wire.request({ path: '/' })
  const { paths } = reply.json() as { paths: string[] }
  assert.equal(paths, [...paths].sort())
  for (const path of [
    '/apis/',
    '/healthz/etcd',
    '/livez/etcd',
    '/openapi/v3/',
    '/readyz/shutdown',
  ]) {
    assert.ok(paths.includes(path), path)
  }
  assert.not(paths.includes('/livez/shutdown'))
  assert.not(paths.some((path) => path.startsWith('/openapi/v3/api')))
})

for (const media of ['application/yaml', 'application/vnd.orch.protobuf']) {
  test(`S-05: the aggregated form comes as ${media}`, async () => {
    const accept = aggregated.replace('application/json', media)
    const reply = await wire.request({ path: '/apis', headers: { accept } })
    fits(reply, { status: 200, headers: { 'content-type': accept } })
    assert.match(reply.text, /APIGroupDiscoveryList/)
    assert.match(reply.text, /deployments/)
  })
}

for (const [fact, request, expected] of script) {
  test(fact, async () => fits(await wire.request(request), expected))
}

test('H-03: a failing check makes a listing and a 500 without its reason', async () => {
  storeDown = true
  const reply = await wire.request({ path: '/livez' })
  const one = await wire.request({ path: '/livez/etcd' })
  storeDown = false
  fits(reply, {
    status: 500,
    body: '[+]ping ok\n[+]log ok\n[-]etcd failed: reason withheld\nlivez check failed\n',
  })
  fits(one, { status: 500, body: 'internal server error: the store does not answer\n' })
})

test('S-07: aggregated discovery is not sent twice', async () => {
  const headers = { accept: aggregated }
  const first = await wire.request({ path: '/apis', headers })
  const etag = String(first.headers.etag)
  assert.match(etag, /^"[0-9A-F]{128}"$/)
  const again = await wire.request({
    path: '/apis',
    headers: { ...headers, 'if-none-match': etag },
  })
  fits(again, { status: 304, body: '' })
})

test('S-10, S-11: schema documents are found by hash and may be kept', async () => {
  const index = await wire.request({ path: '/openapi/v3' })
  const { paths } = index.json() as { paths: Record<string, { serverRelativeURL: string }> }
  const url = paths['apis/apps/v1']?.serverRelativeURL ?? ''
  assert.match(url, /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/)
  const kept = await wire.request({ path: url })
  fits(kept, {
    status: 200,
    headers: { 'cache-control': 'public, immutable' },
    body: { openapi: /^3\.0/ },
  })
  const { date, expires } = kept.headers
  assert.ok(Date.parse(String(expires)) > Date.parse(String(date)) + 300 * 86_400_000)
  const stale = await wire.request({ path: '/openapi/v3/apis/apps/v1?hash=00' })
  fits(stale, { status: 301, headers: { location: url } })
  const unnamed = await wire.request({ path: '/openapi/v3/apis/apps/v1' })
  fits(unnamed, { status: 200, headers: { 'cache-control': 'no-cache, private' } })
})

test('S-10: discovery and version have documents too, and 304 spares what is known', async () => {
  const index = await wire.request({ path: '/openapi/v3' })
  const { paths } = index.json() as { paths: Record<string, { serverRelativeURL: string }> }
  for (const key of ['api', 'apis', 'version', 'apis/apps', 'api/v1', 'apis/apps/v1']) {
    const { status, json } = await wire.request({ path: paths[key]?.serverRelativeURL ?? '' })
    assert.is(status, 200, key)
    assert.match(String(json().openapi), /^3\.0/)
  }
  const headers = { 'if-none-match': String(index.headers.etag) }
  fits(await wire.request({ path: '/openapi/v3', headers }), { status: 304, body: '' })
})

test('S-12: documents carry extensions under our own and the public prefix', async () => {
  const { text } = await wire.request({ path: '/openapi/v3/apis/apps/v1' })
  for (const prefix of ['x-orch-', 'x-kubernetes-']) {
    assert.ok(text.includes(`"${prefix}group-version-kind":[{"group":"apps","kind":"Deployment"`))
    assert.ok(text.includes(`"${prefix}list-map-keys":`))
  }
})

test('S-09: the old schema document comes in both forms', async () => {
  const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
  const binary = await wire.request({ path: '/openapi/v2', headers: { accept } })
  fits(binary, {
    status: 200,
    headers: { 'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
  })
  fits(await wire.request({ path: '/openapi/v2' }), { status: 200, body: { swagger: '2.0' } })
})

test('H-06: readyz fails as soon as shutdown begins, livez does not', async () => {
  const other = await startTestServer()
  other.server.drain()
  fits(await other.request({ path: '/readyz' }), { status: 500, body: /\[-\]shutdown failed/ })
  fits(await other.request({ path: '/livez' }), { status: 200, body: 'ok' })
  await other.stop()
})

test.run()
