import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { applyJsonPatch, parseJsonPatch } from '../../../../runtime/apply/apply.ts'
import { isStatus, type StatusReason } from '../../../../runtime/kernel/errors/status-error.ts'
import type { Json } from '../../../../runtime/kernel/values/json.ts'

const patches = suite('runtime/apply/json-patch')

function apply(document: Json, patch: Json): Json {
  return applyJsonPatch(document, parseJsonPatch(patch))
}

function refusal(document: Json, patch: Json): StatusReason | undefined {
  try {
    apply(document, patch)
    return undefined
  } catch (error) {
    if (isStatus(error)) return error.reason
    throw error
  }
}

patches('operations do what RFC 6902 says (P-02, A4.54)', () => {
  const cases: readonly [Json, Json, Json][] = [
    [{}, [{ op: 'add', path: '/a', value: 1 }], { a: 1 }],
    [{ a: [1, 2] }, [{ op: 'add', path: '/a/1', value: 9 }], { a: [1, 9, 2] }],
    [{ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [{ a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] }],
    [{ a: [1, 2, 3] }, [{ op: 'replace', path: '/a/-1', value: 4 }], { a: [1, 2, 4] }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
    [{ a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/c' }], { a: {}, c: 1 }],
    [{ a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    [{ 'a/b': { '~': 1 } }, [{ op: 'test', path: '/a~1b/~0', value: 1 }], { 'a/b': { '~': 1 } }],
    [
      { a: { x: 1, y: 2 } },
      [{ op: 'test', path: '/a', value: { y: 2, x: 1 } }],
      { a: { x: 1, y: 2 } },
    ],
    [{}, [{ op: 'add', path: '/a', value: null }], { a: null }],
    [{ a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a' }], { a: { b: 1 } }],
  ]
  for (const [document, patch, want] of cases) {
    const before = JSON.stringify(document)
    assert.equal(apply(document, patch), want, JSON.stringify(patch))
    assert.is(JSON.stringify(document), before, 'the document itself stays as it is')
  }
})

patches('what the public library reads in its own way is read so here', () => {
  const cases: readonly [Json, Json, Json][] = [
    [{}, [{ op: 'replace', path: '/a', value: 1 }], { a: 1 }],
    [{}, [{ op: 'replace', path: '/a' }], { a: null }],
    [{}, [{ op: 'add', path: '/a' }], { a: null }],
    [{ a: 1 }, [{ op: 'test', path: '/b', value: null }], { a: 1 }],
    [{ a: null }, [{ op: 'test', path: '/a', value: null }], { a: null }],
    [{ a: 1 }, [{ op: 'copy', from: '/b', path: '/c' }], { a: 1, c: null }],
    [{ a: 1 }, [{ op: 'add', path: 'x/b', value: 2 }], { a: 1, b: 2 }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: 'x' }], { a: 1 }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: [1] }], [1]],
    [{ l: [1, 2] }, [{ op: 'add', path: '/l/-1', value: 3 }], { l: [1, 2, 3] }],
    [{ l: [1, 2] }, [{ op: 'add', path: '/l/-3', value: 3 }], { l: [3, 1, 2] }],
    [{ l: [1, 2] }, [{ op: 'add', path: '/l/+1', value: 3 }], { l: [1, 3, 2] }],
    [{ l: [1, 2] }, [{ op: 'replace', path: '/l/01', value: 3 }], { l: [1, 3] }],
    [{ a: 1 }, null, { a: 1 }],
  ]
  for (const [document, patch, want] of cases) {
    assert.equal(apply(document, patch), want, JSON.stringify(patch))
  }
})

patches('what does not apply is invalid without saying more (E-22)', () => {
  const cases: readonly Json[] = [
    [{ op: 'test', path: '/a', value: 2 }],
    [{ op: 'remove', path: '/b' }],
    [{ op: 'replace', path: '/b/c', value: 1 }],
    [{ op: 'replace', path: '/l/1', value: 1 }],
    [{ op: 'replace', path: '' }],
    [{ op: 'add', path: '/b/c', value: 1 }],
    [{ op: 'add', path: '/l/3', value: 1 }],
    [{ op: 'add', path: '/l/-3', value: 1 }],
    [{ op: 'add', path: '/l/1x', value: 1 }],
    [{ op: 'add', path: 'a', value: 1 }],
    [{ op: 'add', path: '', value: {} }],
    [{ op: 'copy', from: '/a', path: '' }],
    [{ op: 'copy', path: '/a' }],
    [{ op: 'move', from: '/b', path: '/c' }],
    [{ op: 'jump', path: '/a' }],
    [{ path: '/a' }],
    [{ op: 'add' }],
    [{ op: 'test', path: '/a' }],
    [null],
    [{ op: 'remove', path: '/l/-' }],
    [{ op: 'remove', path: '' }],
    [{ op: 'move', from: '/o', path: '/o/x' }],
    [{ op: 'remove', path: '/constructor' }],
    [{ op: 'copy', from: '/__proto__/toString', path: '/x' }],
  ]
  for (const patch of cases) {
    assert.is(refusal({ a: 1, l: [1], o: {} }, patch), 'Invalid', JSON.stringify(patch))
  }
})

patches('a document that is no patch is a bad request (P-02)', () => {
  const cases: readonly Json[] = [
    {},
    ['x'],
    [{ op: 1, path: '/a' }],
    [{ op: 'add', path: ['a'], value: 1 }],
    [{ op: 'copy', path: '/a', from: {} }],
  ]
  for (const patch of cases) assert.is(refusal({}, patch), 'BadRequest', JSON.stringify(patch))
})

patches('a prototype is out of reach', () => {
  const got = apply({}, [
    { op: 'add', path: '/__proto__', value: {} },
    { op: 'add', path: '/__proto__/polluted', value: 1 },
  ])
  assert.is(({} as { polluted?: number }).polluted, undefined)
  assert.is(JSON.stringify(got), '{"__proto__":{"polluted":1}}')
})

patches('operations and growth are bounded (P-02)', () => {
  const many = Array(10_001).fill({ op: 'test', path: '', value: null })
  assert.throws(
    () => parseJsonPatch(many),
    /allowed maximum operations in a JSON patch is 10000, got 10001/,
  )
  const doubling = Array(30)
    .fill(0)
    .map((_, n) => ({ op: 'copy', from: '/a', path: `/a/x${n}` }))
  assert.is(refusal({ a: { s: 'x'.repeat(1000) } }, doubling), 'Invalid')
})

patches.run()
