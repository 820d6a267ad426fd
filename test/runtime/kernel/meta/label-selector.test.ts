import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import {
  labelRequirementsOf,
  matchesLabels,
  parseLabelSelector,
  printLabelSelector,
} from '../../../../runtime/kernel/meta/label-selector.ts'

const labels = suite('runtime/kernel/labels')

const cases: readonly [string, Readonly<Record<string, string>>, boolean][] = [
  ['', {}, true],
  ['a=b', { a: 'b' }, true],
  ['a==b', { a: 'b' }, true],
  ['a=b', { a: 'c' }, false],
  ['a=b', {}, false],
  ['a=', { a: '' }, true],
  ['a!=b', {}, true],
  ['a!=b', { a: 'b' }, false],
  ['a in (b, c)', { a: 'c' }, true],
  ['a in (b,c)', { a: 'd' }, false],
  ['a notin (b)', {}, true],
  ['a notin (b)', { a: 'b' }, false],
  ['a', { a: '' }, true],
  ['a', {}, false],
  ['!a', {}, true],
  ['!a', { a: '1' }, false],
  ['a>1', { a: '2' }, true],
  ['a>1', { a: '1' }, false],
  ['a<3,b', { a: '2', b: 'x' }, true],
  ['a<3', { a: 'x' }, false],
  ['example.com/a = b , c', { 'example.com/a': 'b', c: '' }, true],
  ['constructor', {}, false],
]

labels('a selector selects what its requirements say (L-11)', () => {
  for (const [text, given, want] of cases) {
    assert.is(
      matchesLabels(parseLabelSelector(text), given),
      want,
      `${text} ${JSON.stringify(given)}`,
    )
  }
})

labels('a printed selector parses to the same requirements', () => {
  for (const [text] of cases) {
    const requirements = parseLabelSelector(text)
    assert.equal(parseLabelSelector(printLabelSelector(requirements)), requirements)
  }
})

labels('a selector that cannot be read is a bad request (L-11)', () => {
  for (const text of ['a in b', 'a in (b', '=b', 'a=b,', 'a b', 'a>x', '-a', 'a=-', '!', 'a,,b']) {
    try {
      parseLabelSelector(text)
      assert.unreachable(text)
    } catch (error) {
      assert.ok(isStatus(error, 'BadRequest'), text)
      assert.match((error as Error).message, /^unable to parse requirement: /)
    }
  }
})

labels('a selector object means the same as its text', () => {
  const requirements = labelRequirementsOf({
    matchLabels: { b: '1' },
    matchExpressions: [
      { key: 'a', operator: 'In', values: ['y', 'x'] },
      { key: 'c', operator: 'DoesNotExist' },
    ],
  })
  assert.is(printLabelSelector(requirements ?? []), 'a in (x,y),b=1,!c')
  assert.is(
    labelRequirementsOf({ matchExpressions: [{ key: 'a', operator: 'constructor' }] }),
    undefined,
  )
})

labels.run()
