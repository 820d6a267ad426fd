import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ApiObject, Stored } from '../../../../runtime/kernel/meta/object.ts'
import { sharedParts } from '../../../../runtime/kernel/meta/shared-parts.ts'

const test = suite('runtime/kernel/meta: parts that objects share')

interface Thing extends ApiObject {
  readonly spec: { readonly [field: string]: unknown }
  readonly status: { readonly phase: string }
}

const ownerReferences = [{ apiVersion: 'v1', kind: 'Set', name: 'web', uid: 'u', controller: true }]

/** As it comes from a server: nothing of it is anything else's. */
function thing(name: string, spec: string, phase = 'Running', owned = true): Stored<Thing> {
  const metadata = { name, uid: name, resourceVersion: '1', ...(owned && { ownerReferences }) }
  return JSON.parse(JSON.stringify({ metadata, spec: JSON.parse(spec), status: { phase } }))
}

const containerOf = ({ spec }: Stored<Thing>) =>
  (spec.containers as readonly [Readonly<Record<string, unknown>>])[0]

test('objects of one controller share what is equal in them, down to the last differing field', () => {
  const share = sharedParts()
  const spec =
    '{"containers":[{"image":"web","mounts":[{"name":"a"}],"limits":{"cpu":1}}],"zone":"z"}'
  const first = share(thing('one', spec))
  const second = share(thing('two', spec.replace('"a"', '"b"')))
  const [a, b] = [containerOf(first), containerOf(second)]
  assert.is(a.limits, b.limits)
  assert.equal([a.mounts, b.mounts], [[{ name: 'a' }], [{ name: 'b' }]])
  assert.is(first.metadata.ownerReferences, second.metadata.ownerReferences)
  assert.equal(second, thing('two', spec.replace('"a"', '"b"')))
  assert.is(share(thing('three', spec.replace('"a"', '"b"'))).spec, second.spec)
})

test('an object is given as it is, whatever came before it', () => {
  const specs = [
    ...['{}', '{"a":[]}', '{"a":{}}', '{"a":[1,2]}', '{"a":[1]}', '{"a":null}', '{"a":"1"}'],
    ...['{"a":{"b":1,"c":2}}', '{"a":{"b":1}}', '{"__proto__":{}}', '{"__proto__":{"x":1}}'],
    ...['{"toString":{}}', '{"a":{"__proto__":{"b":1},"c":2}}', '{"a":[{"x":1},{"x":2}]}'],
  ]
  const share = sharedParts()
  for (const before of specs) {
    for (const spec of specs) {
      const name = `${before}${spec}`
      share(thing('before', before))
      const text = JSON.stringify(thing(name, spec))
      const given = thing(name, spec)
      assert.is(JSON.stringify(share(given)), text)
      assert.is(JSON.stringify(given), text)
      assert.is(Object.getPrototypeOf(share(given).spec), Object.prototype)
    }
  }
})

test('parts that are very deep are left as they are', () => {
  const share = sharedParts()
  const deep = `{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`
  const [first, second] = [share(thing('one', deep)), share(thing('two', deep))]
  assert.is.not(first.spec, second.spec)
  assert.is(share(thing('three', '{"a":[[1]]}')).metadata.name, 'three')
})

test('objects of other controllers and phases, and those without a controller, are samples of nothing', () => {
  const share = sharedParts()
  const first = share(thing('one', '{"a":{"b":1}}'))
  const waiting = share(thing('two', '{"a":{"b":1}}', 'Pending'))
  const free = thing('free', '{"a":{"b":1}}', 'Running', false)
  assert.is.not(first.spec, waiting.spec)
  assert.is(share(free), free)
})

test.run()
