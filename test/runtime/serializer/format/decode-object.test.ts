import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Json } from '../../../../runtime/kernel/values/json.ts'
import { readObject } from '../../../../runtime/serializer/serializer.ts'
import { configMaps, deployments } from '../../../support/registry.ts'

const object = suite('runtime/serializer/object')

function refusal(value: Json, kind = deployments): string {
  try {
    readObject(kind, value)
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

object('kind and apiVersion are filled in where they are missing (R-11)', () => {
  const { object: read } = readObject(configMaps, { data: { a: 'b' } })
  assert.is(
    JSON.stringify(read),
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"creationTimestamp":null},"data":{"a":"b"}}',
  )
})

object('another kind, another version and what is no object are refused (R-11)', () => {
  assert.match(
    refusal({ kind: 'Pod', apiVersion: 'apps/v1' }),
    /^Pod in version "v1" cannot be handled as a Deployment: /,
  )
  assert.is(
    refusal({ kind: 'Deployment', apiVersion: 'apps/v1beta1' }),
    'the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)',
  )
  for (const value of [null, 1, 'x', [], 12345678901234567890n]) {
    assert.match(
      refusal(value),
      /^the object provided is unrecognized \(must be of type Deployment\): /,
    )
  }
  assert.match(refusal({ kind: 3 }), /must be strings/)
})

object.run()
