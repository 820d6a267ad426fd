/** Where the path of a printed column leads (C-18). */
import '../../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jsonPathCell } from '../../../../runtime/kernel/descriptors/json-path-cell.ts'
import type { Column } from '../../../../runtime/kernel/descriptors/kind.ts'
import type { Json } from '../../../../runtime/kernel/values/json.ts'
import { parseJsonPath, valuesAtJsonPath } from '../../../../runtime/kernel/values/json-path.ts'

const test = suite('runtime/apiextensions: paths of columns')

const object = {
  apiVersion: 'v1',
  kind: 'A',
  metadata: { name: 'x', annotations: { 'a.b/c': 'd' } },
  spec: {
    replicas: 3,
    list: [
      { n: 'x', v: 1 },
      { n: 'y', v: 2 },
    ],
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Synced', status: 'False' },
    ],
  },
}

const rows: readonly (readonly [string, readonly unknown[]])[] = [
  ['.spec.replicas', [3]],
  ['.spec.missing', []],
  ['.metadata.annotations.a\\.b/c', ['d']],
  [".metadata.annotations['a.b/c']", ['d']],
  ['.spec.list[0].n', ['x']],
  ['.spec.list[-1].n', ['y']],
  ['.spec.list[*].v', [1, 2]],
  ['.spec.list[1:].v', [2]],
  ['.spec.list[:1].v', [1]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type != 'Ready')].status", ['False']],
  ['.spec.list[?(@.v>1)].n', ['y']],
  ['.spec.list[?(@.n)].n', ['x', 'y']],
  ['.spec..n', ['x', 'y']],
]

for (const [path, want] of rows) {
  test(`${path} leads to ${JSON.stringify(want)}`, () => {
    const parsed = parseJsonPath(path)
    assert.ok(parsed)
    assert.equal(valuesAtJsonPath(object, parsed ?? []), want)
  })
}

for (const text of ['spec', '.spec[', '.spec[x]', '.a[?(b)]', '.a[?(@.b==)]']) {
  test(`${text} is no path`, () => assert.is(parseJsonPath(text), undefined))
}

test('a path that looks everywhere ends soon', () => {
  let reads = 0
  const counted = <T extends object>(value: T): T =>
    new Proxy(value, {
      get(target, key) {
        reads++
        return Reflect.get(target, key)
      },
    })
  const row = (a: number) => counted(Array.from({ length: 300 }, () => counted({ a })))
  const deep = counted({ a: counted(Array.from({ length: 300 }, (_, a) => row(a))) })
  const found = valuesAtJsonPath(deep as Json, parseJsonPath('..a..a..a') ?? [])
  assert.ok(found.length <= 10_000)
  assert.ok(reads < 50_000, `${reads} reads`)
})

const column = (type: Column['type'], path: string): Column => ({
  name: 'C',
  type,
  description: '',
  cell: `$${path}`,
})

const cells: readonly (readonly [Column['type'], string, unknown])[] = [
  ['string', '.spec.replicas', '3'],
  ['string', '.spec.list[0]', '{"n":"x","v":1}'],
  ['integer', '.spec.replicas', 3],
  ['integer', '.metadata.name', null],
  ['number', '.spec.replicas', 3],
  ['boolean', '.spec.replicas', null],
  ['date', '.metadata.name', '<invalid>'],
  ['string', '.spec.none', null],
]

for (const [type, path, want] of cells) {
  test(`a ${type} cell of ${path} shows ${JSON.stringify(want)}`, () => {
    const cell = jsonPathCell(column(type, path), () => '5m')
    assert.is(cell(object, 0), want)
  })
}

test.run()
