/** The string formats of schemas (supplement C-11), as release 1.29 judges them. Other formats are accepted and not checked. */
import { isEmail } from './email.ts'
import { isCidr, isHostname, isIpv4, isIpv6, isMac } from './network.ts'
import { isCreditCard, isIsbn10, isIsbn13 } from './numbers.ts'
import { isDate, isDateTime, isDuration } from './time.ts'
import { isUri } from './uri.ts'

type FormatPredicate = (text: string) => boolean

/**
 * The predicate of a format, by its name with or without hyphens; undefined for a format that is
 * not checked. `date-time` and `datetime` are the same format to definitions.
 */
export function formatCheck(format: string): FormatPredicate | undefined {
  return format === '' ? undefined : formats.get(format.replaceAll('-', ''))
}

const matching =
  (pattern: RegExp): FormatPredicate =>
  (text) =>
    pattern.test(text)

const uuid = (third: string, fourth: string): FormatPredicate =>
  matching(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}-?[0-9a-f]{12}$`, 'i'))

const four = '[0-9a-f]{4}'
const variant = '[89ab][0-9a-f]{3}'

const formats: ReadonlyMap<string, FormatPredicate> = new Map<string, FormatPredicate>([
  ['bsonobjectid', matching(/^[0-9a-f]{24}$/i)],
  ['uri', isUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', uuid(four, four)],
  ['uuid3', uuid('3[0-9a-f]{3}', four)],
  ['uuid4', uuid('4[0-9a-f]{3}', variant)],
  ['uuid5', uuid('5[0-9a-f]{3}', variant)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', isRgb],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
])

const rgb =
  /^rgb\([\t\n\f\r ]*(\d{1,3})[\t\n\f\r ]*,[\t\n\f\r ]*(\d{1,3})[\t\n\f\r ]*,[\t\n\f\r ]*(\d{1,3})[\t\n\f\r ]*\)$/

/** Three numbers of 0 to 255 without leading zeros; percentages, which CSS knows, are none. */
function isRgb(text: string): boolean {
  const parts = rgb.exec(text)?.slice(1) ?? []
  return (
    parts.length === 3 &&
    parts.every((part) => String(Number(part)) === part && Number(part) <= 255)
  )
}

/** The standard alphabet with padding; the alphabet for URLs is not accepted, and neither is the empty text. */
function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}
