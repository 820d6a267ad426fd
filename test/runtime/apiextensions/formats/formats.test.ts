/** The forms of text that a schema may ask for (C-11). */
import '../../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatCheck } from '../../../../runtime/apiextensions/formats/formats.ts'

const test = suite('runtime/apiextensions: formats')

const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['507f1f77', 'zzzf1f77bcf86cd799439011']],
  [
    'uri',
    [
      'https://example.com/a?b=c',
      '/relative',
      '/x y',
      'urn:a:b',
      'a:b',
      '*',
      'http://[::1]:80/x',
      'http://[fe80::1%25en0]/',
      'http://u:p@h:1/%41',
      '//h/x',
    ],
    ['not a uri', '', 'http://h x/', 'http://h:x/', '/%4', ':a', 'http://[1.2.3.4]/', '/a\t'],
  ],
  [
    'email',
    [
      'a.b@example.com',
      'X <x@y.z>',
      '"X, Y" <a@b>',
      '"a b"@c.d',
      'a@[1.2.3.4]',
      'a@b (c)',
      '\u00fc@\u00fc.de',
    ],
    ['a.example.com', 'a@', '@b', 'a..b@c', 'X x@y.z', 'a@[b]', 'a@b (c', '""@a'],
  ],
  [
    'hostname',
    ['example.com', 'a-b.co', 'b\u00fccher.ch', '1.example', 'a-b', '\u2764.com'],
    ['-a.b', 'a..b', 'a_b', '10.0.0.1', 'a.com.', 'a.c', `${'a'.repeat(64)}.com`],
  ],
  ['ipv4', ['10.0.0.1', '010.0.0.1', '::ffff:1.2.3.4'], ['10.0.0.256', '::1', '1.2.3']],
  ['ipv6', ['::1', 'fe80::1', '::ffff:1.2.3.4'], ['10.0.0.1', 'g::1', 'fe80::1%eth0']],
  [
    'cidr',
    ['10.0.0.0/8', 'fe80::/64', '010.0.0.0/08', '01080::/64'],
    ['10.0.0.0', '10.0.0.0/33', '/8', 'fe80::1%e/64', '10.0.0.0/+8'],
  ],
  [
    'mac',
    ['01:23:45:67:89:ab', '01-23-45-67-89-AB', '0000.5e00.5301', '01:23:45:67:89:ab:cd:ef'],
    ['01:23:45:67:89', '01:23-45:67:89:ab', '0000.5e00', '0123456789ab'],
  ],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567']],
  ['uuid3', ['a3bb189e-8bf9-3888-1912-ace4e6543002'], ['a3bb189e-8bf9-4888-9912-ace4e6543002']],
  [
    'uuid4',
    ['a3bb189e-8bf9-4888-9912-ace4e6543002'],
    ['a3bb189e-8bf9-3888-9912-ace4e6543002', 'a3bb189e-8bf9-4888-1912-ace4e6543002'],
  ],
  ['uuid5', ['a3bb189e-8bf9-5888-9912-ace4e6543002'], ['a3bb189e-8bf9-3888-9912-ace4e6543002']],
  ['isbn', ['0-306-40615-2', '978-0-306-40615-7', '080442957X'], ['0-306-40615-3']],
  ['isbn10', ['0306406152'], ['9780306406157']],
  ['isbn13', ['9780306406157'], ['0306406152']],
  [
    'creditcard',
    ['4111 1111 1111 1111', 'x378282246310005', '6011111111111117'],
    ['4111 1111 1111 1112', 'x', '0000000000000000'],
  ],
  ['ssn', ['123-45-6789', '123 45 6789'], ['123-456-789', '078051120']],
  ['hexcolor', ['#fff', '00FF00'], ['#ff', 'red']],
  ['rgbcolor', ['rgb(0, 255, 7)'], ['rgb(0,256,7)', 'rgb(1,2)', 'rgb(00,1,2)']],
  ['byte', ['aGVsbG8=', 'QR=='], ['a', 'a$==', '', 'a-_=']],
  ['password', ['anything'], []],
  ['date', ['2024-02-29', '0000-01-01'], ['2023-02-29', '24-1-1', '2024-13-01']],
  [
    'duration',
    [
      '1h30m',
      '300ms',
      '0',
      '-1.5h',
      '1.s',
      '5 minutes',
      '1m 2s',
      'P1D',
      '1H',
      '1 Secondary',
      'in 3 days',
      '99999999999h',
    ],
    ['1x', 'h', '', '1', '9223372036854775808ns', '--1.s'],
  ],
  [
    'date-time',
    [
      '2024-02-29T23:59:59Z',
      '2024-01-01T00:00:00.123+02:00',
      '2024-01-01t00:00:00z',
      '2024-01-01T00:00:00ZT',
    ],
    [
      '2024-02-30T00:00:00Z',
      '2024-01-01',
      '2024-01-01 00:00:00Z',
      '2024-02-29T23:59:60Z',
      '2024-01-01T00:00:00-0700',
      '2024-01-01T24:00:00Z',
    ],
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
