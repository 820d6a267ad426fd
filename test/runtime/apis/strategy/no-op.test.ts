import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { strategiesOf } from '../../../../runtime/apis/apis.ts'
import { defaultEnabledGates } from '../../../../runtime/kernel/descriptors/enabled-gates.ts'
import type { AnyKind } from '../../../../runtime/kernel/descriptors/kind.ts'
import type { ApiObject } from '../../../../runtime/kernel/meta/object.ts'
import { deployment, deployments, kindAt, namespaces, pods } from '../../../support/registry.ts'
import type { Given } from '../outcome.ts'
import { stored, writing } from '../tables.ts'

const test = writing('runtime/apis: writing again')

const spec = {
  containers: [
    {
      name: 'main',
      image: 'a',
      resources: { limits: { cpu: '1' } },
      ports: [{ containerPort: 1 }],
    },
  ],
  volumes: [{ name: 'tmp' }],
  serviceAccountName: 'a',
  hostNetwork: true,
}
const objects: readonly [name: string, kind: AnyKind, given: Given][] = [
  ['a pod', pods, { spec }],
  ['a deployment', deployments, { spec: deployment('web').spec }],
  [
    'a service',
    kindAt('api/v1/services'),
    { spec: { type: 'LoadBalancer', ports: [{ port: 80 }], sessionAffinity: 'ClientIP' } },
  ],
  ['a namespace', namespaces, {}],
  ['a node', kindAt('api/v1/nodes'), { spec: { podCIDR: '10.0.0.0/24' } }],
  ['a secret', kindAt('api/v1/secrets'), { stringData: { a: 'b' } }],
]

for (const [name, kind, given] of objects) {
  // W-05
  test(`${name} sent back as it was read is not written again`, async ({ writer }) => {
    const object = stored(await writer.create(kind, given))
    const again = stored(await writer.put(kind, object))
    assert.is(again.metadata.resourceVersion, object.metadata.resourceVersion)
  })

  test(`${name} that has its defaults is left as it is`, async ({ writer }) => {
    const object = stored(await writer.create(kind, given)) as unknown as ApiObject
    const context = { platform: scheme.platform, now: 0, gates: defaultEnabledGates }
    for (const { defaults } of strategiesOf(kind)) {
      assert.is(defaults?.(object, context) ?? object, object)
    }
  })
}

test.run()
