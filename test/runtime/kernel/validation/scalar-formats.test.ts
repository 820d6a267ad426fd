import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createReport } from '../../../../runtime/kernel/validation/field-error.ts'
import * as r from '../../../../runtime/kernel/validation/readers.ts'
import { parseDuration, printDuration } from '../../../../runtime/kernel/values/duration.ts'
import {
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
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
    ['1e3', '1e3'],
    ['12E3', '12e3'],
    ['100E', '9223372036854775807'],
    ['-1.50', '-1500m'],
    ['+5', '5'],
    ['.5', '500m'],
    ['5.', '5'],
    ['0', '0'],
    ['-0', '0'],
    ['0Gi', '0'],
    ['1.0000000001', '1000000001n'],
    ['1n', '1n'],
  ])
})

forms('amounts of resources are rounded up to thousandths', () => {
  // I-01
  const plain = { cpu: '100m', memory: '1536Mi' }
  assert.is(r.roundedUpToMilli(plain), plain)
  assert.is(r.roundedUpToMilli(undefined), undefined)
  const fine = { cpu: '1000050u', memory: '1n', other: '-1500u', pods: '3' }
  assert.equal(r.roundedUpToMilli(fine), { cpu: '1001m', memory: '1m', other: '-2m', pods: '3' })
})

forms('a text that is no quantity is refused', () => {
  each(
    r.quantity,
    ['', '.', 'abc', '1 Gi', '1GiB', '1K', '--1', '1e', '1e1e', 'Mi', '0x1', {}, true].map(
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
    assert.is(canonicalQuantity(text), text)
  }
})

forms('a time is written in UTC with whole seconds', () => {
  each(r.time, [
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00Z'],
    ['2024-05-01T12:00:00.999Z', '2024-05-01T12:00:00Z'],
    ['2024-05-01T01:00:00+02:00', '2024-04-30T23:00:00Z'],
    ['2023-02-29T12:00:00Z', undefined],
    ['2024-05-01T25:00:00Z', undefined],
    ['2024-05-01', undefined],
    ['yesterday', undefined],
    [5, undefined],
  ])
})

forms('a micro time has six fractional digits', () => {
  each(r.microTime, [
    ['2024-05-01T12:00:00Z', '2024-05-01T12:00:00.000000Z'],
    ['2024-05-01T12:00:00.123456789Z', '2024-05-01T12:00:00.123456Z'],
  ])
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
