import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { define } from '../../../../runtime/kernel/values/define-property.ts'
import type { Json } from '../../../../runtime/kernel/values/json.ts'
import {
  decodeLocated,
  decodeLocatedDocuments,
  decodeYaml,
  type LocatedValue,
} from '../../../../runtime/serializer/serializer.ts'
import { assertRejects } from '../../../support/rejects.ts'

const located = suite('runtime/serializer: values with places')

function plain(node: LocatedValue): Json {
  if (node.is === 'scalar') return node.value
  if (node.is === 'list') return node.items.map(plain)
  const result: Record<string, Json> = {}
  for (const { key, value } of node.entries) define(result, key, plain(value))
  return result
}

/** Line and column of a place, without what else it knows. */
function place(at: { readonly line: number; readonly column: number } | undefined) {
  return at && { line: at.line, column: at.column }
}

located('every key and value has its line and column', async () => {
  const { root } = await decodeLocated('a:\n  - b: 1\n    c: {d: x}\n')
  assert.is(root.is, 'map')
  if (root.is !== 'map') return
  const [a] = root.entries
  assert.equal(
    [a?.key, place(a?.keyAt), place(a?.value.at)],
    ['a', { line: 1, column: 1 }, { line: 2, column: 3 }],
  )
  const item = a?.value.is === 'list' ? a.value.items[0] : undefined
  const c = item?.is === 'map' ? item.entries[1] : undefined
  assert.equal(place(c?.keyAt), { line: 3, column: 5 })
  const d = c?.value.is === 'map' ? c.value.entries[0] : undefined
  assert.equal(
    [place(d?.keyAt), place(d?.value.at)],
    [
      { line: 3, column: 9 },
      { line: 3, column: 12 },
    ],
  )
})

located('a key that stands twice is reported, and the last one counts', async () => {
  const { root, duplicates } = await decodeLocated('a: 1\nb: 2\na: 3\n')
  assert.equal(plain(root), { a: 3, b: 2 })
  assert.equal(
    duplicates.map(({ key, at }) => ({ key, at: place(at) })),
    [{ key: 'a', at: { line: 3, column: 1 } }],
  )
})

located('aliases and merge keys stand for what they name', async () => {
  const { root } = await decodeLocated('p: &p {a: 1, b: 2}\nq: {<<: *p, b: 3}\nr: *p\n')
  assert.equal(plain(root), { p: { a: 1, b: 2 }, q: { b: 3, a: 1 }, r: { a: 1, b: 2 } })
})

located('aliases that multiply, circles and depth end reading', async () => {
  const bomb = ['a: &a [1,1,1,1,1,1,1,1,1,1]']
  for (let n = 0; n < 8; n++) {
    const [name, before] = ['bcdefghi'[n], 'abcdefgh'[n]]
    bomb.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(',')}]`)
  }
  await assertRejects(decodeLocated(bomb.join('\n')), 'BadRequest')
  await assertRejects(decodeLocated('a: &a [*a]'), 'BadRequest')
  await assertRejects(decodeLocated('['.repeat(100_000)), 'BadRequest')
})

located(
  'a second document is refused where it begins, and empty ones may stand around it',
  async () => {
    for (const text of [
      '---\na: 1\n',
      'a: 1\n---\n',
      'a: 1\n...\n',
      '# x\n---\na: 1\n---\n# y\n',
    ]) {
      assert.equal(plain((await decodeLocated(text)).root), { a: 1 }, text)
    }
    assert.is(plain((await decodeLocated('# nothing\n')).root), null)
    const { message } = await assertRejects(decodeLocated('a: 1\n---\nb: 2\n'), 'BadRequest')
    assert.match(message, 'line 3, column 1: a second document begins here')
    await assertRejects(decodeLocated('a: 1\n---\n[\n'), 'BadRequest')
  },
)

located('what stands for no value is reported, and the rest is read', async () => {
  const { root, problems } = await decodeLocated('a: .inf\n? [b]\n: 1\nc: 2\n')
  assert.equal(plain(root), { a: null, c: 2 })
  const told = problems.map(({ why, at }) => ({ why, at: place(at) }))
  assert.equal(told, [
    { why: '.inf has no JSON form', at: { line: 1, column: 4 } },
    { why: 'a key must be a scalar', at: { line: 2, column: 3 } },
  ])
})

located('values of JSON one behind the other are documents, each at its place', async () => {
  const text = '{"a": "}{"}\n{"b": [\n  1]} {"c": \t}'
  const documents = await decodeLocatedDocuments(text)
  const told = documents.map(({ root, error }) =>
    root ? [plain(root), place(root.at)] : place(error?.at),
  )
  assert.equal(told, [
    [{ a: '}{' }, { line: 1, column: 1 }],
    [{ b: [1] }, { line: 2, column: 1 }],
    [{ c: null }, { line: 3, column: 7 }],
  ])
  const [first, second] = await decodeLocatedDocuments("{a: '}'}\n{b: 1}")
  assert.is(first?.root, undefined)
  assert.equal(place(first?.error?.at), { line: 2, column: 1 })
  assert.is(second, undefined)
})

located('tags of scalars count as in the plain reader', async () => {
  for (const text of ['a: !!binary Yg==', 'a: !!int 012', 'a: !!str yes', 'a: !x 1']) {
    assert.equal(plain((await decodeLocated(text)).root), (await decodeYaml(text)).value, text)
  }
})

located('it reads what the plain reader reads', async () => {
  const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => JSON.stringify(value).length < 2000)
  await fc.assert(
    fc.asyncProperty(fc.record({ value: json }), async (value) => {
      const text = JSON.stringify(value, null, 2)
      assert.equal(plain((await decodeLocated(text)).root), (await decodeYaml(text)).value)
    }),
    { numRuns: 100 },
  )
})

located.run()
