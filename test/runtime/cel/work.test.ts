import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiLibraries, compile, createEnvironment } from '../../../runtime/cel/cel.ts'
import { firstIndex, lastIndex } from '../../../runtime/cel/library/search.ts'
import { prepare, worstCases } from '../../../tools/bench/cel-worst.ts'

const test = suite('runtime/cel/work')

/** Far more than an evaluation may take, far less than an unbounded one would. The benchmark holds them to 50 ms. */
const mostMilliseconds = 1500

for (const one of worstCases) {
  test(`A2.73 ${one.name}: an evaluation is stopped, at the same cost each time`, () => {
    const evaluate = prepare(one)
    const before = process.cpuUsage()
    const first = evaluate()
    const { user } = process.cpuUsage(before)
    assert.is(first.is, 'stopped')
    assert.ok(user / 1000 < mostMilliseconds, `${user / 1000} ms`)
    const second = evaluate()
    assert.equal([second.is, second.cost], [first.is, first.cost])
  })
}

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
