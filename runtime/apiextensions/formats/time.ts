/** Days, moments and spans of time. */

/** A day that exists: `2024-02-30` is none. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

const clock = /^(\d\d):(\d\d):(\d\d)(?:[^\n]\d+)?(?:z|[+-]\d\d:\d\d)$/u

/** A day, `T` and a time with its offset; what follows a second `T` is not looked at, as in release 1.29. */
export function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t', 2)
  if (!isDate(date)) return false
  const [, hour = '', minute = '', second = ''] = clock.exec(time) ?? []
  return hour !== '' && hour <= '23' && minute <= '59' && second <= '59'
}

const units: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  '\u00b5s': 1e3,
  '\u03bcs': 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
}

const unit = '(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h)'
const parts = new RegExp(`^[-+]?(?:0|(?:(?:\\d+(?:\\.\\d*)?|\\.\\d+)${unit})+)$`)
const part = new RegExp(`(\\d*)(?:\\.\\d*)?(${unit})`, 'g')

/** `1h30m` as programs print it, or `3 days` as people write it, anywhere in the text. */
export function isDuration(text: string): boolean {
  return (parts.test(text) && fits(text)) || hasNamedUnits(text)
}

/** True if the parts together are less than 292 years. */
function fits(text: string): boolean {
  let sum = 0
  for (const [, digits, name] of text.matchAll(part))
    sum += Number(digits) * (units[name ?? ''] ?? 0)
  return sum < 2 ** 63
}

const exactNames = new Set(['ns', 'us', '\u00b5s', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk'])
const beginnings = /^(?:nano|micro|milli|sec|min|hour|day|week)/
const numbers = /(\d+)[\t\n\f\r ]*([A-Za-z\u00b5]*)/g

/** The largest number that a unit may have. */
const maxNumber = '9223372036854775807'

function hasNamedUnits(text: string): boolean {
  let found = false
  for (const [, digits = '', letters = ''] of text.matchAll(numbers)) {
    if (letters === '') continue
    const number = digits.replace(/^0+/, '')
    const { length } = number
    if (length > maxNumber.length) return false
    if (length === maxNumber.length && number > maxNumber) return false
    const name = letters.toLowerCase()
    found ||= exactNames.has(name) || beginnings.test(name)
  }
  return found
}
