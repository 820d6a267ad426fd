import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { flagDuplicates } from '../../../../runtime/kernel/values/duplicates.ts'

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

test('a long list costs its length', () => {
  const items = Array.from({ length: 50_000 }, (_, at) => `item-${at}`)
  const start = process.cpuUsage().user
  assert.not.ok(flagDuplicates(items).includes(true))
  assert.ok(process.cpuUsage().user - start < 500_000)
})

test.run()
