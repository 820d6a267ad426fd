import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CalendarSchedule, parseSchedule } from '../../../../runtime/kernel/values/cron.ts'

const test = suite('runtime/kernel: cron')

const calendar = (text: string) => parseSchedule(text) as CalendarSchedule
const all = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('each field is a list of values, ranges and steps', () => {
  const { is, minutes, hours, days, months, weekdays } = calendar('*/20 9-12,20 1-9/4 2 5,0')
  assert.is(is, 'calendar')
  assert.equal(minutes, [0, 20, 40])
  assert.equal(hours, [9, 10, 11, 12, 20])
  assert.equal(days, [1, 5, 9])
  assert.equal(months, [2])
  assert.equal(weekdays, [0, 5])
})

test('a value with a step goes on to the end', () => {
  assert.equal(calendar('50/4 * * * *').minutes, [50, 54, 58])
})

test('months and weekdays have names', () => {
  const { months, weekdays } = calendar('0 0 * JAN-mar mon-Fri')
  assert.equal(months, [1, 2, 3])
  assert.equal(weekdays, [1, 2, 3, 4, 5])
})

test('a word stands for the fields that it means', () => {
  assert.equal(parseSchedule('@hourly'), parseSchedule('0 * * * *'))
  assert.equal(parseSchedule('@weekly'), parseSchedule('0 0 * * 0'))
  assert.equal(parseSchedule('@annually'), parseSchedule('@yearly'))
})

test('an asterisk leaves the day to the other field', () => {
  assert.equal([calendar('0 0 1 * *').anyDay, calendar('0 0 1 * *').anyWeekday], [false, true])
  assert.equal(calendar('0 0 * * *').days, all(1, 31))
})

test('an asterisk with a step leaves days out, so that the other field adds some', () => {
  assert.equal(calendar('0 0 */15 * mon-fri').anyDay, false)
  assert.equal(calendar('0 0 */1 * 1-5').anyDay, true)
  assert.equal(calendar('0 0 ?,3 * 1-5').anyDay, true)
  assert.equal(
    calendar('0 0 *-4/2 * 1').days,
    all(1, 31).filter((day) => day % 2 === 1),
  )
})

test('commas without anything between them are passed over', () => {
  assert.equal(calendar('*/30,,5 * * * *').minutes, [0, 5, 30])
  assert.equal(calendar(', * * * *').minutes, [])
})

test('an interval is at least a second, and whole seconds', () => {
  assert.equal(parseSchedule('@every 1h30m'), { is: 'interval', ms: 5_400_000 })
  assert.equal(parseSchedule('@every 10ms'), { is: 'interval', ms: 1000 })
  assert.equal(parseSchedule('@every 1500ms'), { is: 'interval', ms: 1000 })
})

const wrong: readonly (readonly [text: string, why: string])[] = [
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['', 'empty spec string'],
  [' ', 'expected exactly 5 fields, found 0: []'],
  ['@never', 'unrecognized descriptor: @never'],
  ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['* * * * 7', 'end of range (7) above maximum (6): 7'],
  ['-5 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ['1/-5 * * * *', 'negative number (-5) not allowed: -5'],
  ['@every 1h5', 'failed to parse duration @every 1h5: time: missing unit in duration "1h5"'],
  ['soon * * * *', 'failed to parse int from soon: strconv.Atoi: parsing "soon": invalid syntax'],
]
for (const [text, why] of wrong) {
  test(`${JSON.stringify(text)} is refused`, () => assert.is(parseSchedule(text), why))
}

test('a text that is too long is not looked at', () => {
  assert.is(parseSchedule(`${'0,'.repeat(5000)}0 * * * *`), 'must have at most 1024 characters')
})

test.run()
