import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { costOf } from '../../../support/expressions.ts'

const test = suite('runtime/cel/library/costs')

const ints = '[1, 2, 3, 4, 5]'
const list = 40
const strings = `['012345678901', '012345678901', '012345678901', '012345678901', '012345678901']`
const digits = "'01234567890123456789012345678901234567890123456789'"
const web = "url('https:://kubernetes.io/')"

// [expression, cost when run, worst case (the cost when run if not given)]; a list literal costs 40 (A2.73), but
// one of constants is made when it is compiled. NaN: without a bound, as the release takes texts of a list that no schema has, and quantities.
const table: readonly (readonly [string, number, number?])[] = [
  [`${ints}.sum() == 15`, 5 + 1, list + 5 + 1],
  [`${ints}.isSorted()`, 5, list + 5],
  [`${ints}.max() == 5`, 5 + 1, list + 5 + 1],
  [`[1u, 2u].min() == 1u`, 2 + 1, list + 2 + 1],
  [`${strings}.isSorted()`, 5, Number.NaN],
  [`${ints}.indexOf(3) == 2`, 5 + 1, list + 5 + 1],
  [`${digits}.indexOf('123') == 1`, 5 + 1],
  [`${web}.getScheme() == 'https'`, 3 + 1 + 1],
  ["'ABCDEFGHIJ abcdefghij'.lowerAscii() == 'x'", 3 + 1],
  ["strings.quote('ABCDEFGHIJ abcdefghij') == 'x'", 3 + 1],
  ["'abc 123 def 123'.replace('123', '456') == 'x'", 3 + 1],
  ["'abc 123 def 123'.replace('123', '456', 1) == 'x'", 3 + 1],
  ["'abc 123 def 123'.split(' ').size() == 4", 3 + 1 + 1],
  ["'abc 123 def 123'.substring(5) == 'x'", 2 + 1],
  ["'  abc 123 def 123  '.trim() == 'x'", 2 + 1],
  ["'abc 123 def 123'.find('123') == '1'", 2 + 1],
  ["'abc 123 def 123'.findAll('123', 1).size() == 1", 2 + 1 + 1],
  [
    "['aa', 'bb', 'cc', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].join(' ').size() == 22",
    5 + 1 + 1,
    Number.NaN,
  ],
  [`quantity('12Mi').sign() == 1`, 1 + 1 + 1],
  [`isQuantity('20M')`, 1],
  [`quantity('200M') == quantity('0.2G')`, 3, Number.NaN],
  [`quantity('50k').add(20).sub(quantity('100k')).asInteger() > 0`, 6],
  [`quantity('50.703k').asApproximateFloat() > 0.0`, 3],
  ["authorizer.path('/healthz').check('get').allowed()", 350_003],
  [
    "authorizer.group('apps').resource('deployments').subresource('status').namespace('test').name('backend').check('create').allowed()",
    350_007,
  ],
  ['sets.contains([], [])', 1, 2 * list + 1],
  ['sets.contains([1, 2, 3, 4], [2, 3])', 9, 2 * list + 9],
  ['sets.equivalent([1, 2], [2, 1])', 9, 2 * list + 9],
]

for (const [expression, run, most = run] of table) {
  test(`A2.73, Y-03, Y-04: ${expression} costs ${run}`, () => {
    const { cost, estimate } = costOf(expression)
    assert.is(cost, run)
    if (Number.isNaN(most)) assert.ok(estimate.max > 10_000_000)
    else assert.is(estimate.max, most)
    assert.ok(estimate.max >= cost)
  })
}

test('two checks fit one evaluation, a third does not', () => {
  const check = "authorizer.path('/a').check('get').allowed()"
  assert.is(costOf(`${check} && ${check}`).stopped, undefined)
  assert.is(costOf(`${check} && ${check} && ${check}`).stopped, 'limit')
})

test.run()
