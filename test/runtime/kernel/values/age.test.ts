import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatAge, since } from '../../../../runtime/kernel/values/age.ts'

const test = suite('runtime/apis: ages')

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

/** M-09 */
const steps: readonly [ms: number, want: string][] = [
  [-2 * second, '<invalid>'],
  [-1999, '0s'],
  [-1, '0s'],
  [0, '0s'],
  [999, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [2 * minute + 1999, '2m1s'],
  [10 * minute - 1, '9m59s'],
  [10 * minute + 59 * second, '10m'],
  [3 * hour - 1, '179m'],
  [3 * hour, '3h'],
  [7 * hour + 59 * minute, '7h59m'],
  [8 * hour + 59 * minute, '8h'],
  [48 * hour - 1, '47h'],
  [48 * hour, '2d'],
  [52 * hour, '2d4h'],
  [8 * day + 23 * hour, '8d'],
  [2 * year - 1, '729d'],
  [2 * year, '2y'],
  [2 * year + 3 * day, '2y3d'],
  [8 * year + 3 * day, '8y'],
]

for (const [ms, want] of steps) {
  test(`${ms} ms are printed as ${want}`, () => assert.is(formatAge(ms), want))
}

test('no time has no age', () => {
  assert.is(since(undefined, 0), '<unknown>')
  assert.is(since(null, 0), '<unknown>')
  assert.is(since('yesterday', 0), '<unknown>')
})

test('an age is the distance to the given moment', () => {
  assert.is(since('2024-01-01T00:00:00Z', Date.parse('2024-01-01T00:05:12Z')), '5m12s')
})

test.run()
