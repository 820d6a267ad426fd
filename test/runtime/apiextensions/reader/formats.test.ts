/** The forms of text that a schema may ask for (C-11). */
import '../../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatCheck } from '../../../../runtime/apiextensions/reader/formats.ts'

const test = suite('runtime/apiextensions: formats')

const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['507f1f77', 'zzzf1f77bcf86cd799439011']],
  ['uri', ['https://example.com/a?b=c', '/relative', 'urn:a:b'], ['not a uri', '']],
  ['email', ['a.b@example.com'], ['a.example.com', 'a@', '@b']],
  ['hostname', ['example.com', 'a-b.c'], ['-a.b', 'a..b', 'a_b']],
  ['ipv4', ['10.0.0.1'], ['10.0.0.256', '::1']],
  ['ipv6', ['::1', 'fe80::1'], ['10.0.0.1', 'g::1']],
  ['cidr', ['10.0.0.0/8', 'fe80::/64'], ['10.0.0.0', '10.0.0.0/33', '/8']],
  ['mac', ['01:23:45:67:89:ab', '01-23-45-67-89-AB'], ['01:23:45:67:89', '01:23-45:67:89:ab']],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567']],
  ['uuid3', ['a3bb189e-8bf9-3888-9912-ace4e6543002'], ['a3bb189e-8bf9-4888-9912-ace4e6543002']],
  ['uuid4', ['a3bb189e-8bf9-4888-9912-ace4e6543002'], ['a3bb189e-8bf9-3888-9912-ace4e6543002']],
  ['uuid5', ['a3bb189e-8bf9-5888-9912-ace4e6543002'], ['a3bb189e-8bf9-3888-9912-ace4e6543002']],
  ['isbn', ['0-306-40615-2', '978-0-306-40615-7'], ['0-306-40615-3']],
  ['isbn10', ['0306406152'], ['9780306406157']],
  ['isbn13', ['9780306406157'], ['0306406152']],
  ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112', 'x']],
  ['ssn', ['123-45-6789'], ['123-456-789']],
  ['hexcolor', ['#fff', '00FF00'], ['#ff', 'red']],
  ['rgbcolor', ['rgb(0, 255, 7)'], ['rgb(0,256,7)', 'rgb(1,2)']],
  ['byte', ['aGVsbG8=', ''], ['a', 'a$==']],
  ['password', ['anything'], []],
  ['date', ['2024-02-29'], ['2023-02-29', '24-1-1']],
  ['duration', ['1h30m', '300ms', '0', '5 minutes'], ['1x', 'h', '']],
  [
    'date-time',
    ['2024-02-29T23:59:60Z', '2024-01-01T00:00:00.123+02:00'],
    ['2024-02-30T00:00:00Z', '2024-01-01'],
  ],
]

for (const [format, fits, misfits] of rows) {
  test(`${format}: what fits and what does not`, () => {
    const check = formatCheck(format)
    assert.type(check, 'function')
    for (const text of fits) assert.ok(check?.(text), `${text} fits`)
    for (const text of misfits) assert.not.ok(check?.(text), `${text} does not fit`)
  })
}

test('a format that nobody knows is not looked at', () => {
  assert.is(formatCheck('int32'), undefined)
  assert.is(formatCheck('constructor'), undefined)
})

test('a text is looked at in time linear in its length: a look beyond that would never end here', () => {
  const long = `${'1'.repeat(4_000_000)}!`
  for (const [format] of rows) assert.is(formatCheck(format)?.(long), format === 'password', format)
})

test.run()
