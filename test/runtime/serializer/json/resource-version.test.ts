import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  encodeJson,
  parseTrustedJson,
  withoutResourceVersion,
  withResourceVersion,
} from '../../../../runtime/serializer/serializer.ts'

const revision = suite('runtime/serializer/revision')

const object = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', uid: 'u-1', annotations: { x: '","uid":"no","metadata":{' } },
  data: { '"uid":"': '\\' },
}

revision('the version goes in after the uid and comes out again', () => {
  const bytes = encodeJson(object)
  const sealed = withResourceVersion(bytes, 42)
  const { name, uid, ...rest } = object.metadata
  const metadata = { name, uid, resourceVersion: '42', ...rest }
  assert.is(Buffer.from(sealed).toString(), JSON.stringify({ ...object, metadata }))
  assert.equal(parseTrustedJson(withoutResourceVersion(sealed)), object)
  assert.is(Buffer.compare(withoutResourceVersion(sealed), bytes), 0)
})

revision('bytes that have a version keep it, bytes without one stay as they are', () => {
  const bytes = encodeJson(object)
  const sealed = withResourceVersion(bytes, 42)
  assert.is(withResourceVersion(sealed, 43), sealed)
  assert.is(withoutResourceVersion(bytes), bytes)
})

revision('a view into a larger buffer is read as itself', () => {
  const whole = Buffer.concat([Buffer.from('xx'), encodeJson(object), Buffer.from('yy')])
  const view = whole.subarray(2, whole.length - 2)
  assert.match(
    Buffer.from(withResourceVersion(view, 7)).toString(),
    /"uid":"u-1","resourceVersion":"7"/,
  )
})

revision.run()
