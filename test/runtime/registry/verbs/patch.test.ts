import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { PatchType } from '../../../../runtime/registry/registry.ts'
import { decodeJson } from '../../../../runtime/serializer/serializer.ts'
import {
  body,
  deployment,
  deployments,
  inDefault,
  type OpenRegistry,
  openRegistry,
  quiet,
} from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'

const patches = suite<OpenRegistry>('runtime/registry/verbs/patch')

patches.before(async (context) => {
  Object.assign(context, await openRegistry())
  const { registry } = context
  await registry.create(inDefault(deployments), body(deployment('web')), quiet)
})
patches.after(({ close }) => close())

function patch({ registry }: OpenRegistry, type: PatchType, value: unknown) {
  return registry.patch(inDefault(deployments, 'web'), type, body(value), quiet)
}

patches(
  'a container that a strategic patch adds keeps all its ports and variables',
  async (opened) => {
    const dns = {
      name: 'dns',
      image: 'dns',
      ports: ['UDP', 'TCP'].map((protocol) => ({ containerPort: 53, protocol })),
      env: ['1', '2'].map((value) => ({ name: 'E', value })),
    }
    const { item } = await patch(opened, 'strategic', {
      spec: { template: { spec: { containers: [dns] } } },
    })
    const { containers } = JSON.parse(Buffer.from(item.bytes).toString()).spec.template.spec
    const { ports, env } = containers.find(({ name }: { name: string }) => name === 'dns')
    assert.equal(ports, dns.ports)
    assert.equal(env, dns.env)
  },
)

patches('a strategic patch of the wrong type is shown itself, with the type', async (opened) => {
  const container = (more: object) => ({
    spec: { template: { spec: { containers: [{ name: 'web', ...more }] } } },
  })
  const cases: readonly [object, string, string][] = [
    [
      { metadata: { labels: 'x' } },
      'map[metadata:map[labels:x]]',
      'cannot restore map from string',
    ],
    [{ spec: 'x' }, 'map[spec:x]', 'cannot restore struct from: string'],
    [{ spec: { replicas: 'x' } }, 'map[spec:map[replicas:x]]', 'unrecognized type: int32'],
    [{ spec: { replicas: 1.5 } }, 'map[spec:map[replicas:1.5]]', 'cannot convert float64 to int32'],
    [{ spec: { paused: 'x' } }, 'map[spec:map[paused:x]]', 'unrecognized type: bool'],
    [
      container({ image: 5 }),
      'map[spec:map[template:map[spec:map[containers:[map[image:5 name:web]]]]]]',
      'cannot convert int64 to string',
    ],
    [
      container({ env: {} }),
      'map[spec:map[template:map[spec:map[containers:[map[env:map[] name:web]]]]]]',
      'cannot restore slice from map',
    ],
  ]
  for (const [value, shown, why] of cases) {
    const { message, details } = await assertRejects(patch(opened, 'strategic', value), 'Invalid')
    assert.is(message, ` "" is invalid: patch: Invalid value: "${shown}": ${why}`)
    assert.equal(Object.keys(details ?? {}), ['causes'])
  }
})

patches(
  'in a patch that is text an integer has no fraction, wherever it stands',
  async (opened) => {
    const { registry } = opened
    const send = (type: PatchType, text: string) =>
      registry.patch(inDefault(deployments, 'web'), type, decodeJson(text), quiet)
    const wrong = (type: PatchType, text: string) => assertRejects(send(type, text), 'Invalid')
    const want =
      /json: cannot unmarshal number 1\.0 into Go struct field DeploymentSpec\.spec\.replicas of type int32$/
    assert.match((await wrong('merge', '{"spec":{"replicas":1.0}}')).message, want)
    for (const [path, value] of [
      ['/spec/replicas', '1.0'],
      ['/spec', '{"replicas":1.0}'],
    ]) {
      const text = `[{"op":"replace","path":"${path}","value":${value}}]`
      assert.match((await wrong('json', text)).message, want)
    }
    await send('strategic', '{"spec":{"replicas":1.0}}')
    await send('merge', '{"metadata":{"unknown":1.0}}')
  },
)

patches('the patched document is shown with sorted keys where the patch went', async (opened) => {
  const { message } = await assertRejects(
    patch(opened, 'merge', { spec: { replicas: 'x', paused: true } }),
    'Invalid',
  )
  assert.match(
    message,
    /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"apps\/v1\\",\\"kind\\":/,
  )
  const keys = ['paused', 'progressDeadlineSeconds', 'replicas', 'revisionHistoryLimit', 'selector']
  const places = keys.map((key) => message.indexOf(`\\"${key}\\":`))
  assert.equal(
    places,
    places.toSorted((a, b) => a - b),
  )
})

patches('a body that is no patch is a bad request, null excepted', async (opened) => {
  const cases: readonly [PatchType, unknown, string][] = [
    ['strategic', [], 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      'merge',
      'x',
      'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}',
    ],
    ['merge', null, 'Invalid JSON Patch'],
  ]
  for (const [type, value, message] of cases) {
    assert.is((await assertRejects(patch(opened, type, value), 'BadRequest')).message, message)
  }
  assert.not.ok((await patch(opened, 'strategic', null)).created)
})

patches.run()
