/** Strategic merge patch, directive by directive. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { strategicMerge, strategicMergeSteps } from '../../../../runtime/apply/apply.ts'
import { wholeSlice } from '../../../../runtime/kernel/async/slices.ts'
import type { MergeStrategy } from '../../../../runtime/kernel/descriptors/kind.ts'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import type { Json, JsonObject } from '../../../../runtime/kernel/values/json.ts'

const strategic = suite('runtime/apply: strategic merge patch')

const shape: MergeStrategy = {
  fields: {
    items: {
      list: 'map',
      keys: ['name', 'kind'],
      patch: ['merge', 'retainKeys'],
      patchKey: 'name',
      items: { fields: { env: { patch: ['merge'], patchKey: 'name' } } },
    },
    names: { patch: ['merge'] },
    keyless: { patch: ['merge'], items: {} },
    union: { patch: ['retainKeys'] },
    replaced: { patch: ['replace'] },
  },
}

function merge(original: Json, patch: Json): Json {
  return strategicMerge(original as JsonObject, patch as JsonObject, shape)
}

type Case = readonly [given: Json, patch: Json, want: Json]

function table(cases: readonly Case[]): void {
  for (const [given, patch, want] of cases) {
    assert.equal(merge(given, patch), want, JSON.stringify(patch))
  }
}

strategic('a patch of many items is merged in more than one slice', () => {
  const items = Array.from({ length: 10_000 }, (_, n) => ({ name: `n${n}` }))
  let slices = 0
  let left = 0
  for (const cost of strategicMergeSteps({ items }, { items }, shape)) {
    left -= cost
    if (left > 0) continue
    slices++
    left = wholeSlice
  }
  assert.ok(slices > 3, `${slices} slices`)
})

function refusal(given: Json, patch: Json): readonly [code: number, message: string] {
  try {
    merge(given, patch)
  } catch (error) {
    if (isStatus(error)) return [error.code, error.message]
    throw error
  }
  throw new Error(`accepted: ${JSON.stringify(patch)}`)
}

strategic('maps merge, null deletes, other values replace (P-05, A4.56)', () => {
  table([
    [{ a: { b: 1, c: 2 } }, { a: { b: 3 } }, { a: { b: 3, c: 2 } }],
    [{ a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    [{ a: { b: 1 } }, { a: 'x' }, { a: 'x' }],
    [{ a: 'x' }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
    [{}, { a: null, b: { c: null } }, { b: {} }],
    [{ replaced: { a: 1 } }, { replaced: { b: 2 } }, { replaced: { b: 2 } }],
  ])
})

strategic('a list is replaced unless the schema says how it merges (P-05)', () => {
  table([
    [{ list: [1, 2] }, { list: [3] }, { list: [3] }],
    [
      { list: [{ name: 'a' }] },
      { list: [{ name: 'b', x: null }] },
      { list: [{ name: 'b', x: null }] },
    ],
    [{}, { list: [{ name: 'b', x: null }] }, { list: [{ name: 'b' }] }],
    [{ names: ['a', 'b'] }, { names: ['c', 'a'] }, { names: ['c', 'a', 'b'] }],
    [
      { items: [{ name: 'a', x: 1, y: 1 }, { name: 'b' }] },
      { items: [{ name: 'a', x: 2, y: null }] },
      { items: [{ name: 'a', x: 2 }, { name: 'b' }] },
    ],
    [
      { items: [{ name: 'a', env: [{ name: 'E', value: '1' }] }] },
      { items: [{ name: 'a', env: [{ name: 'F', value: '2' }] }] },
      {
        items: [
          {
            name: 'a',
            env: [
              { name: 'F', value: '2' },
              { name: 'E', value: '1' },
            ],
          },
        ],
      },
    ],
  ])
})

strategic('new items stand before those that only the server has', () => {
  const [given, patch] = [
    ['a', 'c'],
    ['b', 'c'],
  ].map((names) => ({
    items: names.map((name) => ({ name })),
  }))
  const { items } = merge(given!, patch!) as { items: JsonObject[] }
  assert.is(items.map(({ name }) => name).join(''), 'bac')
})

strategic('$patch: replace, delete and merge (P-05)', () => {
  table([
    [{ a: { b: 1 } }, { a: { $patch: 'replace', c: 2 } }, { a: { c: 2 } }],
    [{ a: { b: 1 } }, { a: { $patch: 'delete' } }, { a: {} }],
    [{}, { a: { $patch: 'delete' }, b: { $patch: 'replace', c: 1 } }, {}],
    [
      { items: [{ name: 'a' }, { name: 'b' }] },
      { items: [{ name: 'a', $patch: 'delete' }] },
      { items: [{ name: 'b' }] },
    ],
    [
      { items: [{ name: 'a' }, { name: 'b' }] },
      { items: [{ $patch: 'replace' }, { name: 'c', x: null }] },
      { items: [{ name: 'c', x: null }] },
    ],
  ])
})

strategic('a new value is taken as it is: no item of it merges with another', () => {
  const dns = [
    { name: 'dns', protocol: 'UDP' },
    { name: 'dns', protocol: 'TCP' },
  ]
  table([
    [{}, { items: dns }, { items: dns }],
    [{ items: null }, { items: dns }, { items: dns }],
    [{ items: [] }, { items: dns }, { items: [{ name: 'dns', protocol: 'TCP' }] }],
    [
      { items: [{ name: 'a' }] },
      { items: [{ name: 'b', env: dns }] },
      { items: [{ name: 'b', env: dns }, { name: 'a' }] },
    ],
    [
      { items: [{ name: 'a' }] },
      { items: [{ name: 'a', env: dns }] },
      { items: [{ name: 'a', env: dns }] },
    ],
    [{}, { names: ['a', 'b', 'a'] }, { names: ['a', 'b', 'a'] }],
    [
      {},
      { items: dns, '$setElementOrder/items': [{ name: 'dns' }, { name: 'dns' }] },
      { items: dns },
    ],
    [{}, { items: [{ name: 'a', $patch: 'delete' }, { name: 'b' }] }, { items: [{ name: 'b' }] }],
    [{}, { a: { b: { $patch: 'replace', c: 1 }, d: null, e: [{ f: null }] } }, { a: { e: [{}] } }],
  ])
})

strategic('new items take the places that deleted ones leave at the end', () => {
  const items = (names: string) => [...names].map((name) => ({ name }))
  table([
    [
      { items: items('abc') },
      {
        '$setElementOrder/items': items('av'),
        items: [{ name: 'v' }, { name: 'c', $patch: 'delete' }],
      },
      { items: items('abv') },
    ],
  ])
})

strategic('$deleteFromPrimitiveList takes scalars out (P-05)', () => {
  table([
    [{ names: ['a', 'b'] }, { '$deleteFromPrimitiveList/names': ['a', 'z'] }, { names: ['b'] }],
    [
      { names: ['a', 'b'] },
      { '$deleteFromPrimitiveList/names': ['a'], names: ['c'] },
      { names: ['c', 'b'] },
    ],
    [{}, { '$deleteFromPrimitiveList/names': ['a'] }, {}],
    [{ names: ['a'] }, { '$deleteFromPrimitiveList/names': 'a' }, { names: ['a'] }],
  ])
})

strategic('$setElementOrder orders a list, with and without changes to it (P-05)', () => {
  const items = (names: string) => [...names].map((name) => ({ name }))
  table([
    [{ items: items('abc') }, { '$setElementOrder/items': items('cba') }, { items: items('cba') }],
    [
      { items: items('abx') },
      { '$setElementOrder/items': items('bna'), items: [{ name: 'n', v: 1 }] },
      { items: [{ name: 'b' }, { name: 'n', v: 1 }, { name: 'a' }, { name: 'x' }] },
    ],
    [
      { items: items('abc') },
      { '$setElementOrder/items': items('ca'), items: [{ name: 'b', $patch: 'delete' }] },
      { items: items('ca') },
    ],
    [{ names: ['a', 'b'] }, { '$setElementOrder/names': ['b', 'a'] }, { names: ['b', 'a'] }],
    [{}, { '$setElementOrder/items': items('a') }, {}],
  ])
})

strategic('$retainKeys leaves the named fields of a union only (P-05)', () => {
  table([
    [
      { union: { type: 'A', a: 1 } },
      { union: { $retainKeys: ['type', 'b'], type: 'B', b: 2 } },
      { union: { type: 'B', b: 2 } },
    ],
    [
      { items: [{ name: 'v', emptyDir: {} }] },
      { items: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/' } }] },
      { items: [{ name: 'v', hostPath: { path: '/' } }] },
    ],
  ])
})

strategic('a directive of the wrong form is 400 (P-06)', () => {
  assert.equal(refusal({ names: ['a'] }, { $deleteFromPrimitiveList: ['a'] }), [
    400,
    'invalid patch format of primitive list',
  ])
  assert.equal(refusal({ items: [] }, { $setElementOrder: [] }), [
    400,
    'invalid patch format of setElementOrder list',
  ])
  assert.equal(refusal({ union: {} }, { union: { $retainKeys: 'x' } }), [
    400,
    'invalid patch format of retainKeys',
  ])
  assert.equal(refusal({ union: {} }, { union: { $retainKeys: ['a'], b: 1 } }), [
    400,
    'invalid patch format of retainKeys',
  ])
})

strategic('lists of lists are 422 without the reason (P-06, E-22)', () => {
  const text = 'the server rejected our request due to an error in our request'
  assert.equal(refusal({ names: [['a']] }, { names: [['b']] }), [422, text])
})

strategic('what the schema gives no way to merge is 500 and says why', () => {
  const cases: readonly [Json, Json, string][] = [
    [{ a: {} }, { a: { $patch: 'merge' } }, 'unknown patch type: merge in map: map[$patch:merge]'],
    [
      { a: {} },
      { a: { $patch: [5, true] } },
      'unknown patch type: [%!s(int64=5) %!s(bool=true)] in map: map[$patch:[5 true]]',
    ],
    [{ names: ['a'] }, { names: [1] }, 'list element types are not identical: [[a] [1]]'],
    [
      { items: [] },
      { '$setElementOrder/items': [{ name: 'a' }] },
      'no elements in any of the given slices',
    ],
    [
      { items: [] },
      { '$setElementOrder/items': {} },
      'expected a []interface {}, but received a map[string]interface {}',
    ],
    [
      { items: [{ name: 'a' }] },
      { items: [{ name: 'b' }], '$setElementOrder/items': [{}] },
      'map: map[] does not contain declared merge key: name',
    ],
  ]
  for (const [given, patch, message] of cases) assert.equal(refusal(given, patch), [500, message])
})

strategic('a missing merge key is 500 and names the key (P-06, E-18)', () => {
  const a = { name: 'a' }
  assert.equal(refusal({ items: [a] }, { items: [{ image: 'i', x: { y: [1, null] } }] }), [
    500,
    'map: map[image:i x:map[y:[1 <nil>]]] does not contain declared merge key: name',
  ])
  assert.is(refusal({ keyless: [a] }, { keyless: [{ a: 1 }] })[0], 500)
  assert.match(
    refusal({ a: {} }, { a: { $patch: 'keep' } })[1],
    'unknown patch type: keep in map: ',
  )
  assert.match(
    refusal({ items: [{ name: 'a' }] }, { items: [{ name: 'a', $patch: 'merge' }] })[1],
    'merging lists cannot yet be specified in the patch',
  )
  const order = { '$setElementOrder/items': [{ name: 'a' }], items: [{ name: 'b' }] }
  assert.match(refusal({ items: [] }, order)[1], "doesn't match $setElementOrder list")
})

strategic('nothing of the original is changed, and no prototype is reached', () => {
  const given = Object.freeze({ a: Object.freeze({ b: 1 }), names: Object.freeze(['a']) })
  const patch = JSON.parse(
    '{"a":{"__proto__":{"x":1}},"names":["b"],"constructor":{"y":2}}',
  ) as Json
  assert.is(
    JSON.stringify(merge(given, patch)),
    '{"a":{"b":1,"__proto__":{"x":1}},"names":["b","a"],"constructor":{"y":2}}',
  )
})

strategic.run()
