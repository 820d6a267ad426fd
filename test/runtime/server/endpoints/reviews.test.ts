/** Questions over the wire: who the caller of a request is, and what is no way to ask. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fits, startTestServer } from '../harness.ts'

const test = suite('runtime/server: reviews')
const wire = await startTestServer({
  authenticator: {
    authenticate: ({ headers }) => ({
      user: { username: String(headers['x-who']), groups: ['dev'] },
    }),
  },
})
test.after(() => wire.stop())

const path = '/apis/authentication.orch.io/v1/selfsubjectreviews'
const headers = { 'content-type': 'application/json', 'x-who': 'jane' }

// N-13
test('the caller of the request is who the answer names', async () => {
  const reply = await wire.request({ method: 'POST', path, headers, body: {} })
  fits(reply, { status: 201, body: { kind: 'SelfSubjectReview' } })
  assert.equal(reply.json().status, { userInfo: { username: 'jane', groups: ['dev'] } })
})

test('a request inside the process is the server itself', async () => {
  const { 'x-who': _, ...json } = headers
  const { status, body } = await wire.server.dispatch({
    method: 'POST',
    path,
    headers: json,
    body: '{}',
  })
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  assert.is(status, 201)
  assert.match(Buffer.concat(chunks).toString(), '"username":"system:apiserver"')
})

test('an answer comes in protobuf, too', async () => {
  const type = 'application/vnd.orch.protobuf'
  const asking = { ...headers, accept: type }
  const reply = await wire.request({ method: 'POST', path, headers: asking, body: {} })
  fits(reply, { status: 201 })
  assert.is(reply.headers['content-type'], type)
  assert.ok(reply.bytes.includes('jane'))
})

test('questions are asked and never read, and have no hash of their storage', async () => {
  fits(await wire.request({ path, headers }), { status: 405 })
  fits(await wire.request({ path: `${path}/a`, headers }), { status: 404 })
  const group = await wire.request({ path: '/apis/authentication.orch.io/v1', headers })
  const { resources } = group.json() as {
    resources: readonly { name: string; verbs: readonly string[]; storageVersionHash?: string }[]
  }
  const row = resources.find(({ name }) => name === 'selfsubjectreviews')
  assert.equal([row?.verbs, row?.storageVersionHash], [['create'], undefined])
})

test.run()
