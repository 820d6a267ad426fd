import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  apiLibraries,
  compile,
  createEnvironment,
  Double,
  type Evaluation,
  readSchema,
  schemaType,
  types,
  withVariables,
} from '../../../runtime/cel/cel.ts'
import { outcomeOf } from '../../support/expressions.ts'

const test = suite('runtime/cel')

/** A typed `request` and a dynamic `object`, as an admission policy declares them. */
function policy() {
  const text = { type: 'string' }
  const schema = { type: 'object', properties: { operation: text, name: text } }
  const request = schemaType(readSchema(schema, { prefixes: ['orch'] }), 'request')
  if (request === undefined) throw new Error('not visible')
  const { type, read } = request
  return withVariables(createEnvironment({ libraries: apiLibraries }), [
    { name: 'request', type, read },
    { name: 'object', type: types.dynType },
  ])
}

const bindings = { request: { operation: 'CREATE', name: 'web' }, object: { spec: { size: 3 } } }

function judged(source: string): Evaluation | string {
  const compiled = compile(source, policy())
  return compiled.ok ? compiled.program.evaluate(bindings) : compiled.text
}

test('A2.43 a program is one expression that yields one value', () => {
  assert.match(judged('1 == 1 2 == 2') as string, /Syntax error/)
  assert.match(judged('1 == 1; true') as string, /Syntax error/)
  assert.match(judged('') as string, /Syntax error/)
  const one = judged("request.operation == 'CREATE' ? object.spec.size : 0") as Evaluation
  assert.equal(one.is === 'value' && one.value, 3)
})

test('A2.43 bytes are text behind a b, raw ones text behind br', () => {
  assert.is(outcomeOf(String.raw`br'\a' == b'\\a' && BR"a" == b'a' && R'\a' == '\\a'`), true)
  assert.match(judged("rb'a' == b'a'") as string, /Syntax error/)
})

test('A2.43, A2.49 its inputs are the variables that are declared, typed or dynamic', () => {
  assert.match(judged('self.a == 1') as string, /undeclared reference to 'self'/)
  assert.match(judged('request.nope') as string, /undefined field 'nope'/)
  assert.match(judged('request.name == 1') as string, /found no matching overload for '_==_'/)
  const dynamic = judged("object.nope.deeper == 'x'") as Evaluation
  assert.is(dynamic.is === 'error' && dynamic.error.message, 'no such key: nope')
})

test('A2.49 has tells what can be reached from what cannot', () => {
  const held = [
    'has(object.spec)',
    'has(object.spec.size)',
    '!has(object.nope)',
    'has(request.name)',
  ]
  for (const source of held) {
    const outcome = judged(source) as Evaluation
    assert.is(outcome.is === 'value' && outcome.value, true, source)
  }
  assert.match(judged('has(request.nope)') as string, /undefined field 'nope'/)
})

const places: readonly (readonly [source: string, outcome: unknown])[] = [
  ['has(object.nothing.x)', false],
  ['has(object.size.x)', false],
  ['object.nothing.x', { error: 'no such key: x' }],
  ['has(object.size.x.y)', { error: 'no such key: x' }],
  ['object.size[0]', { error: 'no such key: 0' }],
  ['object.nothing.?x.hasValue()', false],
  ["object.nothing[?'x'].hasValue()", false],
  ['object.list.x', { error: "unsupported index type 'string' in list" }],
  ["object.list[?'x']", { error: "unsupported index type 'string' in list" }],
  ['object.list[1.5]', { error: 'unsupported index value 1.5 in list' }],
  ['object.list[1]', { error: 'index out of bounds: 1' }],
  ['object.list[?1].hasValue()', false],
]

test('A2.49 what is no object has no fields: has says so, selecting one is an error', () => {
  const object = { nothing: null, size: 3, list: [1] }
  for (const [source, outcome] of places) {
    assert.equal(outcomeOf(source, { object }), outcome, source)
  }
})

test('A2.49 a dynamic value is checked when it is reached, whatever type its surroundings have', () => {
  const error = 'no such overload'
  for (const source of [
    "(['a'] + numbers).all(x, x.startsWith('a'))",
    "bytes((['a'] + numbers)[1]) == b''",
    "(numbers + ['a']).map(x, x.size()).sum() > 0",
    "dyn(optional.of(1)).orValue('a').replace('a', 'b') == ''",
  ]) {
    assert.equal(outcomeOf(source, { numbers: [1, 2] }), { error }, source)
  }
})

test('A2.44 members of a literal have one type, but not what format writes', () => {
  assert.is(
    outcomeOf("'%d of %s: %s'.format([1, 'a', {'b': 2, 'c': 'd'}])"),
    '1 of a: {b: 2, c: d}',
  )
  assert.match(judged("[1, 'a'].size() == 2") as string, /expected type 'int' but found 'string'/)
  assert.match(judged("sets.contains([1, 'a'], [])") as string, /expected type 'int'/)
})

test('A2.44 a double is written as short as it can be, from a million on with an exponent', () => {
  const texts = [0, -2.5, 123456, 999999.5, 1e6, -1234567, 1e20, 1e-4, 1e-5, 5e-324].map((one) =>
    outcomeOf('string(one)', { one: new Double(one) }),
  )
  const wanted = '0 -2.5 123456 999999.5 1e+06 -1.234567e+06 1e+20 0.0001 1e-05 5e-324'
  assert.is(texts.join(' '), wanted)
})

test('Y-06 a text that does not convert is an error with both types; seconds of no time do not compile', () => {
  const error = (type: string) => ({ error: `type conversion error from 'string' to '${type}'` })
  const names = { timestamp: 'google.protobuf.Timestamp', duration: 'google.protobuf.Duration' }
  for (const [type, name] of Object.entries({
    int: 'int',
    double: 'double',
    bool: 'bool',
    ...names,
  })) {
    assert.equal(outcomeOf(`${type}(text)`, { text: 'x' }), error(name))
  }
  assert.is(judged('timestamp(9007199254740993) == timestamp(1)'), 'timestamp overflow')
})

const samples = {
  int: '1',
  uint: '1u',
  double: '1.5',
  bool: 'true',
  string: "'1'",
  bytes: "b'a'",
  duration: "duration('90s')",
  timestamp: "timestamp('2024-01-01T00:00:00Z')",
  list: '[1]',
  map: "{'a': 1}",
  null: 'null',
  type: 'type(1)',
}
const conversions: Readonly<Record<string, string>> = {
  int: 'int uint double string duration timestamp null',
  uint: 'int uint double string',
  double: 'int uint double string',
  bool: 'bool string',
  string: 'int uint double bool string bytes duration timestamp null',
  bytes: 'string bytes',
  duration: 'int string duration null',
  timestamp: 'int string timestamp null',
}

for (const [name, wanted] of Object.entries(conversions)) {
  test(`Y-06 ${name}() takes ${wanted} and nothing else`, () => {
    const taken = Object.entries(samples).filter(
      ([, value]) => !/no matching overload/.test(String(judged(`dyn(${name}(${value})) == null`))),
    )
    assert.is(taken.map(([type]) => type).join(' '), wanted)
  })
}

test('Y-06 a duration is an integer of nanoseconds', () => {
  assert.is(outcomeOf("int(duration('-1.5s')) == -1500000000"), true)
})

test('Y-06 a text that is no pattern is an error with the reason', () => {
  const error = 'error parsing regexp: missing closing ]: `[`'
  assert.equal(outcomeOf("'a'.matches(text)", { text: '[' }), { error })
})

const everyone = [
  "'abc'.charAt(0) == 'a'",
  "'%d'.format([1]) == '1'",
  "['a'].join() == 'a'",
  'sets.contains([1], [1])',
  'optional.of(1).hasValue()',
  "duration('1s') < duration('1m')",
  '[1, 2].exists_one(x, x == 1)',
]
const added = [
  '[1, 2].sum() == 3',
  "'a1'.find('[0-9]') == '1'",
  "url('https://h/').getHost() == 'h'",
  "authorizer.path('/').check('get').allowed()",
]

test('A2.44 the libraries of the community stand beside those of the platform', () => {
  for (const source of [...everyone, ...added]) assert.is(outcomeOf(source), true, source)
})

/** Three values of each type that has an order, least first. */
const comparable: Readonly<Record<string, readonly [string, string, string]>> = {
  int: ['-1', '0', '9223372036854775807'],
  uint: ['0u', '1u', '18446744073709551615u'],
  double: ['-1.5', '0.0', '1e300'],
  bool: ['false', 'false', 'true'],
  string: ["''", "'a'", "'\u{1f600}'"],
  bytes: ["b''", "b'a'", "b'\\xff'"],
  duration: ["duration('-1s')", "duration('1ms')", "duration('1h')"],
  timestamp: [
    "timestamp('1999-01-01T00:00:00Z')",
    "timestamp('2000-01-01T00:00:00Z')",
    "timestamp('2000-01-01T00:00:00.5Z')",
  ],
}

for (const [type, [least, middle, most]] of Object.entries(comparable)) {
  test(`A2.45 lists of ${type} are ordered and have extremes`, () => {
    assert.is(outcomeOf(`[${least}, ${middle}, ${most}].isSorted()`), true)
    assert.is(outcomeOf(`[${most}, ${least}].isSorted()`), false)
    assert.is(outcomeOf(`[${middle}, ${most}, ${least}].min() == ${least}`), true)
    assert.is(outcomeOf(`[${middle}, ${most}, ${least}].max() == ${most}`), true)
    assert.is(outcomeOf(`[${most}, ${least}, ${most}].indexOf(${most})`), 0)
    assert.is(outcomeOf(`[${most}, ${least}, ${most}].lastIndexOf(${most})`), 2)
  })
}

test('A2.47 the parts of a URL', () => {
  const parts = {
    getScheme: 'https',
    getHost: 'example.com:8080',
    getHostname: 'example.com',
    getPort: '8080',
    getEscapedPath: '/a%20b',
  }
  for (const [name, part] of Object.entries(parts)) {
    assert.is(outcomeOf(`url('https://example.com:8080/a%20b?q=1').${name}()`), part)
  }
  assert.is(outcomeOf("url('https://h/?q=1&q=2').getQuery()['q'].size()"), 2)
  assert.is(outcomeOf("isURL('relative/path')"), false)
})

test.run()
