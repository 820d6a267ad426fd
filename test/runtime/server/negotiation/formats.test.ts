/** Kinds without protobuf numbers, and YAML wherever JSON is taken. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../examples/operator/generated/scheme.ts'
import { type ControlPlane, startControlPlane } from '../../../../runtime/testing/testing.ts'

const tests = suite('runtime/server: formats')
const binary = 'application/vnd.orch.protobuf'
const yaml = 'application/yaml'
let plane: ControlPlane

tests.before(async () => {
  plane = await startControlPlane({ schemes: [scheme] })
})
tests.after(() => plane.stop())

type Method = 'DELETE' | 'GET' | 'POST' | 'PUT'

async function ask(method: Method, path: string, headers: Record<string, string>, body?: string) {
  const request = { method, path, headers, ...(body !== undefined && { body }) }
  const response = await plane.transport.send(request)
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return { status: response.status, type: response.headers['content-type'], text }
}

const [own = ''] = Object.keys(scheme.routes)

tests('a kind without numbers is answered in the next format, or not at all', async () => {
  // M-01 A4.50 A4.51
  const fallback = await ask('GET', `/${own}`, { accept: `${binary},application/json` })
  assert.equal([fallback.status, fallback.type], [200, 'application/json'])
  assert.is((await ask('GET', `/${own}`, { accept: binary })).status, 406)
  const space = own.replace(/([^/]+)$/, 'namespaces/default/$1')
  const sent = await ask('POST', `/${space}`, { 'content-type': binary }, 'k8s\0')
  assert.is(sent.status, 415)
  assert.match(sent.text, /accepted media types include: application\/json, application\/yaml"/)
})

const maps = '/api/v1/namespaces/default/configmaps'

tests('an object is written, replaced and deleted in YAML, and answered in it', async () => {
  // M-01 M-17 R-09 R-13
  const headers = { 'content-type': yaml, accept: yaml }
  const text = (value: string) => `kind: ConfigMap\nmetadata: {name: made}\ndata:\n  a: ${value}\n`
  const created = await ask('POST', maps, headers, text("'1'"))
  assert.equal([created.status, created.type], [201, yaml])
  assert.match(created.text, /^apiVersion: v1\ndata:\n {2}a: "1"\nkind: ConfigMap\nmetadata:\n/)
  const replaced = await ask(
    'PUT',
    `${maps}/made`,
    headers,
    `${text('text')}---\nanother: document\n`,
  )
  assert.is(replaced.status, 200)
  assert.match(replaced.text, '\n  a: text\n')
  const options = 'kind: DeleteOptions\npreconditions: {uid: other}\n'
  const refused = await ask('DELETE', `${maps}/made`, headers, options)
  assert.equal([refused.status, refused.type], [409, yaml])
  assert.match(refused.text, '\nreason: Conflict\n')
  const deleted = await ask('DELETE', `${maps}/made`, headers, 'propagationPolicy: Background\n')
  assert.is(deleted.status, 200)
  assert.match(deleted.text, '\nstatus: Success\n')
})

tests('what one format writes, the others read', async () => {
  // A1.6 A9.2
  const body = JSON.stringify({ metadata: { name: 'all' }, data: { text: 'yes\n- no: 012\n' } })
  await ask('POST', maps, {}, body)
  const inYaml = await ask('GET', `${maps}/all`, { accept: yaml })
  const again = await ask('PUT', `${maps}/all`, { 'content-type': yaml }, inYaml.text)
  const inJson = await ask('GET', `${maps}/all`, {})
  assert.is(again.status, 200)
  assert.is(again.text, inJson.text)
})

tests('lists, tables and discovery come in YAML', async () => {
  const list = await ask('GET', maps, { accept: yaml })
  assert.match(list.text, '\nkind: ConfigMapList\n')
  const table = await ask('GET', maps, { accept: `${yaml};as=Table;g=meta.orch.io;v=v1` })
  assert.match(table.text, '\nkind: Table\n')
  assert.match((await ask('GET', '/apis', { accept: yaml })).text, '\nkind: APIGroupList\n')
})

tests.run()
