import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { whyNotLinear } from '../../../../../codegen/schema/lint/pattern/linear.ts'

const test = suite('codegen/schema: patterns')

const linear = [
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
  '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$',
  '^\\d{1,3}(\\.\\d{1,3}){3}$',
  '^(0|[1-9][0-9]*)$',
  '^https?://[^/]+(/.*)?$',
  '^([a-z]+=[^,]*)(,[a-z]+=[^,]*)*$',
  '^.*$',
  'abc',
  '^$',
]
for (const pattern of linear) {
  test(`${pattern} is linear`, () => assert.is(whyNotLinear(pattern), undefined))
}

const slow: readonly (readonly [pattern: string, why: RegExp])[] = [
  ['^(a+)+$', /exponentially/],
  ['^(a|a)*$', /exponentially/],
  ['^(a|ab|b)*$', /exponentially/],
  ['^([a-z]+\\.?)*$', /exponentially/],
  ['^(.*,)*x$', /exponentially/],
  ['^a*a*$', /share/],
  ['^\\d+[0-9a-f]*$', /share/],
  ['^a*b?a*$', /share/],
  ['[a-z]+@', /share/],
  ['^(?=x)x$', /not known/],
  ['^(a)\\1$', /not known/],
  ['^a|b$', /one branch/],
  ['^(a{1,50}){1,50}$', /too large/],
]
for (const [pattern, why] of slow) {
  test(`${pattern} is refused`, () => assert.match(whyNotLinear(pattern) ?? '', why))
}

test.run()
