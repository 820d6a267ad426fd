import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import type { Kind } from '../../../../runtime/kernel/descriptors/kind.ts'
import { decodeBody } from '../../../../runtime/registry/strategy/decode.ts'
import { decodeJson, decodeYaml } from '../../../../runtime/serializer/serializer.ts'

const tests = suite('runtime/registry: reading bodies')

const kindOf = (name: string): Kind =>
  Object.values(scheme.routes).find(({ kind }) => kind === name) as unknown as Kind
const decode = (name: string, text: string) =>
  decodeBody({ kind: kindOf(name) }, decodeJson(text), 'Strict')

for (const text of ['1.0', '1e0', '10e-1', '3.00']) {
  tests(`${text} is no integer`, () => {
    const body = `{"metadata":{"name":"a"},"spec":{"replicas":${text}}}`
    assert.throws(
      () => decode('Deployment', body),
      (error: Error) => error.message.includes(`cannot unmarshal number ${text} into`),
    )
  })
}

tests('an integer of YAML may have a fraction of zeros', async () => {
  for (const text of ['spec: {replicas: 1.0}', '{"spec": {"replicas": 1.0}}']) {
    const { object } = decodeBody({ kind: kindOf('Deployment') }, await decodeYaml(text), 'Strict')
    assert.is((object as { spec?: { replicas?: number } }).spec?.replicas, 1)
  }
})

tests(
  'numbers of values without a type, of quantities and of unknown fields may be written in any way',
  () => {
    decode('ControllerRevision', '{"revision":1,"data":{"a":[1.0,{"b":1e3}]}}')
    decode(
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"minimum":1.0}}}]}}',
    )
    decode('ResourceQuota', '{"spec":{"hard":{"cpu":1.0}}}')
    decode('Deployment', '{"spec":{"replicas":-0}}')
    assert.throws(
      () => decode('ConfigMap', '{"constructor":{"length":1.0}}'),
      /unknown field "constructor"/,
    )
  },
)

tests.run()
