import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DecodeError, decodeYaml } from '../../../../runtime/serializer/serializer.ts'

const yaml = suite('runtime/serializer/yaml')

async function read(text: string): Promise<unknown> {
  return (await decodeYaml(text)).value
}

// R-13 and the behaviour of the command-line clients
const scalars: readonly [string, unknown][] = [
  ['0644', 420],
  ['0o644', 420],
  ['-017', -15],
  ['08', 8],
  ['yes', true],
  ['on', true],
  ['y', true],
  ['True', true],
  ['n', false],
  ['Off', false],
  ['yEs', 'yEs'],
  ['~', null],
  ['', null],
  ['Null', null],
  ['0x1F', 31],
  ['0X1f', 31],
  ['0_', 0],
  ['0o_', '0o_'],
  ['.5_0', '.5_0'],
  ['1e18', 10n ** 18n],
  ['0b11', 3],
  ['1_000', 1000],
  ['+12', 12],
  ['12:30', '12:30'],
  ['2001-01-01', '2001-01-01'],
  ['2001-12-14t21:59:43.10-05:00', '2001-12-14t21:59:43.10-05:00'],
  ['1e3', 1000],
  ['1.0', 1],
  ['.5', 0.5],
  ['1.2.3', '1.2.3'],
  ['9223372036854775807', 9223372036854775807n],
  ['18446744073709551615', 18446744073709552000],
  ['100000000000000000000', 1e20],
  ['=', '='],
  ['"yes"', 'yes'],
  ["'012'", '012'],
  ['!!str 12', '12'],
  ['!!int "12"', 12],
  ['!!binary aGVsbG8=', 'hello'],
  ['|\n  text\n', 'text\n'],
]

yaml('scalars mean what the platform reads in them (R-13)', async () => {
  for (const [text, want] of scalars) {
    assert.equal(await read(`a: ${text}`), { a: want }, text)
  }
})

yaml('keys become strings the same way (R-13)', async () => {
  assert.equal(await read('on: 1\n1: 2\n1.5: 3\nfoo: 4'), { true: 1, '1': 2, '1.5': 3, foo: 4 })
})

yaml('merge keys are expanded and explicit keys win (R-13)', async () => {
  const text = 'base: &b {x: 1, z: 2}\na:\n  z: 3\n  <<: *b\nb:\n  <<: [*b, {w: 5, x: 6}]'
  assert.equal(await read(text), {
    base: { x: 1, z: 2 },
    a: { z: 3, x: 1 },
    b: { x: 1, z: 2, w: 5 },
  })
})

yaml('only the first document is read (R-13)', async () => {
  assert.equal(await read('a: 1\n---\nb: ['), { a: 1 })
  assert.is(await read(''), null)
  assert.is(await read('# nothing'), null)
})

yaml('the last of duplicate keys wins and each is named with its line (F-02)', async () => {
  const { value, duplicates } = await decodeYaml('a: 1\nb: 2\na: 3')
  assert.equal(value, { a: 3, b: 2 })
  assert.equal(duplicates, ['line 3: key "a" already set in map'])
})

yaml(
  'keys that stand twice are one error, those inside first, and stand before unknown fields',
  async () => {
    const { strict } = await decodeYaml('data: {a: x}\ndata: {a: z, a: w}\nx: 5')
    const lines = ['line 2: key "a" already set in map', 'line 2: key "data" already set in map']
    assert.equal(strict?.warnings(['x']), [...lines, 'unknown field "x"'])
    assert.is(
      strict?.error(['x']),
      `yaml: unmarshal errors:\n  ${lines[0]}\n  ${lines[1]}, unknown field "x"`,
    )
  },
)

yaml('JSON text is read as JSON', async () => {
  const { value, duplicates } = await decodeYaml('{"a": "on", "a": 12}')
  assert.equal(value, { a: 12 })
  assert.equal(duplicates, ['duplicate field "a"'])
})

yaml('keys of prototypes are ordinary own keys', async () => {
  const value = (await read('__proto__: {x: 1}\n<<: {constructor: 2}')) as object
  assert.equal(Object.keys(value), ['__proto__', 'constructor'])
  assert.is((value as { x?: number }).x, undefined)
})

yaml('a text that cannot be read fails with its place', async () => {
  const cases: readonly [string, number, RegExp][] = [
    ['a: [', 1, /./],
    ['a: 1\n b: 2', 1, /./],
    ['- a\nb: c', 2, /./],
    ['a:\n\t- b', 2, /Tabs/],
    ['x: 1\na: .inf', 2, /no JSON form/],
    ['? [a]\n: b', 1, /a key must be a scalar/],
    ['a: *b', 1, /./],
  ]
  for (const [text, line, why] of cases) await fails(text, why, line)
})

yaml('what is wrong with a text as a whole has no place', async () => {
  const error = await decodeYaml('a: 1\nb: \u0007\n').then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.instance(error, DecodeError)
  assert.is((error as DecodeError).at, undefined)
  const { message } = error as DecodeError
  assert.is(message, 'error decoding YAML: control characters are not allowed')
})

yaml('what could exhaust the reader is refused', async () => {
  const bomb = ['a0: &a0 [x,x,x,x,x,x,x,x,x]']
  for (let n = 1; n < 10; n++) bomb.push(`a${n}: &a${n} [${Array(9).fill(`*a${n - 1}`)}]`)
  await fails(bomb.join('\n'), /aliases stand for too many values/)
  await fails('a: &x [*x]', /anchor x contains itself/)
  for (const open of ['[', '- ', '? ', '{a: ', '&a [', '!!seq [']) {
    await fails(open.repeat(1_000_000), /nested too deeply/)
  }
})

async function fails(text: string, why: RegExp, line?: number): Promise<void> {
  const error = await decodeYaml(text).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.instance(error, DecodeError, text.slice(0, 40))
  assert.match((error as DecodeError).message, why)
  if (line !== undefined) assert.is((error as DecodeError).at?.line, line, text)
}

yaml.run()
