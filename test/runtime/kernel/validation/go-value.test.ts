import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  goValue,
  shownIntOrString,
  shownSelector,
  shownStrings,
} from '../../../../runtime/kernel/validation/go-value.ts'

const test = suite('runtime/kernel/validation: values as Go writes them')

const table: readonly (readonly [value: unknown, text: string])[] = [
  [undefined, '"null"'],
  [null, '"null"'],
  ['a "b"\n', '"a \\"b\\"\\n"'],
  ['\u0000\u0007\u007f\\u0001', '"\\x00\\a\\x7f\\\\u0001"'],
  [-1, '-1'],
  [2n ** 60n, '1152921504606846976'],
  [true, 'true'],
  [[], '[]string{}'],
  [['a', 'b'], '[]string{"a", "b"}'],
  [{ key: 'a' }, '{"key":"a"}'],
  [shownStrings({ b: '2', a: '1' }), 'map[string]string{"a":"1", "b":"2"}'],
  [shownStrings(undefined), 'map[string]string(nil)'],
  [shownIntOrString(3), 'intstr.IntOrString{Type:0, IntVal:3, StrVal:""}'],
  [shownIntOrString('25%'), 'intstr.IntOrString{Type:1, IntVal:0, StrVal:"25%"}'],
  [
    shownSelector({}),
    'v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}',
  ],
  [
    { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['d'] }] },
    'v1.LabelSelector{MatchLabels:map[string]string{"a":"b"}, MatchExpressions:[]v1.LabelSelectorRequirement{' +
      'v1.LabelSelectorRequirement{Key:"c", Operator:"In", Values:[]string{"d"}}}}',
  ],
]

for (const [value, text] of table) {
  test(text, () => assert.is(goValue(value), text))
}

test('a long text is cut', () => {
  assert.is(goValue('x'.repeat(5000)).length, 1024 + '"..."'.length)
})

test.run()
