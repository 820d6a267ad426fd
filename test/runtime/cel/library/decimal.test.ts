import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fixedText, scientificText } from '../../../../runtime/cel/library/decimal.ts'

const test = suite('runtime/cel/library/decimal')

const fixed: readonly (readonly [number, number, string])[] = [
  [1.2345, 3, '1.234'],
  [2.5, 0, '2'],
  [1.5, 0, '2'],
  [0.5, 0, '0'],
  [3.5001, 0, '4'],
  [-123.4999, 3, '-123.500'],
  [9.999, 2, '10.00'],
  [0.001, 2, '0.00'],
  [0.006, 2, '0.01'],
  [0, 2, '0.00'],
  [1e21, 1, '1000000000000000000000.0'],
  [5e-324, 3, '0.000'],
]
for (const [value, digits, want] of fixed) {
  test(`${value} with ${digits} digits is ${want}`, () => {
    assert.is(fixedText(value, digits), want)
  })
}

const scientific: readonly (readonly [number, number, string])[] = [
  [1052.032911275, 6, '1.052033e+03'],
  [31.25, 6, '3.125000e+01'],
  [0, 2, '0.00e+00'],
  [9.99, 1, '1.0e+01'],
  [2.5, 0, '2e+00'],
  [5e-324, 2, '4.94e-324'],
  [-1e100, 1, '-1.0e+100'],
]
for (const [value, digits, want] of scientific) {
  test(`${value} with ${digits} digits and an exponent is ${want}`, () => {
    assert.is(scientificText(value, digits), want)
  })
}

test('what is printed with enough digits is the number', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      assert.is(Number(scientificText(value, 17)), value)
    }),
  )
})

test('no tie apart, it prints what toFixed prints', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (value) => {
      if (value !== 0) assert.is(fixedText(value, 7), value.toFixed(7))
    }),
  )
})

test.run()
