import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  apiLibraries,
  type Budget,
  compile,
  createEnvironment,
  evaluationLimit,
  types,
  withVariables,
} from '../../../../runtime/cel/cel.ts'
import { firstIndex, lastIndex } from '../../../../runtime/cel/library/search.ts'
import { maxSteps } from '../../../../runtime/cel/limits/step-limit.ts'
import {
  compileWorst,
  prepare,
  worstCases,
  worstSources,
} from '../../../../tools/bench/cel-worst.ts'
import { countCalls } from '../../../support/counted-calls.ts'
import { outcomeOf } from '../../../support/expressions.ts'

const test = suite('runtime/cel/work')

for (const one of worstCases) {
  test(`A2.73 ${one.name}: an evaluation is stopped, at the same cost and step each time`, () => {
    const evaluate = prepare(one)
    const run = () => {
      const budget: Budget = { remaining: evaluationLimit, steps: maxSteps }
      const { is, cost } = evaluate(budget)
      return { is, cost, steps: budget.steps }
    }
    const first = run()
    assert.is(first.is, 'stopped')
    assert.equal(run(), first)
  })
}

for (const one of worstSources) {
  test(`${one.name}: compiling ends, with a program or a text of bounded length`, () => {
    const compiled = compileWorst(one)
    assert.ok(compiled.ok || compiled.text.length < 600_000, one.name)
  })
}

/** Sources of so many parts, each of them slow to compile. */
const growing: readonly (readonly [name: string, source: (parts: number) => string])[] = [
  ['comparisons', (parts) => Array(parts).fill('1==1').join('||')],
  ['unknown names', (parts) => Array(parts).fill('x').join('||')],
  ['lists', (parts) => `[${Array(parts).fill('[[[]]]').join()}].size()==0`],
  [
    'patterns',
    (parts) => Array.from({ length: parts }, (_, at) => `'a'.matches('a{9}${at}')`).join('||'),
  ],
]

for (const [name, source] of growing) {
  test(`compiling twice as many ${name} calls twice as many functions`, () => {
    const calls = (parts: number) =>
      countCalls(() => void compile(source(parts), createEnvironment({ libraries: apiLibraries })))
    calls(1)
    const [some, twice] = [calls(400), calls(800)]
    assert.ok(some > 400 && twice < 2.5 * some, `${some} and ${twice} calls`)
  })
}

test('the first hundred mistakes are told, and how many more there are', () => {
  const compiled = compile(Array(250).fill('x').join(' || '), createEnvironment({}))
  assert.not(compiled.ok)
  if (compiled.ok) return
  assert.is(compiled.issues.length, 100)
  assert.match(compiled.text, /\n150 more errors were truncated$/)
})

test('hundreds of patterns in one expression are not too much work', () => {
  const source = Array.from(
    { length: 500 },
    (_, at) =>
      `[['a'], []].exists(a, a == ['${at}'] || 'b'.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?${at}$'))`,
  )
  assert.ok(compile(source.join(' || '), createEnvironment({})).ok)
})

test('A2.73 what a budget has left is a limit, too', () => {
  const [one] = worstCases
  const budget = { remaining: 100 }
  const outcome = one && prepare(one)(budget)
  assert.equal(outcome?.is === 'stopped' && outcome.by, 'budget')
  assert.ok(budget.remaining <= 0)
})

test('steps are counted for each evaluation alone', () => {
  const compiled = compile(
    "quantity('1Gi').isLessThan(quantity('2Gi'))",
    createEnvironment({ libraries: apiLibraries }),
  )
  assert.ok(compiled.ok)
  for (let time = 0; time < 20_000; time++) {
    assert.is(compiled.program.evaluate({}).is, 'value')
  }
})

test('C-15 evaluations of one budget share the work that costs do not see', () => {
  const compiled = compile(
    'self.all(k, self.size() > 0)',
    withVariables(createEnvironment({}), [{ name: 'self', type: types.dynType }]),
  )
  assert.ok(compiled.ok)
  const self = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, at]))
  const budget = { remaining: 10_000_000 }
  const run = () => compiled.program.evaluate({ self }, budget)
  let [count, outcome] = [0, run()]
  for (; outcome.is === 'value' && count < 1000; count++) outcome = run()
  assert.is(outcome.is === 'stopped' && outcome.by, 'budget')
  assert.ok(count > 20 && budget.remaining > 5_000_000, `${count} times`)
})

/** What careful users write, on objects of the size that is stored. */
const usual: readonly (readonly [name: string, source: string, self: () => unknown])[] = [
  [
    '2,000 names by a pattern',
    "self.all(x, x.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'))",
    () => Array.from({ length: 2000 }, (_, at) => `${'name-'.repeat(10)}${at}`),
  ],
  [
    'a text of 300 KB by a pattern',
    "self.matches('^[a-z]+(-[a-z]+)*$')",
    () => 'a'.repeat(300_000),
  ],
  ['5,000 URLs', 'self.all(x, isURL(x))', () => Array(5000).fill('https://example.com/a/b?c=d')],
  [
    '8,000 quantities',
    "self.all(x, quantity(x).isLessThan(quantity('1Ti')))",
    () => Array(8000).fill('100Mi'),
  ],
  [
    '5,000 times',
    "self.all(x, timestamp(x) > timestamp('2020-01-01T00:00:00Z'))",
    () => Array(5000).fill('2024-01-01T00:00:00Z'),
  ],
  [
    'a map of 50,000 keys',
    "self.all(k, k.startsWith('p'))",
    () => Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`p${at}`, at])),
  ],
  ['a message of 1,000 items', "'%s'.format([self]).size() > 0", () => Array(1000).fill('item')],
]

for (const [name, source, self] of usual) {
  test(`${name} are not too much work`, () => {
    assert.is(outcomeOf(source, { self: self() }), true)
  })
}

test('the search in linear time finds what the plain one finds', () => {
  const letters = (seed: number, length: number) =>
    Array.from({ length }, (_, at) => 'ab'[((seed * 7919 + at * at * 31 + at) >> 3) & 1]).join('')
  for (let seed = 0; seed < 50; seed++) {
    const text = letters(seed, 2000)
    for (const [from, size] of [
      [0, 201],
      [seed * 20, 300],
      [1750, 250],
      [10, 9],
      [500, 12],
    ] as const) {
      const part = text.slice(from, from + size)
      for (const one of [part, `${part}a`, `b${part}`]) {
        assert.is(firstIndex(text, one), text.indexOf(one))
        assert.is(firstIndex(text, one, from), text.indexOf(one, from))
        assert.is(lastIndex(text, one), text.lastIndexOf(one))
        assert.is(lastIndex(text, one, from), text.lastIndexOf(one, from))
      }
    }
  }
})

test.run()
