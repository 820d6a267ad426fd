import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fits, startTestServer, type TestRequest } from '../harness.ts'

const test = suite('runtime/server: orders and connections')
const wire = await startTestServer()
test.after(() => wire.stop())

const core = '/api/v1/namespaces/default'
const json = { 'content-type': 'application/json' }
const to = (node: string) => ({ target: { kind: 'Node', name: node } })

function post(path: string, body: unknown): TestRequest {
  return { method: 'POST', path, headers: json, body }
}

test.before(async () => {
  for (const name of ['a', 'b']) {
    const spec = { containers: [{ name: 'main', image: 'example/app:1' }] }
    fits(await wire.request(post(`${core}/pods`, { metadata: { name }, spec })), { status: 201 })
  }
})

test('a binding posted to its collection binds the pod of its name', async () => {
  const order = { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'a' }, ...to('worker') }
  const done = { kind: 'Status', status: 'Success', code: 201 }
  fits(await wire.request(post(`${core}/bindings`, order)), { status: 201, body: done })
  const pod = { spec: { nodeName: 'worker' } }
  fits(await wire.request({ path: `${core}/pods/a` }), { status: 200, body: pod })
})

test('a binding in the collection fails as one at the pod does', async () => {
  const again = post(`${core}/bindings`, { metadata: { name: 'a' }, ...to('other') })
  fits(await wire.request(again), {
    status: 409,
    body: { reason: 'Conflict', message: /pod a is already assigned to node "worker"$/ },
  })
  const absent = post(`${core}/bindings`, { metadata: { name: 'none' }, ...to('worker') })
  fits(await wire.request(absent), { status: 404, body: { message: 'pods "none" not found' } })
  const nameless = post(`${core}/bindings`, to('worker'))
  fits(await wire.request(nameless), {
    status: 422,
    body: { message: /^Binding "" is invalid: metadata.name: Required value/ },
  })
  const nowhere = post(`${core}/bindings`, { metadata: { name: 'b' }, target: { kind: 'Pod' } })
  fits(await wire.request(nowhere), {
    status: 422,
    body: { message: /target.kind: Unsupported value/ },
  })
})

test('a dry run of a binding binds nothing', async () => {
  const order = { metadata: { name: 'b' }, ...to('worker') }
  fits(await wire.request(post(`${core}/bindings?dryRun=All`, order)), { status: 201 })
  const pod = (await wire.request({ path: `${core}/pods/b` })).json() as { spec: object }
  assert.not('nodeName' in pod.spec)
})

test('orders are made and never read', async () => {
  fits(await wire.request({ path: `${core}/bindings` }), { status: 405 })
  fits(await wire.request({ path: `${core}/bindings/a` }), { status: 404 })
  const { resources } = (await wire.request({ path: '/api/v1' })).json() as {
    resources: readonly { name: string; verbs: readonly string[]; storageVersionHash?: string }[]
  }
  const row = resources.find(({ name }) => name === 'bindings')
  assert.equal(row?.verbs, ['create'])
  assert.is(row?.storageVersionHash, undefined)
})

test('a server that reaches no node says so, and only methods that connect are known (I-06)', async () => {
  const unavailable = { status: 503, body: { reason: 'ServiceUnavailable' } }
  for (const sub of ['exec', 'attach', 'portforward']) {
    for (const method of ['GET', 'POST']) {
      fits(await wire.request({ method, path: `${core}/pods/b/${sub}` }), unavailable)
    }
    for (const method of ['PUT', 'DELETE']) {
      fits(await wire.request({ method, path: `${core}/pods/b/${sub}` }), { status: 405 })
    }
  }
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
    fits(await wire.request({ method, path: `${core}/pods/b/proxy` }), unavailable)
  }
  fits(await wire.request({ path: `${core}/pods/b` }), { status: 200 })
})

test.run()
