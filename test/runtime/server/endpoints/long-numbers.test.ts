/** Numbers of 64 bits that a client may send are counted with, and stop nothing. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startTestServer } from '../harness.ts'

const tests = suite('runtime/server: numbers of 64 bits')
const wire = await startTestServer({})
tests.after(() => wire.stop())

const most = '9223372036854775807'
const maps = '/api/v1/namespaces/default/configmaps'
const pods = '/api/v1/namespaces/default/pods'
const json = { 'content-type': 'application/json' }

/** Sends a text, and gives the object of the answer as a text: its numbers are longer than a number here can be. */
async function sent(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: string) {
  const reply = await wire.request({ method, path, ...(body && { body, headers: json }) })
  assert.ok(reply.status < 300, reply.text)
  return reply.text
}

const map = (rest: string) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","generation":${most},"finalizers":["a/b"]}${rest}}`
const pod = (name: string, grace: string) =>
  `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}"},"spec":{"nodeName":"n","terminationGracePeriodSeconds":${grace},` +
  `"containers":[{"name":"a","image":"a"}]}}`

tests('a generation of a sender stays, and wraps around in a deletion', async () => {
  assert.match(await sent('POST', maps, map('')), `"generation":${most}`)
  assert.match(await sent('PUT', `${maps}/a`, map(',"data":{"a":"b"}')), `"generation":${most}`)
  assert.match(await sent('DELETE', `${maps}/a`), '"generation":-9223372036854775808')
})

tests('a period of grace has any length, and can be shortened', async () => {
  await sent('POST', pods, pod('a', most))
  const marked = await sent('DELETE', `${pods}/a`)
  assert.match(marked, `"deletionGracePeriodSeconds":${most}`)
  assert.match(marked, '"deletionTimestamp":"9999-12-31T23:59:59Z"')
  const shorter = await sent('DELETE', `${pods}/a?gracePeriodSeconds=5`)
  assert.match(shorter, '"deletionGracePeriodSeconds":5')
  const [, end = ''] = /"deletionTimestamp":"([^"]*)"/.exec(shorter) ?? []
  assert.ok(Math.abs(Date.parse(end) - Date.now()) < 3_600_000, end)
  await sent('DELETE', `${pods}/a?gracePeriodSeconds=0`)
})

tests('so has one that the body of a deletion asks for', async () => {
  await sent('POST', pods, pod('b', '30'))
  const body = `{"gracePeriodSeconds":${most}}`
  assert.match(await sent('DELETE', `${pods}/b`, body), `"deletionGracePeriodSeconds":${most}`)
  const more = '{"gracePeriodSeconds":9223372036854775808}'
  const reply = await wire.request({
    method: 'DELETE',
    path: `${pods}/b`,
    body: more,
    headers: json,
  })
  assert.is(reply.status, 400)
})

tests.run()
