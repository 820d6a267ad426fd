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
  ['a>9223372036854775806', { a: '9223372036854775807' }, true],
  ['a>9223372036854775807', { a: '9223372036854775807' }, false],
  ['a in (in, notin)', { a: 'in' }, true],
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

const integer = "for 'Gt', 'Lt' operators, the value must be an integer"
const refused: Readonly<Record<string, string>> = {
  'a in b': "unable to parse requirement: found 'b' expected: '('",
  'a in (b': "unable to parse requirement: found '', expected: ',' or ')'",
  'a in (': "unable to parse requirement: found '', expected: ',', ')' or identifier",
  'a in (b,,)': "unable to parse requirement: found ')', expected: ',', or identifier",
  'a in (b=': "unable to parse requirement: found '=', expected: ',' or ')'",
  '=b': "found '=', expected: !, identifier, or 'end of string'",
  'a=b,': "found '', expected: identifier after ','",
  'a b': "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
  '!a=b': "found '=', expected: ',' or 'end of string'",
  '!': "unable to parse requirement: found '', expected: identifier",
  'a==!': "unable to parse requirement: found '!', expected: identifier",
  'a,,b': "found ',', expected: identifier after ','",
  'a>x': `unable to parse requirement: values[0]: Invalid value: "x": ${integer}`,
  'a>9223372036854775808': `unable to parse requirement: values[0]: Invalid value: "9223372036854775808": ${integer}`,
}

for (const [text, want] of Object.entries(refused)) {
  labels(`${text} is no selector (L-11)`, () => {
    try {
      parseLabelSelector(text)
      assert.unreachable(text)
    } catch (error) {
      assert.ok(isStatus(error, 'BadRequest'), text)
      assert.is((error as Error).message, want)
    }
  })
}

for (const text of ['-a', 'a=-', 'a>-1', 'a/b/c', 'a in (b,-)']) {
  labels(`a selector says what is wrong with the label in ${text} (L-11)`, () => {
    assert.throws(() => parseLabelSelector(text), /^unable to parse requirement: .*Invalid value: /)
  })
}

labels('in a set nothing is the empty text', () => {
  for (const text of ['a in ()', 'a in (,)', 'a in (,,,b)', 'a in (b,)', 'a in (b,,c)']) {
    assert.ok(parseLabelSelector(text)[0]?.values.includes(''), text)
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
