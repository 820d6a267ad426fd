import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { enabledGatesOf } from '../../../../runtime/kernel/descriptors/enabled-gates.ts'
import {
  createRegistry,
  type Registry,
  type WriteResult,
} from '../../../../runtime/registry/registry.ts'
import { body, deployments, inDefault, openRegistry, quiet } from '../../../support/registry.ts'
import { startTestServer, type TestRequest, type TestServer } from '../harness.ts'

/** Feature gates switch fields of the schema (document 1, section 3: A3.5, A3.6). */
const test = suite<{ off: TestServer; on: TestServer }>('runtime/server: gated fields')

const gate = 'InPlacePodVerticalScaling'
const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }]
const pods = '/api/v1/namespaces/default/pods'

test.before(async (wires) => {
  wires.off = await startTestServer({
    gates: new Set([...enabledGatesOf(scheme)].filter((one) => one !== gate)),
  })
  wires.on = await startTestServer({ gates: new Set([...enabledGatesOf(scheme), gate]) })
})
test.after(async ({ off, on }) => {
  await off.stop()
  await on.stop()
})

const pod = (name: string, more: object = { resizePolicy }) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    containers: [
      { name: 'a', image: 'x' },
      { name: 'b', image: 'x', ...more },
    ],
  },
})

const patched = (name: string, type: string, body: unknown): TestRequest => ({
  method: 'PATCH',
  path: `${pods}/${name}${type.startsWith('apply') ? '?fieldManager=me&force=true' : ''}`,
  headers: { 'content-type': `application/${type}` },
  body,
})

interface Shown {
  readonly spec: { readonly containers: readonly { readonly resizePolicy?: unknown }[] }
}

async function policies(wire: TestServer, request: TestRequest): Promise<readonly unknown[]> {
  const reply = await wire.request(request)
  assert.ok(reply.status < 300, reply.text)
  return (reply.json() as unknown as Shown).spec.containers.map((one) => one.resizePolicy)
}

const post = (body: unknown): TestRequest => ({ method: 'POST', path: pods, body })

test('a gate that nobody named is at its default', () => {
  assert.not.ok(enabledGatesOf(scheme).has(gate))
  assert.ok(enabledGatesOf(scheme).has('PodSchedulingReadiness'))
})

test('create drops a field whose gate is off, inside lists too', async ({ off, on }) => {
  assert.equal(await policies(off, post(pod('made'))), [undefined, undefined])
  assert.equal(await policies(on, post(pod('made'))), [undefined, resizePolicy])
  const { spec } = (await off.request({ path: `${pods}/made` })).json() as { spec?: unknown }
  assert.not.match(JSON.stringify(spec), 'resizePolicy')
})

test('what is wrong with a field that is dropped is wrong no more', async ({ off, on }) => {
  const wrong = { resizePolicy: [{ resourceName: 'cpu' }, { resourceName: 'cpu' }] }
  assert.is((await on.request(post(pod('wrong', wrong)))).status, 422)
  assert.equal(await policies(off, post(pod('wrong', wrong))), [undefined, undefined])
})

test('update, every patch and apply drop it', async ({ off }) => {
  const name = 'changed'
  await off.request(post(pod(name, {})))
  const containers = [{ name: 'b', resizePolicy }]
  const changes: readonly TestRequest[] = [
    { method: 'PUT', path: `${pods}/${name}`, body: pod(name) },
    patched(name, 'strategic-merge-patch+json', { spec: { containers } }),
    patched(name, 'merge-patch+json', { spec: pod(name).spec }),
    patched(name, 'json-patch+json', [
      { op: 'add', path: '/spec/containers/1/resizePolicy', value: resizePolicy },
    ]),
    patched(name, 'apply-patch+yaml', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers },
    }),
  ]
  for (const change of changes) {
    const { headers } = change
    assert.equal(await policies(off, change), [undefined, undefined], headers?.['content-type'])
  }
})

test('apply of a new object drops it', async ({ off }) => {
  assert.equal(await policies(off, patched('applied', 'apply-patch+yaml', pod('applied'))), [
    undefined,
    undefined,
  ])
})

test('an object that was stored with the field keeps it, whatever the gate says now', async () => {
  const { store, close } = await openRegistry()
  const [on, off] = [[gate], []].map((more) =>
    createRegistry({
      store,
      scheme,
      clock: systemClock,
      gates: new Set([...enabledGatesOf(scheme), ...more]),
    }),
  ) as [Registry, Registry]
  const spec = (image: string, policy?: object) => ({
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: { containers: [{ name: 'a', image, ...policy }] },
    },
  })
  const sent = (image: string, policy?: object) =>
    body({ metadata: { name: 'x' }, spec: spec(image, policy) })
  const shown = ({ item }: WriteResult) => JSON.stringify(item.object()).includes('"resizePolicy":')
  try {
    assert.ok(shown(await on.create(inDefault(deployments), sent('a', { resizePolicy }), quiet)))
    const target = inDefault(deployments, 'x')
    assert.ok(shown(await off.update(target, sent('b', { resizePolicy }), quiet)), 'kept')
    assert.not.ok(shown(await off.update(target, sent('c'), quiet)), 'taken away by its client')
    assert.not.ok(shown(await off.update(target, sent('d', { resizePolicy }), quiet)), 'for good')
  } finally {
    await close()
  }
})

test.run()
