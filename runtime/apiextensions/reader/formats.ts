/** The string formats of schemas (supplement C-11). Other formats are accepted and not checked. */
import { isIP, isIPv4, isIPv6 } from 'node:net'

type FormatPredicate = (text: string) => boolean

/** The predicate of a format, by its name with or without hyphens; undefined for a format that is not checked. */
export function formatCheck(format: string): FormatPredicate | undefined {
  return formats.get(format.replaceAll('-', ''))
}

const matching =
  (pattern: RegExp): FormatPredicate =>
  (text) =>
    pattern.test(text)

const uuid = (version: string): FormatPredicate =>
  matching(
    new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i'),
  )

const formats: ReadonlyMap<string, FormatPredicate> = new Map<string, FormatPredicate>([
  ['bsonobjectid', matching(/^[0-9a-f]{24}$/i)],
  ['uri', isUri],
  [
    'email',
    matching(/^[^\s@<>()[\]",;:\\]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,253}[A-Za-z0-9])?$/),
  ],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  [
    'mac',
    matching(
      /^[0-9a-f]{2}(?:(?::[0-9a-f]{2}){5}|(?:-[0-9a-f]{2}){5}|(?::[0-9a-f]{2}){7}|(?:-[0-9a-f]{2}){7})$/i,
    ),
  ],
  ['uuid', uuid('[0-9a-f]')],
  ['uuid3', uuid('3')],
  ['uuid4', uuid('4')],
  ['uuid5', uuid('5')],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matching(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['rgbcolor', isRgb],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
])

/** An absolute URL, or a path. */
function isUri(text: string): boolean {
  if (text.startsWith('/')) return !/\s/.test(text)
  return URL.canParse(text)
}

/** RFC 1123: labels of at most 63 characters, 255 in all, with or without the final dot. */
function isHostname(text: string): boolean {
  if (text.length > 255) return false
  return text
    .replace(/\.$/, '')
    .split('.')
    .every((label) => /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(label))
}

/** An IP address and the length of its prefix. */
function isCidr(text: string): boolean {
  const slash = text.indexOf('/')
  const address = text.slice(0, slash)
  const bits = text.slice(slash + 1)
  const family = slash < 0 ? 0 : isIP(address)
  return family > 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}

function digitsOf(text: string): string {
  return text.replace(/[\s-]/g, '')
}

/** Ten digits with a checksum modulo 11, whose last one may be X. */
function isIsbn10(text: string): boolean {
  const digits = digitsOf(text)
  if (!/^\d{9}[\dX]$/.test(digits)) return false
  const sum = [...digits].reduce(
    (all, digit, at) => all + (10 - at) * (digit === 'X' ? 10 : Number(digit)),
    0,
  )
  return sum % 11 === 0
}

/** Thirteen digits with a checksum modulo 10. */
function isIsbn13(text: string): boolean {
  const digits = digitsOf(text)
  if (!/^\d{13}$/.test(digits)) return false
  const sum = [...digits].reduce(
    (all, digit, at) => all + (at % 2 === 0 ? 1 : 3) * Number(digit),
    0,
  )
  return sum % 10 === 0
}

/** Thirteen to nineteen digits with the checksum of Luhn. */
function isCreditCard(text: string): boolean {
  const digits = digitsOf(text)
  if (!/^\d{13,19}$/.test(digits)) return false
  const sum = [...digits].reverse().reduce((all, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
    return all + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

function isRgb(text: string): boolean {
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text)
  return parts?.slice(1).every((part) => Number(part) <= 255) === true
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}

/** A day that exists: `2024-02-30` is none. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

const clockTime = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/i

/** RFC 3339, with a leap second and a blank instead of the T. */
function isDateTime(text: string): boolean {
  return (
    isDate(text.slice(0, 10)) && /^[T ]$/i.test(text[10] ?? '') && clockTime.test(text.slice(11))
  )
}

const units = '(?:ns|us|µs|ms|s|m|h|d|w)'
const plainDuration = new RegExp(`^[+-]?(?:0|(?:(?:\\d+(?:\\.\\d*)?|\\.\\d+)${units})+)$`)
const wordDuration =
  /^\d+\s*(?:nanos?|nanoseconds?|micros?|microseconds?|millis?|milliseconds?|secs?|seconds?|mins?|minutes?|hours?|hrs?|days?|weeks?|wks?)$/

/** `1h30m` as programs print it, or `3 days` as people write it. */
function isDuration(text: string): boolean {
  return text.length <= 256 && (plainDuration.test(text) || wordDuration.test(text))
}
