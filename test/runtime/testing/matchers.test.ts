import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import {
  assertSameObject,
  objectDifferences,
  objectMatchers,
  objectSerializer,
  startControlPlane,
  withoutServerFields,
} from '../../../runtime/testing/testing.ts'

const test = suite('runtime/testing: matchers')

test('the same draft gives the same object on two servers, but for what they fill in', async () => {
  const draft = {
    metadata: { generateName: 'web-', labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'web:1' }] },
  }
  await using one = await startControlPlane()
  await using other = await startControlPlane()
  const a = await one.client.resource(pods).create(draft)
  const b = await other.client.resource(pods).create(draft)
  assert.not.equal(a, b)
  assertSameObject(a, b)
  assert.equal(withoutServerFields(a), withoutServerFields(b))
  assert.is(withoutServerFields(a).metadata.name, 'web-<generated>')
})

test('lists and arrays are compared as their objects are', () => {
  const item = (uid: string) => ({ kind: 'Pod', metadata: { name: 'a', uid } })
  const list = (uid: string) => ({ metadata: { resourceVersion: uid }, items: [item(uid)] })
  assertSameObject(list('1'), list('2'))
  assertSameObject([item('1')], [item('2')])
})

test('times of a status and uids of owners do not count, times of a spec do', () => {
  const object = (at: string, until: string) => ({
    metadata: { name: 'a', ownerReferences: [{ kind: 'Pod', name: 'b', uid: at }] },
    spec: { until },
    status: { conditions: [{ type: 'Ready', lastTransitionTime: at }] },
  })
  const [one, other] = ['2030-01-01T00:00:00Z', '2031-01-01T00:00:00Z']
  assertSameObject(object(one, one), object(other, one))
  assert.equal(
    objectDifferences(object(one, one), object(one, other)).map(({ path }) => path),
    ['spec.until'],
  )
})

test('what differs is named by its path, with both values', () => {
  const object = (labels: Readonly<Record<string, string>>, count: number) => ({
    metadata: { name: 'a', labels },
    spec: { list: [{ count }] },
  })
  const [one, other] = [object({ 'app.io/x': '1', a: '1' }, 1), object({ a: '2' }, 2)]
  assert.throws(
    () => assertSameObject(other, one),
    (error: Error) => {
      assert.equal(error.message.split('\n'), [
        'the object is not as expected:',
        '  metadata.labels["app.io/x"]: "1" (gone)',
        '  metadata.labels.a: "1" -> "2"',
        '  spec.list[0].count: 1 -> 2',
      ])
      return true
    },
  )
})

test('the matcher answers as expect.extend wants it', () => {
  const { toBeSameObject } = objectMatchers
  const [one, other] = [{ metadata: { uid: '1' } }, { metadata: { uid: '2' } }]
  assert.ok(toBeSameObject(one, other).pass)
  const { pass, message } = toBeSameObject({ metadata: {}, x: 1 }, other)
  assert.not.ok(pass)
  assert.match(message(), 'x: 1 (new)')
})

test('the serializer leaves out what servers fill in, once', () => {
  const object = { kind: 'Pod', metadata: { name: 'a', uid: '1', resourceVersion: '1' } }
  assert.ok(objectSerializer.test(object))
  const printer = (value: unknown): string => {
    assert.not.ok(objectSerializer.test(value))
    return JSON.stringify(value)
  }
  const text = objectSerializer.serialize(object, {}, '', 0, [], printer as never)
  assert.is(text, '{"kind":"Pod","metadata":{"name":"a"}}')
})

test.run()
