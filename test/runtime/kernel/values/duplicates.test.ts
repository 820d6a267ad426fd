import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { flagDuplicates } from '../../../../runtime/kernel/values/duplicates.ts'
import { countedList } from '../../../support/counted-list.ts'

const test = suite('runtime/kernel: repeated items')

test('an item is repeated if an equal one stands before it', () => {
  assert.equal(flagDuplicates(['a', 'b', 'a', undefined, undefined]), [
    false,
    false,
    true,
    false,
    true,
  ])
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2 })), (items) => {
      const want = items.map((item, at) => items.indexOf(item) < at)
      assert.equal(flagDuplicates(items), want)
    }),
  )
})

test('each item of a long list is read once', () => {
  const { list, reads } = countedList(Array.from({ length: 50_000 }, (_, at) => `item-${at}`))
  assert.not.ok(flagDuplicates(list).includes(true))
  assert.is(reads(), 50_000)
})

test.run()
