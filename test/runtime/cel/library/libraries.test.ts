import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outcomeOf } from '../../../support/expressions.ts'

const test = suite('runtime/cel/library')

/** Expressions that hold, by what they show. */
const true_: Readonly<Record<string, readonly string[]>> = {
  'A2.45 lists know their order, extremes and sum': [
    '[1, 2, 2, 3].isSorted()',
    '![2.0, 1.0].isSorted()',
    "['a', 'b', 'b'].isSorted()",
    '[].isSorted()',
    '[false, true].isSorted()',
    "[duration('1s'), duration('1m')].isSorted()",
    "[timestamp('2011-01-01T00:00:00Z'), timestamp('2011-01-02T00:00:00Z')].isSorted()",
    "[b'a', b'b'].isSorted()",
    '[1, 3].sum() == 4',
    '[1u, 3u].sum() == 4u',
    '[1.0, 3.5].sum() == 4.5',
    "[duration('1m'), duration('1s')].sum() == duration('1m1s')",
    '[].sum() == 0',
    '[1, 3, 2].min() == 1 && [1, 3, 2].max() == 3',
    "['b', 'a'].min() == 'a'",
    '[1, 2, 2, 3].indexOf(2) == 1',
    '[1, 2, 2, 3].lastIndexOf(2) == 2',
    '[1].indexOf(5) == -1',
    "[].indexOf('x') == -1",
    'dyn([3, 1]).min() == 1',
    'dyn([1.5, 2.5]).sum() == 4.0',
  ],
  'A2.46 patterns are found': [
    "'abc 123 def 456'.find('[0-9]+') == '123'",
    "'abc'.find('[0-9]+') == ''",
    "'123 abc 456'.findAll('[0-9]+') == ['123', '456']",
    "'123 abc 456'.findAll('[0-9]+', 1) == ['123']",
    "'123 abc 456'.findAll('[0-9]+', 0) == []",
    "'123 abc 456'.findAll('[0-9]+', -1) == ['123', '456']",
    "'abc'.findAll('b*') == ['', 'b', '']",
    "'a\u{1f600}b'.findAll('.') == ['a', '\u{1f600}', 'b']",
    "['[0-9]', '[a-z]'].map(p, 'a1'.find(p)) == ['1', 'a']",
  ],
  'A2.47 URLs have parts': [
    "isURL('https://user:pass@example.com:80/path?query=val#fragment')",
    "isURL('/absolute-path')",
    "!isURL('https://a:b:c/') && !isURL('../relative-path')",
    "url('https://example.com:80/').getHost() == 'example.com:80'",
    "url('https://[::1]:80/').getHostname() == '::1'",
    "url('https://example.com:80/').getPort() == '80'",
    "url('https://example.com/path with spaces/').getEscapedPath() == '/path%20with%20spaces/'",
    "url('/path').getScheme() == ''",
    "url('https://h/p?k1=a&k2=b&k2=c').getQuery() == {'k1': ['a'], 'k2': ['b', 'c']}",
    "url('https://h/p?').getQuery() == {}",
    "url('https://h/a') == url('https://h/a') && url('https://h/a') != url('https://h/b')",
    "type(url('/a')) == api.URL",
  ],
  'Y-01 strings': [
    "'tacocat'.charAt(3) == 'o'",
    "'a\u{1f600}b'.charAt(1) == '\u{1f600}'",
    "'hello mellow'.indexOf('ello', 2) == 7",
    "'hello mellow'.lastIndexOf('ello', 6) == 1",
    "'TacoCÆt'.lowerAscii() == 'tacocÆt' && 'tacoCαt'.upperAscii() == 'TACOCαT'",
    "'hello hello'.replace('he', 'we', 1) == 'wello hello'",
    "'a b c'.split(' ', 2) == ['a', 'b c']",
    "['x', 'y'].join('-') == 'x-y'",
    "'tacocat'.substring(0, 4) == 'taco'",
    "'  \\ttrim\\n    '.trim() == 'trim'",
    'strings.quote(\'a"b\') == \'"a\\\\"b"\'',
    "'%s is %d and %.2f'.format([dyn('x'), 5, 2.5]) == 'x is 5 and 2.50'",
    "'%s'.format([[dyn(1), 'a', null, {'k': true}]]) == '[1, a, null, {k: true}]'",
    "'%x %X %b %o'.format([255, 255, 5, 8]) == 'ff FF 101 10'",
    "'%e'.format([1052.0]) == '1.052000e+03'",
  ],
  'Y-02 quantities': [
    "quantity('1.5G').isGreaterThan(quantity('1G'))",
    "isQuantity('1.3Gi') && !isQuantity('1,3G') && !isQuantity('200K') && !isQuantity('Three')",
    "quantity('50k').asInteger() == 50000",
    "quantity('1.5').isInteger() == false",
    "!quantity('9999999999999999999999999999999999999G').isInteger()",
    "quantity('50k').sub(20000).asApproximateFloat() == 30000.0",
    "quantity('-5').sign() == -1 && quantity('0').sign() == 0 && quantity('5').sign() == 1",
    "quantity('50k').add(quantity('20k')) == quantity('70k')",
    "quantity('50k').add(20) == quantity('50020')",
    "quantity('200M').compareTo(quantity('0.2G')) == 0",
    "quantity('50M').compareTo(quantity('50Mi')) == -1",
    "quantity('50M').isLessThan(quantity('50Mi'))",
    "quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')",
  ],
  sets: [
    'sets.contains([1, 2, 3], [2, 3]) && !sets.contains([1], [2])',
    'sets.contains([], []) && sets.contains([1], [])',
    'sets.equivalent([1, 2, 2], [2, 1]) && !sets.equivalent([1], [1, 2])',
    'sets.intersects([1, 2], [2, 3]) && !sets.intersects([1], [])',
    'sets.contains([1], [dyn(1u), 1.0])',
  ],
}

for (const [name, expressions] of Object.entries(true_)) {
  for (const expression of expressions) {
    test(`${name}: ${expression}`, () => {
      assert.equal(outcomeOf(expression), true)
    })
  }
}

const errors: readonly (readonly [string, string])[] = [
  ['[].min() == 1', 'min called on empty list'],
  ['[].max() == 1', 'max called on empty list'],
  ['[9223372036854775807, 1].sum() == 0', 'integer overflow'],
  ["dyn([dyn('a'), 1]).isSorted()", 'no such overload'],
  [
    "url('../a') == url('/')",
    'URL parse error during conversion from string: parse "../a": invalid URI for request',
  ],
  ["quantity('200K').sign() == 0", "unable to parse quantity's suffix"],
  ["quantity('1.5').asInteger() == 1", 'cannot convert value to integer'],
  ["'abc'.charAt(4) == ''", 'index out of range: 4'],
  ["'abc'.substring(2, 1) == ''", 'invalid substring range. start: 2, end: 1'],
  ["'%d'.format([]) == ''", 'index 0 out of range'],
  [
    "'%d'.format(['a']) == ''",
    'error during formatting: decimal clause can only be used on integers, was given string',
  ],
  [
    "'%.9999f'.format([1.0]) == ''",
    'could not parse formatting clause: a precision may not exceed 1000',
  ],
  ["'abc'.find('[' + '') == ''", 'Illegal regex: error parsing regexp: missing closing ]: `[`'],
]
for (const [expression, error] of errors) {
  test(`${expression} is the error ${error}`, () => {
    assert.equal(outcomeOf(expression), { error })
  })
}

const refused: readonly (readonly [string, RegExp])[] = [
  ["'a'.find('[')", /invalid matches argument|error parsing regexp/],
  ["'a'.charAt('b')", /found no matching overload for 'charAt' applied to 'string\.\(string\)'/],
  ['[{}].isSorted()', /found no matching overload for 'isSorted'/],
  ["['a'].sum()", /found no matching overload for 'sum'/],
  ["url('/a').sign()", /found no matching overload for 'sign'/],
  ["ip('1.2.3.4')", /undeclared reference to 'ip'/],
]
for (const [expression, error] of refused) {
  test(`${expression} does not compile`, () => {
    assert.match((outcomeOf(expression) as { issue?: string }).issue ?? '', error)
  })
}

test('a text that would be longer than an evaluation can afford is an error, at once', () => {
  const big = 'x'.repeat(1_000_000)
  for (const expression of [
    "big.replace('x', big) == ''",
    "'%s%s%s%s%s%s%s%s%s%s%s%s'.format([big, big, big, big, big, big, big, big, big, big, big, big]) == ''",
    "[big, big, big, big, big, big, big, big, big, big, big].join('') == ''",
  ]) {
    const outcome = outcomeOf(expression, { big }) as { error: string }
    assert.match(outcome.error, /the result is longer than 10000000 characters/)
  }
})

test('work that costs do not see stops an evaluation, whatever was remembered of former ones', () => {
  const big = 'x'.repeat(3_000_000)
  const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}`)
  for (const expression of [
    "keys.all(k, big.charAt(2999999) == 'x')",
    "big.replace('', 'y') != ''",
    'keys.all(k, k.matches(k))',
    "keys.all(k, ''.find('(a{1,900}){1,1}' + k) == '')",
    "keys.all(k, url('/?' + big).getQuery().size() > 0)",
    "keys.all(k, '%s'.format([keys]) != '')",
  ]) {
    const spent = [1, 2].map(() => outcomeOf(expression, { big, keys }))
    assert.equal(spent, [{ error: 'limit' }, { error: 'limit' }], expression)
  }
})

test('a pattern that is not a literal serves every item of a list', () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}`)
  assert.is(outcomeOf('keys.all(k, k.matches(pattern))', { keys, pattern: '^k[0-9]+$' }), true)
})

test.run()
