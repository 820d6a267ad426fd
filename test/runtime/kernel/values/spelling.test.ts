import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { didYouMean, nearestName } from '../../../../runtime/kernel/values/spelling.ts'

const test = suite('runtime/kernel: nearest')

const cases: readonly (readonly [
  fact: string,
  name: string,
  names: readonly string[],
  want?: string,
])[] = [
  ['a letter too many is near', 'specc', ['spec', 'status'], 'spec'],
  ['two letters swapped are one edit', 'naem', ['name', 'node'], 'name'],
  ['case is near', 'maxlength', ['maxLength', 'minLength'], 'maxLength'],
  ['a beginning stands for the whole', 'int', ['integer', 'string'], 'integer'],
  ['another word is not near', 'zebra', ['spec', 'status']],
  ['of equals the first in the alphabet is taken', 'cat', ['hat', 'bat'], 'bat'],
  ['a short word may have a letter too many', 'ups', ['version', 'up'], 'up'],
  ['an empty word is near nothing', '', ['up']],
  ['nothing is near when there is nothing', 'spec', []],
]

for (const [fact, name, names, want] of cases) {
  test(fact, () => assert.is(nearestName(name, names), want))
}

test('a hint is empty without a near name', () => {
  assert.is(didYouMean('zebra', ['spec']), '')
  assert.is(didYouMean('specc', ['spec']), '; did you mean "spec"?')
})

test.run()
