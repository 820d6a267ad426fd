import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import type { Kind } from '../../../../runtime/kernel/descriptors/kind.ts'
import { decodeBody } from '../../../../runtime/registry/strategy/decode.ts'
import { decodeJson, decodeYaml } from '../../../../runtime/serializer/serializer.ts'

const tests = suite('runtime/registry: reading bodies')

const kindOf = (name: string): Kind =>
  Object.values(scheme.routes).find(({ kind }) => kind === name) as unknown as Kind
const decode = async (name: string, text: string) =>
  decodeBody(scheme, { kind: kindOf(name) }, decodeJson(text), 'Strict')

async function refusal(name: string, text: string): Promise<string> {
  try {
    await decode(name, text)
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

for (const text of ['1.0', '1e0', '10e-1', '3.00']) {
  tests(`${text} is no integer`, async () => {
    const body = `{"metadata":{"name":"a"},"spec":{"replicas":${text}}}`
    assert.is(
      await refusal('Deployment', body),
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number ' +
        `${text} into Go struct field DeploymentSpec.spec.replicas of type int32`,
    )
  })
}

tests('an integer of YAML may have a fraction of zeros', async () => {
  for (const text of ['spec: {replicas: 1.0}', '{"spec": {"replicas": 1.0}}']) {
    const body = await decodeYaml(text)
    const { object } = await decodeBody(scheme, { kind: kindOf('Deployment') }, body, 'Strict')
    assert.is((object as { spec?: { replicas?: number } }).spec?.replicas, 1)
  }
})

tests(
  'numbers of values without a type, of quantities and of unknown fields may be written in any way',
  async () => {
    await decode('ControllerRevision', '{"revision":1,"data":{"a":[1.0,{"b":1e3}]}}')
    await decode(
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"minimum":1.0}}}]}}',
    )
    await decode('ResourceQuota', '{"spec":{"hard":{"cpu":1.0}}}')
    await decode('Deployment', '{"spec":{"replicas":-0}}')
    assert.match(
      await refusal('ConfigMap', '{"constructor":{"length":1.0}}'),
      /unknown field "constructor"/,
    )
  },
)

tests.run()
