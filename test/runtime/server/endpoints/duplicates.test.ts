/** Items of keyed lists that stand twice in objects of built-in kinds. F-10, A-02, C-12 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fits, startTestServer, type TestRequest, type TestResponse } from '../harness.ts'

const test = suite('runtime/server: duplicates')

const wire = await startTestServer()
test.after(() => wire.stop())

const pods = '/api/v1/namespaces/default/pods'
const apps = '/apis/apps/v1/namespaces/default'
const json = { 'content-type': 'application/json' }
const port = { containerPort: 80 }
const labels = { app: 'a' }

const twice = {
  name: 'main',
  image: 'a',
  env: [
    { name: 'A', value: '1' },
    { name: 'A', value: '2' },
  ],
  ports: [port, port],
}
const hidden = 'env[1]: hides previous definition of "A"'

function said({ headers }: TestResponse): readonly string[] {
  const texts = String(headers.warning ?? '').split(/, (?=299 )/)
  return texts
    .filter((one) => one !== '')
    .map((one) => one.slice('299 - "'.length, -1).replaceAll('\\"', '"'))
}

function pod(name: string, spec: object): TestRequest {
  return { method: 'POST', path: pods, headers: json, body: { metadata: { name }, spec } }
}

function deployment(name: string, container: object, more: object = {}) {
  const template = { metadata: { labels }, spec: { containers: [container] } }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template, ...more },
  }
}

const rows: readonly (readonly [string, object, readonly string[]])[] = [
  [
    'of a container',
    { containers: [twice] },
    [
      `spec.containers[0].${hidden}`,
      'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
    ],
  ],
  [
    'of several containers',
    {
      initContainers: [{ name: 'first', image: 'a', ports: [{ ...port, hostPort: 80 }] }],
      containers: [
        { name: 'main', image: 'a', ports: [port] },
        { name: 'other', image: 'a', ports: [{ ...port, hostPort: 80, hostIP: '10.0.0.1' }] },
        { name: 'udp', image: 'a', ports: [{ ...port, protocol: 'UDP' }] },
      ],
    },
    [
      'spec.containers[0].ports[0]: overlapping port definition with spec.initContainers[0].ports[0]',
      'spec.containers[1].ports[0]: dangerously ambiguous port definition with spec.initContainers[0].ports[0]',
      'spec.containers[1].ports[0]: overlapping port definition with spec.containers[0].ports[0]',
    ],
  ],
  [
    'of the pod',
    {
      containers: [{ name: 'main', image: 'a' }],
      hostAliases: [{ ip: '1.2.3.4' }, { ip: '1.2.3.4' }],
      imagePullSecrets: [{ name: 's' }, { name: 's' }],
    },
    [
      'spec.hostAliases[1].ip: duplicate ip "1.2.3.4"',
      'spec.imagePullSecrets[1].name: duplicate name "s"',
    ],
  ],
  [
    'that are none: a value made of the one before it, a port of another protocol or address',
    {
      containers: [
        {
          name: 'main',
          image: 'a',
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '$(A):2' },
          ],
          ports: [
            { ...port, hostPort: 80, hostIP: '10.0.0.1' },
            { ...port, hostPort: 80, hostIP: '10.0.0.2' },
            { ...port, protocol: 'UDP' },
          ],
        },
      ],
    },
    [],
  ],
]

for (const [index, [fact, spec, want]] of rows.entries()) {
  test(`a new pod is told of duplicates ${fact}`, async () => {
    const reply = await wire.request(pod(`p${index}`, spec))
    assert.is(reply.status, 201, reply.text)
    assert.equal(said(reply), want)
  })
}

test('a template is told of when it is new and when the spec or the annotations change, not otherwise', async () => {
  const path = `${apps}/deployments`
  const at = 'spec.template.spec.containers[0]'
  const want = [`${at}.${hidden}`, `${at}.ports[1]: duplicate port definition with ${at}.ports[0]`]
  const made = await wire.request({
    method: 'POST',
    path,
    headers: json,
    body: deployment('told', twice),
  })
  assert.is(made.status, 201, made.text)
  assert.equal(said(made), want)
  const put = (more: object, annotations: object = {}) => ({
    method: 'PUT',
    path: `${path}/told`,
    headers: json,
    body: { ...deployment('told', twice, more), metadata: { name: 'told', annotations } },
  })
  assert.equal(said(await wire.request(put({}, { a: 'b' }))), want)
  assert.equal(said(await wire.request(put({}, { a: 'b' }))), [])
  assert.equal(said(await wire.request(put({ replicas: 2 }))), want)
})

test('an intent that states items twice is refused', async () => {
  const reply = await wire.request(applied('stated', deployment('stated', twice), 'me'))
  fits(reply, { status: 500, body: { message: /duplicate entries for key/ } })
})

test('what is stored twice stays, until somebody who states it puts one in its place', async () => {
  await wire.request({
    method: 'POST',
    path: `${apps}/deployments`,
    headers: json,
    body: deployment('stored', twice),
  })
  const { image: _, ...bare } = { name: 'main', image: 'a' }
  const other = await wire.request(applied('stored', deployment('stored', bare), 'other'))
  assert.is(other.status, 200, other.text)
  assert.equal(portsOf(other).length, 2)
  const one = { ...bare, ports: [{ ...port, protocol: 'TCP', name: 'web' }] }
  const stating = await wire.request(applied('stored', deployment('stored', one), 'me', true))
  assert.is(stating.status, 200, stating.text)
  assert.equal(portsOf(stating), [{ name: 'web', containerPort: 80, protocol: 'TCP' }])
})

test('a list of ten thousand equal ports is told of in bounds', async () => {
  const many = { name: 'main', image: 'a', ports: new Array(10_000).fill(port) }
  const reply = await wire.request(pod('many', { containers: [many] }))
  assert.is(reply.status, 201, reply.text.slice(0, 300))
  assert.ok(said(reply).length > 10 && said(reply).length <= 100)
})

function applied(name: string, body: object, manager: string, force = false): TestRequest {
  const query = `fieldManager=${manager}${force ? '&force=true' : ''}`
  return {
    method: 'PATCH',
    path: `${apps}/deployments/${name}?${query}`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body,
  }
}

interface Ported {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly { readonly ports: readonly object[] }[] }
    }
  }
}

function portsOf(reply: TestResponse): readonly object[] {
  const { spec } = reply.json() as unknown as Ported
  return spec.template.spec.containers[0]?.ports ?? []
}

test.run()
