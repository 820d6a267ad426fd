// The patch of a draft: applied to what was sent, it gives what the draft became, in the words of our own JSON Patch.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { applyJsonPatch, parseJsonPatch } from '../../../runtime/apply/apply.ts'
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
import { seededRandom } from '../../../runtime/testing/seeded-random.ts'
import { jsonDifference } from '../../../runtime/webhook-server/admission/json-difference.ts'

const test = suite('runtime/webhook-server: the patch of a draft')

function patched(before: JsonObject, after: JsonObject): Json {
  const patch = jsonDifference(before, after) as unknown as Json
  return applyJsonPatch(before, parseJsonPatch(patch))
}

const rows: readonly [before: JsonObject, after: JsonObject, patch: readonly object[]][] = [
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1 }, { a: 2 }, [{ op: 'replace', path: '/a', value: 2 }]],
  [{ 'a/b~': 1 }, {}, [{ op: 'remove', path: '/a~1b~0' }]],
  [{}, { a: null }, [{ op: 'add', path: '/a', value: null }]],
  [{ l: [1, 2, 3] }, { l: [1, 3] }, [{ op: 'remove', path: '/l/1' }]],
  [{ l: [1, 3] }, { l: [1, 2, 3] }, [{ op: 'add', path: '/l/1', value: 2 }]],
  [
    { l: [{ n: 'a', v: 1 }] },
    { l: [{ n: 'a', v: 2 }] },
    [{ op: 'replace', path: '/l/0/v', value: 2 }],
  ],
  [{ a: {} }, { a: [] }, [{ op: 'replace', path: '/a', value: [] }]],
]

for (const [before, after, patch] of rows) {
  test(`${JSON.stringify(before)} to ${JSON.stringify(after)}`, () => {
    assert.equal(jsonDifference(before, after), patch)
  })
}

/** A value of few forms, so that two of them have much in common. */
function randomValue(random: () => number, depth: number): Json {
  const pick = Math.floor(random() * (depth === 0 ? 4 : 6))
  if (pick < 4) return [null, true, 1, 'x'][pick] as Json
  const items = Array.from({ length: Math.floor(random() * 5) }, () =>
    randomValue(random, depth - 1),
  )
  if (pick === 4) return items
  return Object.fromEntries(
    items.map(
      (value) =>
        ['a', 'b', '~/', '', '__proto__']
          .map((name) => [name, value])
          .at(Math.floor(random() * 5)) as [string, Json],
    ),
  )
}

test('the patch of any two objects makes the one of the other', () => {
  const random = seededRandom(7)
  for (let round = 0; round < 5000; round++) {
    const [before, after] = [{ v: randomValue(random, 4) }, { v: randomValue(random, 4) }]
    assert.equal(patched(before, after), after, JSON.stringify([before, after]))
  }
})

test('a patch of too many steps replaces the fields of the object whole', () => {
  const list = (value: number) => Array.from({ length: 2000 }, (_, at) => at * value)
  const [before, after] = [
    { spec: { list: list(1) }, gone: 1, same: 1 },
    { spec: { list: list(2) }, same: 1, added: 2 },
  ]
  assert.equal(
    jsonDifference(before, after).map(({ op, path }) => `${op} ${path}`),
    ['replace /spec', 'remove /gone', 'add /added'],
  )
  assert.equal(patched(before, after), after)
})

test.run()
