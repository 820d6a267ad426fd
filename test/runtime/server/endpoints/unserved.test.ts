/** What a request for a path or a method that nothing serves is told: findings of clients depend on the form of it. */
import { suite } from 'uvu'
import { fits, startTestServer } from '../harness.ts'

const test = suite('runtime/server: unserved paths and methods')
const wire = await startTestServer()
test.after(() => wire.stop())

const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', details: {} }
const notFound = {
  ...status,
  message: 'the server could not find the requested resource',
  reason: 'NotFound',
  code: 404,
}
const notAllowed = {
  ...status,
  message: 'the server does not allow this method on the requested resource',
  reason: 'MethodNotAllowed',
  code: 405,
}
const plain = 'text/plain; charset=utf-8'

// E-21
for (const path of [
  '/api/v2',
  '/api/v1/unknown',
  '/api/v1/namespaces/default/pods/x/unknown',
  '/apis/apps/v9',
  '/apis/apps/v9/deployments',
  '/apis/apps/v1/unknown',
  '/apis/apps/v1/namespaces/x/unknown/y',
  '/version/x',
]) {
  test(`E-21: ${path} is a Status`, async () => {
    fits(await wire.request({ path }), {
      status: 404,
      headers: { 'content-type': 'application/json' },
      body: notFound,
    })
  })
}

// E-20
for (const path of [
  '/unknown',
  '/apis/unknown',
  '/apis/unknown/v1/foos',
  '//api/v1',
  '/apis/__proto__',
]) {
  test(`E-20: ${path} is a text`, async () => {
    const headers = { 'content-type': plain, 'x-content-type-options': 'nosniff' }
    fits(await wire.request({ path }), { status: 404, headers, body: '404 page not found\n' })
  })
}

for (const [method, path, allow] of [
  ['PUT', '/api/v1/pods', 'GET'],
  ['POST', '/api/v1/pods', 'GET'],
  ['DELETE', '/api/v1/namespaces', 'GET, POST'],
  ['PATCH', '/api/v1/namespaces/default/pods', 'GET, POST, DELETE'],
  ['POST', '/api/v1/namespaces/default/pods/x', 'GET, PUT, PATCH, DELETE'],
  ['POST', '/api', 'GET, HEAD'],
  ['POST', '/apis/apps/v1', 'GET, HEAD'],
  ['PUT', '/version', 'GET, HEAD'],
  ['OPTIONS', '/api/v1/pods', 'GET'],
] as const) {
  test(`E-20: ${method} ${path} is a Status that says which methods there are`, async () => {
    fits(await wire.request({ method, path }), {
      status: 405,
      headers: { 'content-type': 'application/json', allow },
      body: notAllowed,
    })
  })
}

test('E-20: the Status comes in the form that the client accepts', async () => {
  const headers = { accept: 'application/yaml' }
  const reply = await wire.request({ path: '/apis/apps/v9', headers })
  fits(reply, {
    status: 404,
    headers: { 'content-type': 'application/yaml' },
    body: /^apiVersion: v1$/m,
  })
})

test.run()
