import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  DecodeError,
  decodeJson,
  encodeJson,
  parseTrustedJson,
} from '../../../../runtime/serializer/serializer.ts'

const json = suite('runtime/serializer/json')

json('a text means what the native parser says', () => {
  const texts = [
    '{"a":[1,2.5,-0,1e3,true,false,null,"x"],"b":{}}',
    ' { "a" : [ ] } \n',
    '"\\u00e9\\n\\ud83d\\ude00"',
    '"\u007f\u0085"',
    '-12',
  ]
  for (const text of texts) {
    assert.equal(decodeJson(text).value, JSON.parse(text), text)
    assert.equal(decodeJson(text).duplicates, [], text)
    assert.equal(decodeJson(Buffer.from(text)).value, JSON.parse(text))
  }
})

json('integers of 64 bits survive (R-12)', () => {
  const text = '{"a":9223372036854775807,"b":-9223372036854775808,"c":9007199254740993,"d":12}'
  const { value } = decodeJson(text)
  assert.equal(value, {
    a: 9223372036854775807n,
    b: -9223372036854775808n,
    c: 9007199254740993n,
    d: 12,
  })
  assert.is(Buffer.from(encodeJson(value)).toString(), text)
  assert.equal(parseTrustedJson(encodeJson(value)), value)
})

json('an integer that is a double by chance is exact as well', () => {
  for (const text of ['10000000000000000', '-9007199254740992', '1000000000000000000']) {
    assert.is(decodeJson(text).value, BigInt(text))
    assert.equal(decodeJson(`{"a":[${text}]}`).value, { a: [BigInt(text)] })
  }
  assert.is(decodeJson('9223372036854775808').value, 2 ** 63)
  assert.is(decodeJson('1e18').value, 1e18)
})

json('a number that a double does not hold is refused', () => {
  for (const text of ['1e309', '-1e400', '9'.repeat(400)]) {
    assert.throws(() => decodeJson(`{"a":${text}}`), /cannot unmarshal number -?[19]/)
  }
  assert.is(decodeJson('1e-400').value, 0)
})

json('numbers that are not written as they are printed are told with their place', () => {
  const { numerals } = decodeJson('{"a":[1.0,1],"b":{"c":1e3,"d":0.5,"e":-0}}')
  assert.equal(numerals, [
    { path: ['a', 0], text: '1.0' },
    { path: ['b', 'c'], text: '1e3' },
    { path: ['b', 'e'], text: '-0' },
  ])
  assert.is(decodeJson('{"a":1.5,"b":1}').numerals, undefined)
})

json('half of a character is replaced', () => {
  const cases: readonly [string, string][] = [
    ['"\\ud800"', '\ufffd'],
    ['"a\\uDC00b"', 'a\ufffdb'],
    ['"\\ud83d\\ude00"', '\u{1f600}'],
  ]
  for (const [text, value] of cases) assert.is(decodeJson(text).value, value)
  assert.equal(decodeJson('{"\\ud800":1}').value, { '\ufffd': 1 })
})

json('the last of duplicate keys wins and each is named with its path (R-12, F-02)', () => {
  const { value, duplicates } = decodeJson('{"a":1,"b":[{"c":1},{"c":1,"c":2}],"a":3}')
  assert.equal(value, { a: 3, b: [{ c: 1 }, { c: 2 }] })
  assert.equal(duplicates, ['duplicate field "b[1].c"', 'duplicate field "a"'])
})

json('white space between tokens changes nothing', () => {
  const space = fc.constantFrom('', ' ', '\n\t', ' \r\n')
  fc.assert(
    fc.property(fc.json(), space, (text, between) => {
      const spaced = text.replace(/"(?:[^"\\]|\\.)*"|[[\]{},:]/g, (one) => between + one + between)
      assert.equal(decodeJson(spaced), decodeJson(text))
    }),
  )
  assert.equal(decodeJson('{ "a" : 1 , "a" : 2 }').duplicates, ['duplicate field "a"'])
  assert.equal(decodeJson('{ "a b" : "c  d" }').value, { 'a b': 'c  d' })
  assert.is(decodeJson('[ 1.0 ]').numerals?.length, 1)
})

json('unknown fields and duplicate keys are told in the order of the text, each once', () => {
  const text =
    '{"data":{"a":"x"},"x":{"y":1,"y":2},"metadata":{"name":"a","name":"b","z":1},"x":1,' +
    '"data":{"b":"1","b":"2","b":"3"},"metadata":{}}'
  const { strict } = decodeJson(text)
  const problems = [
    'unknown field "x"',
    'duplicate field "metadata.name"',
    'unknown field "metadata.z"',
    'duplicate field "data"',
    'duplicate field "data.b"',
    'duplicate field "metadata"',
  ]
  assert.equal(strict?.warnings(['x', 'metadata.z']), problems)
  assert.is(strict?.error(['metadata.z', 'x']), problems.join(', '))
  assert.equal(strict?.warnings(['m.k.u']).at(-1), 'unknown field "m.k.u"')
  assert.is(decodeJson('{"a":1}').strict, undefined)
})

json('keys of prototypes are ordinary own keys', () => {
  for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1}, "constructor":2}']) {
    const value = decodeJson(text).value as object
    assert.ok(Object.hasOwn(value, '__proto__'))
    assert.is(Object.getPrototypeOf(value), Object.prototype)
    assert.is((value as { x?: number }).x, undefined)
  }
})

json('a text that cannot be read fails with its place', () => {
  const cases: readonly [string | Uint8Array, number, number][] = [
    ['', 1, 1],
    ['{"a":}', 1, 6],
    ['{\n  "a": 1,\n}', 3, 1],
    ['[1,]', 1, 4],
    ['{"a":1} x', 1, 9],
    ['"abc', 1, 1],
    ['"a\tb"', 1, 1],
    ['"\\x"', 1, 1],
    ['01', 1, 2],
    ['nul', 1, 1],
    [new Uint8Array([0x22, 0xff, 0x22]), 1, 2],
    [Buffer.concat([Buffer.from('\uFEFF["\uFFFD",\n"'), Buffer.from([0xc3, 0x28])]), 2, 2],
  ]
  for (const [text, line, column] of cases) {
    try {
      decodeJson(text)
      assert.unreachable(String(text))
    } catch (error) {
      assert.instance(error, DecodeError)
      assert.equal(
        [(error as DecodeError).at?.line, (error as DecodeError).at?.column],
        [line, column],
        String(text),
      )
      assert.is((error as DecodeError).code, 400)
    }
  }
})

json('depth is bounded, breadth is not', () => {
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  assert.ok(decodeJson(deep(1000)).value)
  for (const text of [deep(1001), '['.repeat(3_000_000), '{"a":'.repeat(500_000)]) {
    assert.throws(() => decodeJson(text), /nested more than 1000 levels deep/)
  }
  assert.is((decodeJson(`[${'[],'.repeat(15_000)}[]]`).value as readonly unknown[]).length, 15_001)
})

json('duplicates are reported up to a bound', () => {
  const { duplicates } = decodeJson(`{${'"a":1,'.repeat(5000)}"a":1}`)
  assert.is(duplicates.length, 100)
})

json('backslashes before a quote are counted once', () => {
  const text = JSON.stringify('\\'.repeat(500_000))
  assert.is((decodeJson(`[${text}, 1]`).value as readonly string[])[0]?.length, 500_000)
})

json.run()
