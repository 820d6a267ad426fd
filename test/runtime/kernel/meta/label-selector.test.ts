import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import {
  labelRequirementsOf,
  matchesLabels,
  printLabelSelector,
} from '../../../../runtime/kernel/meta/label-selector.ts'
import { parseLabelSelector } from '../../../../runtime/kernel/meta/label-selector-parser.ts'

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

const requirement = 'unable to parse requirement: '
const namePart = 'name part must consist of alphanumeric characters'
const label = 'a valid label must be an empty string or consist of alphanumeric characters'
const integer = "for 'Gt', 'Lt' operators, the value must be an integer"

/** What public servers say of each: whole, or its beginning. */
const refused: readonly [text: string, message: string][] = [
  ['a in b', `${requirement}found 'b' expected: '('`],
  ['a in', `${requirement}found '' expected: '('`],
  ['a in (', `${requirement}found '', expected: ',', ')' or identifier`],
  ['a in (b', `${requirement}found '', expected: ',' or ')'`],
  ['a in (b=c)', `${requirement}found '=', expected: ',' or ')'`],
  ['a in (,', `${requirement}found '', expected: ',', or identifier`],
  ['a in (b,,)', `${requirement}found ')', expected: ',', or identifier`],
  ['a in (-)', `${requirement}values[0][a]: Invalid value: "-": ${label}`],
  ['=b', "found '=', expected: !, identifier, or 'end of string'"],
  [',a', "found ',', expected: !, identifier, or 'end of string'"],
  ['a=b,', "found '', expected: identifier after ','"],
  ['a,,b', "found ',', expected: identifier after ','"],
  ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ['!a=b', "found '=', expected: ',' or 'end of string'"],
  ['!', `${requirement}found '', expected: identifier`],
  ['a===b', `${requirement}found '=', expected: identifier`],
  ['a b', `${requirement}found 'b', expected: in, notin, =, ==, !=, gt, lt`],
  ['a!b', `${requirement}found '!', expected: in, notin, =, ==, !=, gt, lt`],
  ['a>x', `${requirement}values[0]: Invalid value: "x": ${integer}`],
  ['a>9223372036854775808', `${requirement}values[0]: Invalid value: "9223372036854775808": `],
  ['-a', `${requirement}<nil>: Invalid value: "-a": ${namePart}`],
  ['a/b/c', `${requirement}<nil>: Invalid value: "a/b/c": a qualified name must consist of`],
  ['a=-', `${requirement}values[0][a]: Invalid value: "-": ${label}`],
]

labels('a selector that cannot be read is a bad request that says why (L-11)', () => {
  for (const [text, message] of refused) {
    try {
      parseLabelSelector(text)
      assert.unreachable(text)
    } catch (error) {
      assert.ok(isStatus(error, 'BadRequest'), text)
      assert.is((error as Error).message.slice(0, message.length), message, text)
    }
  }
})

labels('empty places of a set are the empty value', () => {
  for (const [text, values] of [
    ['a in ()', ['']],
    ['a in (,)', ['']],
    ['a in (,b)', ['', 'b']],
    ['a in (b,)', ['', 'b']],
    ['a in (b,,c)', ['', 'b', 'c']],
    ['a in (in,notin)', ['in', 'notin']],
    ['a=', ['']],
    ['a=,b', ['']],
  ] as const)
    assert.equal(parseLabelSelector(text)[0]?.values, values, text)
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
