import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeYaml } from '../../../../runtime/serializer/yaml/decode-yaml.ts'
import { encodeYaml, encodeYamlList } from '../../../../runtime/serializer/yaml/encode-yaml.ts'

const test = suite('runtime/serializer/yaml: printing')

// M-17, R-13
test('YAML sorts keys, does not indent lists, and quotes what would read as something else', async () => {
  const json = '{"kind":"X","b":["yes","1"],"a":{"z":9223372036854775807,"t":"on"}}'
  const text = Buffer.from(await encodeYaml(json)).toString()
  assert.is(text, 'a:\n  t: "on"\n  z: 9223372036854775807\nb:\n- "yes"\n- "1"\nkind: X\n')
})

const printed = async (value: unknown): Promise<string> =>
  Buffer.from(await encodeYaml(JSON.stringify(value))).toString()

const scalars: readonly (readonly [value: unknown, text: string])[] = [
  ['', '""'],
  ['a: b', "'a: b'"],
  [' x', "' x'"],
  ["- it's", "'- it''s'"],
  ["it's", "it's"],
  ['a:b #', "'a:b #'"],
  ['2020-01-01', '"2020-01-01"'],
  ['2020-13-01', '2020-13-01'],
  ['1:20', '"1:20"'],
  ['0x1F', '"0x1F"'],
  ['0X1', '"0X1"'],
  ['1_000', '"1_000"'],
  ['0_', '"0_"'],
  ['1e400', '1e400'],
  ['v1', 'v1'],
  ['=', '='],
  ['.', '.'],
  ['---', "'---'"],
  ['tab\there', '"tab\\there"'],
  ['\u{1f600}', '"\\U0001F600"'],
  ['\u00e9', '\u00e9'],
  ['a\nb', '|-\n  a\n  b'],
  ['a\nb\n', '|\n  a\n  b'],
  ['a\n\n', '|+\n  a\n'],
  ['  a\nb', '|2-\n    a\n  b'],
  ['a \nb', '"a \\nb"'],
  [1.5, '1.5'],
  [1234567.5, '1.2345675e+06'],
  [null, 'null'],
  [[], '[]'],
  [{}, '{}'],
]
for (const [value, text] of scalars) {
  test(`${JSON.stringify(value)} is printed as ${JSON.stringify(text)}`, async () => {
    assert.is(await printed({ k: value }), `k: ${text}\n`)
  })
}

test('a long line is folded at its spaces, that of a key is not', async () => {
  const words = 'word '.repeat(20).trim()
  const [first, second] = [words.slice(0, 79), words.slice(80)]
  assert.is(await printed({ k: words }), `k: ${first}\n  ${second}\n`)
  assert.is(await printed({ [words]: 1 }), `${words}: 1\n`)
  assert.is(await printed(['a', [words]]), `- a\n- - ${first}\n    ${second}\n`)
})

test('keys are sorted as people count', async () => {
  const keys = ['a10', 'a2', 'B', 'b', '10', '9', 'a.1', 'x-1', 'é']
  const text = await printed(Object.fromEntries(keys.map((key) => [key, 1])))
  assert.is(text, '"9": 1\n"10": 1\nB: 1\na.1: 1\na2: 1\na10: 1\nb: 1\nx-1: 1\né: 1\n')
})

test('a key that is long or has several lines stands on its own', async () => {
  const long = 'x'.repeat(130)
  assert.is(await printed({ [long]: { a: [1] } }), `? ${long}\n: a:\n  - 1\n`)
  assert.is(await printed({ 'a\nb': null }), '? |-\n  a\n  b\n: null\n')
})

test('what is printed is read back as it was', async () => {
  const values = scalars.map(([value]) => value)
  assert.equal((await decodeYaml(await encodeYaml(JSON.stringify(values)))).value, values)
})

test('a list of items is printed one after the other, without the type that they share', async () => {
  const head = { kind: 'XList', apiVersion: 'v1', metadata: { resourceVersion: '1' } }
  const items = ['{"kind":"X","apiVersion":"v1","data":["a"]}', '{"kind":"Y"}'].map((json) =>
    Buffer.from(json),
  )
  const print = async (all: Uint8Array[]) =>
    Buffer.from(await encodeYamlList(head, all, { kind: 'X', apiVersion: 'v1' })).toString()
  const tail = 'kind: XList\nmetadata:\n  resourceVersion: "1"\n'
  assert.is(await print(items), `apiVersion: v1\nitems:\n- data:\n  - a\n- kind: "Y"\n${tail}`)
  assert.is(await print([]), `apiVersion: v1\nitems: []\n${tail}`)
})

test('other work runs while a long text is printed', async () => {
  const json = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => ({ [index]: 'x' })))
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await encodeYaml(json)
  clearImmediate(timer)
  assert.ok(turns >= 10, `${turns} turns`)
})

test.run()
