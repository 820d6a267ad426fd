import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createReport } from '../../../../runtime/kernel/validation/field-error.ts'
import * as r from '../../../../runtime/kernel/validation/readers.ts'

const reading = suite('runtime/kernel: reading')

/** Reads one field and gives what came out with what was reported, in the words that a caller sees. */
function read(run: (report: r.ReadReport) => unknown): readonly [unknown, ...string[]] {
  const report = createReport()
  const value = run(report)
  const findings = report.errors.map(({ path, message }) => `${path}: ${message}`)
  return [
    value,
    ...report.typeErrors.map(({ message }) => message),
    ...findings,
    ...report.unknownFields,
  ]
}

const port = r.bounded(r.int32, { minimum: 1, maximum: 65535 })
const name = r.bounded(r.string, { minLength: 2, maxLength: 4, pattern: '^[a-z]*$' })
const policy = r.oneOf(['Never', 'Always'])
const inner = (input: unknown, report: r.ReadReport) => {
  for (const key in r.fields(input, report)) r.unknownField(report, key)
  r.required(report, 'size')
  return {}
}

const table: readonly [
  fact: string,
  run: (report: r.ReadReport) => unknown,
  want: readonly unknown[],
][] = [
  ['null is absent', (x) => r.string(null, x, 'a'), [undefined]],
  [
    'a wrong type names the field and both types',
    (x) => r.int32('no', x, 'spec.replicas'),
    [undefined, 'json: cannot unmarshal string into field spec.replicas of type integer'],
  ],
  [
    'a fraction is no integer',
    (x) => r.int32(1.5, x, 'a'),
    [undefined, 'json: cannot unmarshal number 1.5 into field a of type int32'],
  ],
  [
    'an integer beyond 32 bits is refused',
    (x) => r.int32(2 ** 31, x, 'a'),
    [undefined, 'json: cannot unmarshal number 2147483648 into field a of type int32'],
  ],
  ['the largest 64-bit integer stays', (x) => r.int64(2n ** 63n - 1n, x, 'a'), [2n ** 63n - 1n]],
  [
    'an integer beyond 64 bits is refused',
    (x) => r.int64(2n ** 63n, x, 'a'),
    [undefined, `json: cannot unmarshal number ${2n ** 63n} into field a of type int64`],
  ],
  ['negative zero is zero', (x) => Object.is(r.int32(-0, x, 'a'), 0), [true]],
  [
    'both bounds are in the message', // E-05
    (x) => [port(0, x, 'a'), port(70000, x, 'b')],
    [
      [0, 70000],
      'a: Invalid value: 0: must be between 1 and 65535, inclusive',
      'b: Invalid value: 70000: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    'a text is measured in characters and matched',
    (x) => [name('a', x, 'a'), name('abcde', x, 'b'), name('A1', x, 'c'), name('abcd', x, 'd')],
    [
      ['a', 'abcde', 'A1', 'abcd'],
      'a: Invalid value: "a": must be at least 2 characters long',
      'b: Too long: may not be longer than 4',
      'c: Invalid value: "A1": must match the pattern ^[a-z]*$',
    ],
  ],
  [
    'a closed set lists what it supports, sorted', // E-05
    (x) => policy('never', x, 'a'),
    ['never', 'a: Unsupported value: "never": supported values: "Always", "Never"'],
  ],
  [
    'paths grow on the way out', // E-04
    (x) =>
      r.struct({ b: [{ c: 1 }] }, x, 'top', (input, report) => {
        for (const key in r.fields(input, report)) {
          r.list((input as Record<string, unknown>)[key], report, key, inner)
        }
        return true
      }),
    [true, 'top.b[0].size: Required value', 'top.b[0].c'],
  ],
  [
    'a wrong type deep inside carries its whole path',
    (x) => r.map({ k: ['x', 1] }, x, 'm', (v, y, n) => r.list(v, y, n, r.string, '')),
    [{ k: ['x'] }, 'json: cannot unmarshal number into field m[k][1] of type string'],
  ],
  [
    'items that stand twice in a set are named', // A2
    (x) => r.set(['a', 'b', 'a'], x, 'f'),
    [['a', 'b', 'a'], 'f[2]: Duplicate value: "a"'],
  ],
  [
    'items with equal keys are named by their key',
    (x) => r.keyed([{ name: 'a' }, { name: 'a' }], x, 'f', ['name'])!.length,
    [2, 'f[1].name: Duplicate value: "a"'],
  ],
  [
    'items with several equal keys show them all',
    (x) =>
      r.keyed(
        [
          { p: 1, q: 'T' },
          { p: 1, q: 'T' },
        ],
        x,
        'f',
        ['p', 'q'],
      )!.length,
    [2, 'f[1]: Duplicate value: {"p":1,"q":"T"}'],
  ],
  [
    'a list has its limits',
    (x) => [r.count([], x, 'a', 1, 2), r.count([1, 2, 3], x, 'b', 1, 2)].length,
    [
      2,
      'a: Required value: must have at least 1 item',
      'b: Too many: 3: must have at most 2 items',
    ],
  ],
  [
    'keys of a map come out sorted',
    (x) => Object.keys(r.map({ b: '', a: '' }, x, 'm', r.string)!),
    [['a', 'b']],
  ],
  ['a null item is the zero value', (x) => r.list([null, 'a'], x, 'l', r.string, ''), [['', 'a']]],
  [
    'a null item of a type that has no other zero stays null',
    (x) => r.list([null, '2024-05-01T12:00:00Z'], x, 'l', r.time, null as never),
    [[null, '2024-05-01T12:00:00Z']],
  ],
  [
    'what means no time in a map is null, too',
    (x) => r.map({ a: null, b: '0001-01-01T00:00:00Z' }, x, 'm', r.time, null as never),
    [{ a: null, b: null }],
  ],
  [
    'an array is no object',
    (x) => r.map([], x, 'm', r.string),
    [undefined, 'json: cannot unmarshal array into field m of type map'],
  ],
]

for (const [fact, run, want] of table) {
  reading(fact, () => assert.equal(read(run), want))
}

reading('a key named __proto__ is an own property of a map and reaches no prototype', () => {
  const input = JSON.parse('{"__proto__": "x", "a": "y"}')
  const map = r.map(input, createReport(), 'm', r.string)!
  assert.is(Object.getPrototypeOf(map), Object.prototype)
  assert.is(JSON.stringify(map), '{"__proto__":"x","a":"y"}')
  assert.is(({} as Record<string, unknown>).x, undefined)
})

reading('a report is bounded, however much is wrong', () => {
  const report = createReport()
  r.list(new Array(5000).fill(1), report, 'l', r.string, '')
  assert.is(report.typeErrors.length, 1000)
})

reading('constants are frozen to the bottom', () => {
  const value = r.constant<{ a: { b: number[] } }>({ a: { b: [1] } })
  assert.throws(() => value.a.b.push(2))
})

reading.run()
