import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  canonicalAddress,
  familyOf,
  plainAddress,
} from '../../../../runtime/kernel/values/ip-ranges.ts'

const test = suite('runtime/kernel/values/ip-ranges')

const cases: readonly (readonly [
  text: string,
  family: 4 | 6 | undefined,
  canonical: string | undefined,
  plain: string | undefined,
])[] = [
  ['10.0.0.1', 4, '10.0.0.1', '10.0.0.1'],
  ['010.000.0.01', 4, '10.0.0.1', '10.0.0.1'],
  [`${'0'.repeat(100_000)}10.0.0.1`, 4, '10.0.0.1', '10.0.0.1'],
  [`${'0'.repeat(100_000)}x.0.0.1`, undefined, undefined, undefined],
  ['0.0.0.0', 4, '0.0.0.0', '0.0.0.0'],
  ['10.0.0.', undefined, undefined, undefined],
  ['2001:DB8::0', 6, '2001:db8::', '2001:db8::'],
  ['::ffff:010.0.0.01', 6, '::ffff:a00:1', '10.0.0.1'],
  ['fe80::1%eth0', undefined, undefined, undefined],
]

for (const [text, family, canonical, plain] of cases) {
  test(`the family and the forms of ${text.length < 50 ? text : `${text.length} characters`}`, () => {
    assert.is(familyOf(text), family)
    assert.is(canonicalAddress(text), canonical)
    assert.is(plainAddress(text), plain)
  })
}

test.run()
