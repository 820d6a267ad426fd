import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  countIndexes,
  firstFree,
  hasIndex,
  parseIndexes,
  printIndexes,
  withIndexes,
} from '../../../../runtime/controller-manager/batch/job/index-ranges.ts'

const test = suite('runtime/controller-manager: indexes of jobs (T-05)')

test('indexes are written as ranges; two neighbours are none', () => {
  assert.is(printIndexes(withIndexes([], [1, 3, 4, 5, 7, 8])), '1,3-5,7,8')
})

test('what is no range, or beyond the last index, is left out', () => {
  assert.equal(parseIndexes('x,1-,2,4-9,12', 8), [
    [2, 2],
    [4, 7],
  ])
})

const sets = fc.uniqueArray(fc.nat(60), { maxLength: 40 })

test('ranges hold just the indexes that were put in, in any order and by way of their text', () => {
  fc.assert(
    fc.property(sets, sets, (some, more) => {
      const text = printIndexes(withIndexes(withIndexes([], some), more))
      const ranges = parseIndexes(text, 100)
      const all = new Set([...some, ...more])
      assert.is(countIndexes(ranges), all.size)
      for (let index = 0; index < 62; index++) assert.is(hasIndex(ranges, index), all.has(index))
    }),
  )
})

test('the first free ones are those of the rest, in order', () => {
  fc.assert(
    fc.property(sets, fc.nat(70), fc.nat(10), (taken, completions, count) => {
      const rest = Array.from({ length: completions }, (_, index) => index)
      const want = rest.filter((index) => !taken.includes(index)).slice(0, count)
      assert.equal(firstFree(withIndexes([], taken), count, completions), want)
    }),
  )
})

test.run()
