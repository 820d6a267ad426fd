/** Schedules in the five-field format of cron: minute, hour, day of the month, month, day of the week. */
import { durationProblem, parseDuration } from './duration.ts'
import { quoted } from './quoted.ts'

/** The values that each field allows, in ascending order. */
export interface CalendarSchedule {
  readonly is: 'calendar'
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly days: readonly number[]
  readonly months: readonly number[]
  /** Sunday is 0. */
  readonly weekdays: readonly number[]
  /** The field has a `*` that leaves nothing out. If neither day field has, a day matches that either of them allows. */
  readonly anyDay: boolean
  readonly anyWeekday: boolean
}

/** A schedule such as `@every 90s`: at least a second, in whole seconds. */
export interface IntervalSchedule {
  readonly is: 'interval'
  readonly ms: number
}

/** A parsed schedule. */
export type Schedule = CalendarSchedule | IntervalSchedule

interface FieldRule {
  readonly least: number
  readonly most: number
  readonly names?: readonly string[]
}

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
/** The range and names of each field, in order. */
const rules: readonly FieldRule[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: ['', ...months] },
  { least: 0, most: 6, names: weekdays },
]
const descriptors: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])
/** Characters. */
const longest = 1024

/** Parses a schedule; gives the problem as a text if it is none, in the messages of the public API. */
export function parseSchedule(text: string): Schedule | string {
  if (text.length > longest) return `must have at most ${longest} characters`
  if (text === '') return 'empty spec string'
  if (text.startsWith('@every ')) return interval(text)
  const spelled = text.startsWith('@') ? descriptors.get(text) : text
  if (spelled === undefined) return `unrecognized descriptor: ${text}`
  const fields = spelled.split(/\s+/).filter((field) => field !== '')
  if (fields.length !== rules.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`
  }
  const parsed = fields.map((field, index) => parseField(field, rules[index]!))
  const wrong = parsed.find((each) => typeof each === 'string')
  if (wrong !== undefined) return wrong
  const [minutes, hours, days, ofYear, ofWeek] = parsed as readonly Field[]
  return {
    is: 'calendar',
    minutes: minutes!.values,
    hours: hours!.values,
    days: days!.values,
    months: ofYear!.values,
    weekdays: ofWeek!.values,
    anyDay: days!.any,
    anyWeekday: ofWeek!.any,
  }
}

function interval(text: string): IntervalSchedule | string {
  const length = text.slice('@every '.length)
  const ms = parseDuration(length)
  if (ms === undefined) return `failed to parse duration ${text}: ${durationProblem(length)}`
  return { is: 'interval', ms: Math.max(1000, ms - (ms % 1000)) }
}

interface Field {
  readonly values: readonly number[]
  /** One of its ranges is a `*` without a step. */
  readonly any: boolean
}

/** Commas without anything between them count for nothing. */
function parseField(field: string, rule: FieldRule): Field | string {
  const values = new Set<number>()
  let any = false
  for (const part of field.split(',').filter((each) => each !== '')) {
    const range = parseRange(part, rule)
    if (typeof range === 'string') return range
    for (let value = range.from; value <= range.to; value += range.step) values.add(value)
    any ||= range.any
  }
  return { values: [...values].sort((a, b) => a - b), any }
}

interface Range {
  readonly from: number
  readonly to: number
  readonly step: number
  readonly any: boolean
}

function parseRange(text: string, rule: FieldRule): Range | string {
  const [span = '', stepText, ...slashes] = text.split('/')
  const [first = '', last, ...hyphens] = span.split('-')
  const star = first === '*' || first === '?'
  const from = star ? rule.least : parseNumber(first, rule)
  if (typeof from === 'string') return from
  if (!star && hyphens.length > 0) return `too many hyphens: ${text}`
  const until = star ? rule.most : last === undefined ? from : parseNumber(last, rule)
  if (typeof until === 'string') return until
  if (slashes.length > 0) return `too many slashes: ${text}`
  const step = stepText === undefined ? 1 : parseNumber(stepText)
  if (typeof step === 'string') return step
  const to = stepText !== undefined && last === undefined ? rule.most : until
  return checkRange({ from, to, step, any: star && step <= 1 }, text, rule)
}

function checkRange(range: Range, text: string, { least, most }: FieldRule): Range | string {
  const { from, to, step } = range
  if (from < least) return `beginning of range (${from}) below minimum (${least}): ${text}`
  if (to > most) return `end of range (${to}) above maximum (${most}): ${text}`
  if (from > to) return `beginning of range (${from}) beyond end of range (${to}): ${text}`
  return step > 0 ? range : `step of range should be a positive number: ${text}`
}

function parseNumber(text: string, rule?: FieldRule): number | string {
  const named = rule?.names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0 && text !== '') return named
  if (/^-0*[1-9][0-9]{0,17}$/.test(text)) {
    return `negative number (${Number(text)}) not allowed: ${text}`
  }
  if (/^[+-]?[0-9]{1,18}$/.test(text)) return Math.abs(Number(text))
  const why = /^[+-]?[0-9]+$/.test(text) ? 'value out of range' : 'invalid syntax'
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${quoted(text)}: ${why}`
}
