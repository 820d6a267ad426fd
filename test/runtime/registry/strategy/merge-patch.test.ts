import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Json } from '../../../../runtime/kernel/values/json.ts'
import { applyMergePatch } from '../../../../runtime/registry/strategy/merge-patch.ts'

const patches = suite('runtime/registry/strategy/merge-patch')

patches('the examples of RFC 7386 hold (P-04, A4.55)', () => {
  const cases: readonly [Json, Json, Json][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ]
  for (const [target, patch, want] of cases) {
    assert.equal(applyMergePatch(target, patch), want, JSON.stringify([target, patch]))
  }
})

patches(
  'what is new has no nulls, and items of a list that takes the place of an object keep them',
  () => {
    const cases: readonly [Json, Json, Json][] = [
      [{}, { a: [{ n: null }, null] }, { a: [{}, null] }],
      [{ a: [1] }, { a: [{ n: null }] }, { a: [{}] }],
      [{ a: 1 }, { a: { n: null, l: [[{ n: null }]] } }, { a: { l: [[{}]] } }],
      [{ a: { b: 1 } }, { a: [{ n: null }] }, { a: [{ n: null }] }],
    ]
    for (const [target, patch, want] of cases) {
      assert.equal(applyMergePatch(target, patch), want, JSON.stringify([target, patch]))
    }
  },
)

patches('a prototype is out of reach', () => {
  const patch = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"x":1}}') as Json
  assert.is(JSON.stringify(applyMergePatch({}, patch)), JSON.stringify(patch))
  assert.is(({} as { polluted?: number }).polluted, undefined)
})

patches.run()
