/** Numbers that may be given as a percentage of something. */
import type { Finding } from '../kernel/read.ts'
import { invalid } from './findings.ts'
import type { IntOrString } from './shapes.ts'

const percentRule =
  "a valid percent string must be a numeric string followed by an ending '%' " +
  "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

/** The number of an amount, or of its percentage; NaN for text that is none. */
export function amountOf(value: IntOrString): number {
  return typeof value === 'number' ? value : percentOf(value)
}

/** The number before the percent sign; NaN for anything else. */
export function percentOf(value: IntOrString): number {
  return typeof value === 'string' && /^[0-9]{1,9}%$/.test(value)
    ? Number(value.slice(0, -1))
    : Number.NaN
}

/** An amount is not negative, and its text is a percentage. */
export function checkAmount(path: string, value: IntOrString): readonly Finding[] {
  if (typeof value === 'number') {
    return value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : []
  }
  return Number.isNaN(percentOf(value)) ? [invalid(path, value, percentRule)] : []
}

/** A percentage is not of more than there is. */
export function checkShare(path: string, value: IntOrString): readonly Finding[] {
  return percentOf(value) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : []
}
