import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Options, parseOptions } from '../../../../runtime/config/config.ts'
import { table } from '../table.ts'

const config = suite('runtime/config: parse')

type Row = readonly [name: string, argv: string, read: (options: Options) => unknown, want: unknown]

const rows: readonly Row[] = [
  ['a value follows after an equals sign', '--port=1', (o) => o.number('port'), 1],
  ['a value follows as the next word', '--port 1', (o) => o.number('port'), 1],
  ['the last of two values wins', '--port 1 --port 2', (o) => o.number('port'), 2],
  [
    'an underscore in a name counts as a hyphen',
    '--bind_address ::1',
    (o) => o.string('bind-address'),
    '::1',
  ],
  ['a value keeps its underscores', '--bind-address=a_b', (o) => o.string('bind-address'), 'a_b'],
  ['a value may hold equals signs', '--bind-address=a=b', (o) => o.string('bind-address'), 'a=b'],
  ['an empty value is a value', '--bind-address=', (o) => o.string('bind-address'), ''],
  ['a switch needs no value', '--enable', (o) => o.boolean('enable'), true],
  [
    'a switch is turned off after an equals sign',
    '--quiet=false',
    (o) => o.boolean('quiet'),
    false,
  ],
  ['a switch does not take the next word', '--quiet false', (o) => o.boolean('quiet'), true],
  ['a switch takes the short words for truth', '--enable=T', (o) => o.boolean('enable'), true],
  ['a negative number is a value', '--offset -1', (o) => o.number('offset'), -1],
  [
    'a flag takes the next word even if it looks like a flag',
    '--bind-address --port',
    (o) => o.string('bind-address'),
    '--port',
  ],
  ['a number may be hexadecimal', '--port 0x1F', (o) => o.number('port'), 31],
  ['a number with a leading zero is octal', '--port 017', (o) => o.number('port'), 15],
  [
    'a number may have a fraction where the flag allows it',
    '--rate 2.5e-1',
    (o) => o.number('rate'),
    0.25,
  ],
  ['a letter takes the rest of its word', '-v4', (o) => o.number('v'), 4],
  ['a letter takes what stands after an equals sign', '-v=4', (o) => o.number('v'), 4],
  ['a letter takes the next word', '-v 4', (o) => o.number('v'), 4],
  [
    'letters of switches stand together',
    '-eqv4',
    (o) => [o.boolean('enable'), o.number('v')],
    [true, 4],
  ],
  ['a letter of a switch is turned off', '-q=false', (o) => o.boolean('quiet'), false],
  ['durations are milliseconds', '--timeout 1h1m1.5s', (o) => o.milliseconds('timeout'), 3_661_500],
  ['a default duration is read alike', '', (o) => o.milliseconds('timeout'), 60_000],
  ['quantities are numbers', '--size 1.5Ki', (o) => o.number('size'), 1536],
  ['a list is split at commas', '--controllers a,b', (o) => o.strings('controllers'), ['a', 'b']],
  [
    'a list grows with each use and forgets its default',
    '--controllers a --controllers b,c',
    (o) => o.strings('controllers'),
    ['a', 'b', 'c'],
  ],
  [
    'a quoted item of a list may hold a comma',
    '--controllers "a,b",c',
    (o) => o.strings('controllers'),
    ['a,b', 'c'],
  ],
  ['an empty list is empty', '--controllers=', (o) => o.strings('controllers'), []],
  ['an array is not split', '--header a,b --header c', (o) => o.strings('header'), ['a,b', 'c']],
  [
    'pairs are split at commas and the first equals sign',
    '--labels a=1,b=x=y',
    (o) => [...o.pairs('labels')],
    [
      ['a', '1'],
      ['b', 'x=y'],
    ],
  ],
  [
    'pairs grow with each use',
    '--labels a=1 --labels b=2',
    (o) => [...o.pairs('labels')],
    [
      ['a', '1'],
      ['b', '2'],
    ],
  ],
  [
    'pairs may be named like a prototype',
    '--labels __proto__=1',
    (o) => [...o.pairs('labels')],
    [['__proto__', '1']],
  ],
  ['a default list stands if none is given', '', (o) => o.strings('controllers'), ['*']],
  ['a given value is known as given', '--port 8080', (o) => o.origin('port'), 'flag'],
  ['a value that was not given is a default', '', (o) => o.origin('port'), 'default'],
]

for (const [name, argv, read, want] of rows) {
  config(name, () => {
    const { options, errors } = parseOptions(table, words(argv))
    assert.equal(errors, [])
    assert.equal(read(options), want)
  })
}

config('words without hyphens are arguments, wherever they stand', () => {
  const { args, options } = parseOptions(table, words('a --port 1 b - -- --port c'))
  assert.equal(args, ['a', 'b', '-', '--port', 'c'])
  assert.is(options.number('port'), 1)
})

const mistakes: readonly (readonly [argv: string, error: string])[] = [
  ['--prot 1', 'unknown flag: --prot, did you mean --port?'],
  ['--bind_adress=x', 'unknown flag: --bind_adress, did you mean --bind-address?'],
  ['--no-enable', 'unknown flag: --no-enable, did you mean --enable?'],
  ['--something-else', 'unknown flag: --something-else'],
  ['--__proto__', 'unknown flag: --__proto__'],
  ['-ex', "unknown shorthand flag: 'x' in -ex"],
  ['--port', 'flag needs an argument: --port'],
  ['-v', "flag needs an argument: 'v' in -v"],
  ['--=1', 'bad flag syntax: --=1'],
  ['---port', 'bad flag syntax: ---port'],
  ['--port a', 'invalid argument "a" for "--port" flag: must be a whole number'],
  ['-va', 'invalid argument "a" for "-v, --v" flag: must be a whole number'],
  ['--port 70000', 'invalid argument "70000" for "--port" flag: must not be greater than 65535'],
  ['--port -1', 'invalid argument "-1" for "--port" flag: must not be less than 0'],
  ['--offset 2147483648', 'invalid argument "2147483648" for "--offset" flag: is out of range'],
  ['--enable=maybe', 'invalid argument "maybe" for "-e, --enable" flag: must be true or false'],
  [
    '--timeout 5',
    'invalid argument "5" for "--timeout" flag: must be a duration such as 30s or 1h0m0s',
  ],
  [
    '--size 5Q',
    'invalid argument "5Q" for "--size" flag: must be a quantity such as 100, 1.5G or 256Mi',
  ],
  ['--labels a', 'invalid argument "a" for "--labels" flag: a must be formatted as key=value'],
  [
    '--controllers a"',
    'invalid argument "a\\"" for "--controllers" flag: has a quote out of place',
  ],
  ['--format xml', 'invalid argument "xml" for "--format" flag: must be one of "text", "json"'],
]

for (const [argv, error] of mistakes) {
  config(`${argv} is refused`, () => {
    assert.equal(parseOptions(table, words(argv)).errors, [error])
  })
}

config('every mistake is reported, not only the first', () => {
  const { errors } = parseOptions(table, words('--prot=1 --port a -x'))
  assert.is(errors.length, 3)
})

config('a refused value leaves the one before it', () => {
  assert.is(parseOptions(table, words('--port 1 --port a')).options.number('port'), 1)
})

config('a deprecated flag works and says what to use instead, once', () => {
  const { options, warnings } = parseOptions(table, words('--old 1 --old 2'))
  assert.is(options.number('old'), 2)
  assert.equal(warnings, ['flag --old has been deprecated, use --port instead'])
})

config('asking for a flag that is not in the table is our own mistake', () => {
  const { options } = parseOptions(table, [])
  assert.throws(() => options.number('nothing'), /not in the table/)
  assert.throws(() => options.number('timeout'), /is a duration/)
})

config('the words given are left as they are', () => {
  const argv = Object.freeze(['--port', '1'])
  parseOptions(table, argv)
  assert.equal(argv, ['--port', '1'])
})

config.run()

function words(line: string): string[] {
  return line.split(' ').filter((word) => word !== '')
}
