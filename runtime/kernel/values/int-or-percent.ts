/** Numbers that may be given as a percentage of something. */

type IntOrString = number | string

const percentRule =
  "a valid percent string must be a numeric string followed by an ending '%' " +
  "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

/** The number of an amount, or of its percentage; 0 for text that is none. */
export function intOrPercentValue(value: IntOrString): number {
  if (typeof value === 'number') return value
  if (/^[+-]?[0-9]{1,15}$/.test(value)) return Number(value)
  return percentValue(value) || 0
}

/** The number before the percent sign; NaN for anything else. */
export function percentValue(value: IntOrString): number {
  return typeof value === 'string' && /^[0-9]{1,9}%$/.test(value)
    ? Number(value.slice(0, -1))
    : Number.NaN
}

/** The number of an amount, or of its percentage of `total`, which is made whole by `round`; 0 for text that is none. */
export function amountOf(value: IntOrString, total: number, round: 'up' | 'down'): number {
  const percent = percentValue(value)
  if (Number.isNaN(percent)) return intOrPercentValue(value)
  return round === 'up' ? Math.ceil((percent * total) / 100) : Math.floor((percent * total) / 100)
}

/** What is wrong with an amount: it is not negative, and its text is a percentage. */
export function intOrPercentProblems(value: IntOrString): readonly string[] {
  if (typeof value === 'number') return value < 0 ? ['must be greater than or equal to 0'] : []
  return Number.isNaN(percentValue(value)) ? [percentRule] : []
}

/** What is wrong with a percentage: it is not of more than there is. */
export function percentBoundProblems(value: IntOrString): readonly string[] {
  return percentValue(value) > 100 ? ['must not be greater than 100%'] : []
}
