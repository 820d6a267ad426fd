import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { valueAtPath } from '../../../../runtime/kernel/values/dotted-path.ts'
import { encodeJson, rawJsonAt, rawPath } from '../../../../runtime/serializer/serializer.ts'

const test = suite('runtime/serializer: values without parsing')

const found = (value: unknown, path: string): unknown => {
  const raw = rawJsonAt(encodeJson(value), rawPath(path))
  return raw === undefined ? undefined : JSON.parse(raw.toString())
}

test('a value is found behind others that look like it', () => {
  const object = {
    kind: 'a "metadata":{ \\',
    spec: { metadata: { labels: 1 }, list: ['}', { labels: 2 }, -1.5e3, null] },
    metadata: { name: 'x', labelsX: 3, labels: { 'a/b': 'c"d', __proto__x: '\\' } },
  }
  assert.equal(found(object, 'metadata.labels'), object.metadata.labels)
  assert.is(found(object, 'metadata.name'), 'x')
  assert.equal(found(object, 'spec.list'), object.spec.list)
  assert.is(found(object, 'spec.missing'), undefined)
  assert.is(found(object, 'kind.name'), undefined)
  assert.is(found({}, 'a'), undefined)
})

test('it is the value that a parser finds', () => {
  const step = fc.constantFrom('a', 'b', 'a"b', 'é', '\\', '__proto__')
  const key = fc.oneof(step, fc.string())
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'medium' },
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 5 }),
    ),
  }))
  fc.assert(
    fc.property(tree, fc.array(step, { minLength: 1, maxLength: 3 }), (value, steps) => {
      const stored = JSON.parse(JSON.stringify(value))
      assert.equal(found(stored, steps.join('.')), valueAtPath(stored, steps.join('.')))
    }),
    { numRuns: 2000 },
  )
})

test.run()
