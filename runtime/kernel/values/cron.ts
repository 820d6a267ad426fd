/** Schedules in the five-field format of cron: minute, hour, day of the month, month, day of the week. */
import { parseDuration } from './duration.ts'

/** The values that each field allows, in ascending order. */
export interface CalendarSchedule {
  readonly is: 'calendar'
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly days: readonly number[]
  readonly months: readonly number[]
  /** Sunday is 0. */
  readonly weekdays: readonly number[]
  /** The field begins with an asterisk. If neither day field does, a day matches that either of them allows. */
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
  const valuesAt = (index: number) => parsed[index] as readonly number[]
  return {
    is: 'calendar',
    minutes: valuesAt(0),
    hours: valuesAt(1),
    days: valuesAt(2),
    months: valuesAt(3),
    weekdays: valuesAt(4),
    anyDay: isAny(fields[2]!),
    anyWeekday: isAny(fields[4]!),
  }
}

function interval(text: string): IntervalSchedule | string {
  const ms = parseDuration(text.slice('@every '.length))
  if (ms === undefined) return `failed to parse duration ${text}`
  return { is: 'interval', ms: Math.max(1000, ms - (ms % 1000)) }
}

function isAny(field: string): boolean {
  return field.split(',').some((part) => /^[*?]/.test(part))
}

function parseField(field: string, rule: FieldRule): readonly number[] | string {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const range = parseRange(part, rule)
    if (typeof range === 'string') return range
    for (let value = range.from; value <= range.to; value += range.step) values.add(value)
  }
  return [...values].sort((a, b) => a - b)
}

interface Range {
  readonly from: number
  readonly to: number
  readonly step: number
}

function parseRange(text: string, rule: FieldRule): Range | string {
  const [span = '', stepText, ...slashes] = text.split('/')
  if (slashes.length > 0) return `too many slashes: ${text}`
  const [first = '', last, ...hyphens] = span.split('-')
  if (hyphens.length > 0) return `too many hyphens: ${text}`
  const any = first === '*' || first === '?'
  const from = any ? rule.least : parseNumber(first, rule)
  const step = stepText === undefined ? 1 : parseNumber(stepText)
  const open = any || (last === undefined && stepText !== undefined)
  const to = open ? rule.most : last === undefined ? from : parseNumber(last, rule)
  const wrong = [from, to, step].find((each) => typeof each === 'string')
  if (wrong !== undefined) return wrong
  return checkRange({ from, to, step } as Range, text, rule)
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
  if (/^-[0-9]{1,9}$/.test(text)) return `negative number (${text}) not allowed: ${text}`
  if (/^\+?[0-9]{1,9}$/.test(text)) return Number(text)
  const quoted = JSON.stringify(text)
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${quoted}: invalid syntax`
}
