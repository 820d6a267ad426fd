/** Why a text is no address, in the words of public servers, whose libraries grow stricter with each release. */

import { quoted } from '../../../kernel/values/quoted.ts'

/** Undefined for an address in its strict form. */
export function addressTextProblem(text: string): string | undefined {
  const [first] = /[.:%]/.exec(text) ?? []
  const problem =
    first === '.'
      ? octetsProblem(text)
      : first === ':'
        ? groupsProblem(text)
        : first === '%'
          ? { why: 'missing IPv6 address' }
          : { why: 'unable to parse IP' }
  if (problem === undefined) return undefined
  const { why, at } = problem
  const where = at ? ` (at ${quoted(at)})` : ''
  return `ParseAddr(${quoted(text)}): ${why}${where}`
}

/** What is wrong, and the rest of the text from there on. */
interface Problem {
  readonly why: string
  readonly at?: string
}

/** Four numbers up to 255 without zeros in front. */
function octetsProblem(text: string): Problem | undefined {
  let [value, digits, dots] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (char === '.') {
      if (at === 0 || at === text.length - 1 || text[at - 1] === '.') {
        return { why: 'IPv4 field must have at least one digit', at: text.slice(at) }
      }
      if (dots === 3) return { why: 'IPv4 address too long' }
      ;[value, digits, dots] = [0, 0, dots + 1]
    } else if (char < '0' || char > '9') {
      return { why: 'unexpected character', at: text.slice(at) }
    } else {
      if (digits === 1 && value === 0) return { why: 'IPv4 field has octet with leading zero' }
      value = value * 10 + Number(char)
      digits++
      if (value > 255) return { why: 'IPv4 field has value >255' }
    }
  }
  return dots < 3 ? { why: 'IPv4 address too short' } : undefined
}

/** Groups of up to four digits; two colons beside each other stand for groups of zeros, once. */
function groupsProblem(text: string): Problem | undefined {
  const zone = text.indexOf('%')
  if (zone === text.length - 1) return { why: 'zone must be a non-empty string' }
  let rest = zone < 0 ? text : text.slice(0, zone)
  let gap = rest.startsWith('::')
  if (gap) rest = rest.slice(2)
  if (gap && rest === '') return undefined
  let groups = 0
  while (groups < 8) {
    const [hex = ''] = /^[0-9a-fA-F]*/.exec(rest) ?? []
    if (hex.length > 4) return { why: 'each group must have 4 or less digits', at: rest }
    if (hex === '') {
      return { why: 'each colon-separated field must have at least one digit', at: rest }
    }
    if (rest[hex.length] === '.') return embeddedProblem(rest, groups, gap)
    groups++
    rest = rest.slice(hex.length)
    if (rest === '') break
    if (!rest.startsWith(':')) return { why: 'unexpected character, want colon', at: rest }
    if (rest === ':') return { why: 'colon must be followed by more characters', at: rest }
    rest = rest.slice(1)
    if (!rest.startsWith(':')) continue
    if (gap) return { why: 'multiple :: in address', at: rest }
    gap = true
    rest = rest.slice(1)
    if (rest === '') break
  }
  if (rest !== '') return { why: 'trailing garbage after address', at: rest }
  if (groups < 8 && !gap) return { why: 'address string too short' }
  return groups === 8 && gap
    ? { why: 'the :: must expand to at least one field of zeros' }
    : undefined
}

/** The last two groups may be written as four numbers. */
function embeddedProblem(rest: string, groups: number, gap: boolean): Problem | undefined {
  if (!gap && groups !== 6) {
    const why = 'embedded IPv4 address must replace the final 2 fields of the address'
    return { why, at: rest }
  }
  if (groups > 6) {
    const why = 'too many hex fields to fit an embedded IPv4 at the end of the address'
    return { why, at: rest }
  }
  return octetsProblem(rest)
}
