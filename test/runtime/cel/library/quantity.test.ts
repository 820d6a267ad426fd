import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compareQuantities, parseQuantity } from '../../../../runtime/kernel/values/quantity.ts'
import { outcomeOf } from '../../../support/expressions.ts'

const test = suite('runtime/cel/library/quantity')

const texts = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.nat(10_000),
    fc.constantFrom('', '.5', '.25'),
    fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3'),
  )
  .map((parts) => parts.join(''))

function holds(expression: string, bindings: Readonly<Record<string, unknown>>): void {
  assert.equal(
    outcomeOf(expression, bindings),
    true,
    `${expression} of ${Object.values(bindings).join()}`,
  )
}

test('Y-02 a text that is no quantity says whether its suffix is what is wrong', () => {
  const suffix = "unable to parse quantity's suffix"
  const form =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  for (const text of ['200K', '1e', '1mm', '1i', '1-5']) {
    assert.equal(outcomeOf('quantity(text)', { text }), { error: suffix }, text)
  }
  for (const text of ['', '1h30m', '1.2.3', '1 Gi', '1Gi ', 'Three', '-.5Q']) {
    assert.equal(outcomeOf('quantity(text)', { text }), { error: form }, text)
  }
})

test('Y-02 what was added is taken away again', () => {
  fc.assert(
    fc.property(texts, texts, fc.integer(), (a, b, n) => {
      holds('quantity(a).add(quantity(b)).sub(quantity(b)) == quantity(a)', { a, b })
      holds('quantity(a).add(n).sub(n) == quantity(a)', { a, n })
      holds('quantity(a).add(quantity(b)) == quantity(b).add(quantity(a))', { a, b })
    }),
  )
})

test('Y-02 the order is that of quantities, and the comparisons agree', () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      const order = compareQuantities(parseQuantity(a)!, parseQuantity(b)!)
      holds('quantity(a).compareTo(quantity(b)) == order', { a, b, order })
      holds('quantity(a).isLessThan(quantity(b)) == (order < 0)', { a, b, order })
      holds('quantity(a).isGreaterThan(quantity(b)) == (order > 0)', { a, b, order })
      holds('(quantity(a) == quantity(b)) == (order == 0)', { a, b, order })
      holds('quantity(a).sub(quantity(b)).sign() == order', { a, b, order })
    }),
  )
})

test('Y-02 an integer is the number that it shows', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n) + 2n, max: 2n ** 63n - 2n }), (n) => {
      const text = String(n)
      holds('quantity(text).isInteger() && quantity(text).asInteger() == n', { text, n })
      holds('quantity(text).asApproximateFloat() == double(n)', { text, n })
    }),
  )
})

test.run()
