import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createReport } from '../../../../runtime/kernel/validation/field-error.ts'
import * as r from '../../../../runtime/kernel/validation/readers.ts'
import {
  durationProblem,
  parseDuration,
  printDuration,
} from '../../../../runtime/kernel/values/duration.ts'
import { parseMoment } from '../../../../runtime/kernel/values/moment.ts'
import {
  compareQuantities,
  parseQuantity,
  storedQuantity,
} from '../../../../runtime/kernel/values/quantity.ts'

const forms = suite('runtime/kernel: text forms')

/** What a reader makes of values: `undefined` is refused. */
function each<T>(
  read: r.FieldReader<T>,
  table: readonly (readonly [unknown, T | undefined])[],
): void {
  for (const [given, want] of table) {
    const report = createReport()
    assert.equal(read(given, report, 'f'), want, String(given))
    assert.is(report.typeErrors.length, want === undefined ? 1 : 0, String(given))
  }
}

forms('a quantity is written in its canonical form', () => {
  // M-15
  each(r.quantity, [
    ['1.5Gi', '1536Mi'],
    ['0.1', '100m'],
    [0.1, '100m'],
    [2, '2'],
    ['1000m', '1'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['1024Mi', '1Gi'],
    ['512Ki', '512Ki'],
    ['0.5Ki', '512'],
    ['0.1Gi', '107374182400m'],
    ['-1.50', '-1500m'],
    ['.5', '500m'],
    ['5.0', '5'],
    ['0', '0'],
    ['-0', '0'],
    ['0Gi', '0'],
    ['1.0000000001', '1000000001n'],
    ['1n', '1n'],
    ['000.5', '500m'],
    ['9223372036854775808', '9223372036854775808'],
    ['100Ei', '9223372036854775807'],
    ['.', '0'],
    ['m', '0'],
    ['Ki', '0'],
    ['1000e18', '1e21'],
    ['8.0Ki', '8Ki'],
    ['1.20', '1200m'],
  ])
})

forms('a quantity that is as short as its canonical form stays as it is written', () => {
  for (const text of [
    '1.025',
    '100.123',
    '12E',
    '1E3',
    '1e3',
    '+1',
    '001',
    '12E3',
    '+5',
    '-1.025M',
  ])
    each(r.quantity, [[text, text]])
  for (const text of ['1536Mi', '01Ki', '+3Gi', '1.000005', '00007E-9', '999999999999999999'])
    each(r.quantity, [[text, text]])
  each(r.quantity, [
    [' 1 ', '1'],
    ['1\n', undefined],
    ['0012.500', '0012.500'],
    ['0012.5000', '12500m'],
    ['5.', '5.'],
    ['9999999999999999999000', '9999999999999999999k'],
  ])
})

forms('amounts of resources are rounded up to thousandths', () => {
  // I-01
  const plain = { cpu: '100m', memory: '1536Mi' }
  assert.is(r.roundedUpToMilli(plain), plain)
  assert.is(r.roundedUpToMilli(undefined), undefined)
  const fine = { cpu: '1000050u', memory: '1n', other: '-1500u', pods: '3' }
  assert.equal(r.roundedUpToMilli(fine), { cpu: '1001m', memory: '1m', other: '-2m', pods: '3' })
  const kept = { cpu: '1.025', memory: '+1', other: '1E3' }
  assert.is(r.roundedUpToMilli(kept), kept)
  assert.equal(r.roundedUpToMilli({ cpu: '1.000005', memory: '9e-6' }), {
    cpu: '1001m',
    memory: '1e-3',
  })
})

forms('a text that is no quantity is refused', () => {
  each(
    r.quantity,
    ['', 'Pi', 'e-12', 'abc', '1 Gi', '1GiB', '1K', '--1', '1e', '1e1e', '0x1', {}, true].map(
      (text) => [text, undefined],
    ),
  )
})

forms('quantities compare by value, whatever their suffix', () => {
  const compare = (a: string, b: string) => compareQuantities(parseQuantity(a)!, parseQuantity(b)!)
  assert.is(compare('1000m', '1'), 0)
  assert.is(compare('1Gi', '1G'), 1)
  assert.is(compare('-1', '1n'), -1)
})

forms('a canonical quantity stays as it is', () => {
  for (const text of ['100m', '1536Mi', '1k', '12e3', '2', '107374182400m']) {
    assert.is(storedQuantity(text), text)
  }
})

forms('a time is written in UTC with whole seconds', () => {
  each(r.time, [
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00Z'],
    ['2024-05-01T12:00:00.999Z', '2024-05-01T12:00:00Z'],
    ['2024-05-01T01:00:00+02:00', '2024-04-30T23:00:00Z'],
    ['2024-05-01T1:02:03,25Z', '2024-05-01T01:02:03Z'],
    ['2024-05-01T12:00:00+24:00', '2024-04-30T12:00:00Z'],
    ['2023-02-29T12:00:00Z', undefined],
    ['2024-05-01T24:00:00Z', undefined],
    ['2024-05-01T25:00:00Z', undefined],
    ['2024-05-01', undefined],
    ['yesterday', undefined],
    [5, undefined],
  ])
})

forms('a micro time has six fractional digits', () => {
  each(r.microTime, [
    ['2024-05-01T12:00:00.123456Z', '2024-05-01T12:00:00.123456Z'],
    ['2024-05-01T12:00:00,123456+02:00', '2024-05-01T10:00:00.123456Z'],
    ['2024-05-01T12:00:00Z', undefined],
    ['2024-05-01T12:00:00.123456789Z', undefined],
  ])
})

forms('the first second of the year 1 is no time', () => {
  const report = createReport()
  assert.is(r.time('0001-01-01T00:00:00Z', report, 'f'), undefined)
  assert.is(r.time('0001-01-01T01:00:00+01:00', report, 'f'), undefined)
  assert.is(r.microTime('0001-01-01T00:00:00.000000Z', report, 'f'), undefined)
  assert.equal(report.typeErrors, [])
})

forms('a text that is no time is refused with the element that cannot be read', () => {
  const layout = '"2006-01-02T15:04:05Z07:00"'
  const cases: readonly (readonly [string, string])[] = [
    ['soon', `parsing time "soon" as ${layout}: cannot parse "soon" as "2006"`],
    ['2024-1-02', `parsing time "2024-1-02" as ${layout}: cannot parse "1-02" as "01"`],
    ['2024-13-02', 'parsing time "2024-13-02": month out of range'],
    ['2023-02-29T12:00:00Z', 'parsing time "2023-02-29T12:00:00Z": day out of range'],
    [
      '2024-02-29T12:00:00Zé',
      'parsing time "2024-02-29T12:00:00Z\\xc3\\xa9": extra text: "\\xc3\\xa9"',
    ],
    ['2024-02-29T12:00', `parsing time "2024-02-29T12:00" as ${layout}: cannot parse "" as ":"`],
    ['2024-02-29T24:00:00Z', 'parsing time "2024-02-29T24:00:00Z": hour out of range'],
  ]
  for (const [text, why] of cases) {
    const found = parseMoment(text, 'time')
    assert.is(found instanceof Error ? found.message : undefined, why)
  }
})

forms('a duration is exact to the nanosecond', () => {
  each(r.duration, [
    ['1m59ns', '1m0.000000059s'],
    ['2562047h47m16.854775807s', '2562047h47m16.854775807s'],
    ['-9223372036854775808ns', '-2562047h47m16.854775808s'],
    ['9223372036854775808ns', undefined],
    ['0.1ns', '0s'],
    ['1.5µs', '1.5µs'],
    ['12us345ns', '12.345µs'],
  ])
})

forms('a text that is no duration is refused in the words of public clients', () => {
  for (const [text, why] of [
    ['', 'invalid duration ""'],
    ['5', 'missing unit in duration "5"'],
    ['1d', 'unknown unit "d" in duration "1d"'],
    ['-.h', 'invalid duration "-.h"'],
    ['1\u00e9\u0001', 'unknown unit "\\xc3\\xa9\\x01" in duration "1\\xc3\\xa9\\x01"'],
  ]) {
    assert.is(durationProblem(text!), `time: ${why}`)
  }
})

forms('a duration is at most what 64 bits of nanoseconds hold', () => {
  assert.is(printDuration(parseDuration('2562047h')!), '2562047h0m0s')
  for (const text of ['2562048h', '-9999999h', `${'9'.repeat(18)}h`]) {
    assert.is(parseDuration(text), undefined, text)
  }
})

forms('a duration is written with hours, minutes and seconds', () => {
  each(r.duration, [
    ['90m', '1h30m0s'],
    ['1.5s', '1.5s'],
    ['250ms', '250ms'],
    ['1h', '1h0m0s'],
    ['0', '0s'],
    ['-2m', '-2m0s'],
    ['100us', '100µs'],
    ['5', undefined],
    ['1h2', undefined],
    ['', undefined],
  ])
  assert.is(printDuration(parseDuration('72h3m0.5s')!), '72h3m0.5s')
})

forms('bytes are base64 with padding', () => {
  // M-18
  each(r.bytes, [
    ['aGk=', 'aGk='],
    ['', ''],
    ['aG\nk=', 'aGk='],
    ['QR==', 'QQ=='],
    ['QUF=', 'QUE='],
    ['aGk', undefined],
    ['a-_=', undefined],
    [1, undefined],
  ])
})

forms('a number or a text is an int-or-string', () => {
  // M-16
  each(r.intOrString, [
    [80, 80],
    ['http', 'http'],
    ['25%', '25%'],
    [1.5, undefined],
    [true, undefined],
  ])
})

forms('long hostile texts are refused in linear time: more than that would never end here', () => {
  for (const text of ['1'.repeat(4e6), `${'1.'.repeat(2e6)}x`, `1e${'9'.repeat(4e6)}`]) {
    each(r.quantity, [[text, undefined]])
  }
  each(r.bytes, [[`${'a'.repeat(4e6)}!`, undefined]])
  each(r.time, [[`2024-01-01T00:00:00.${'1'.repeat(4e6)}Z`, undefined]])
})

forms.run()
