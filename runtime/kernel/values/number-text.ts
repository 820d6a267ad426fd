/**
 * A number as public servers print it for people: doubles from a million on, and those below a ten thousandth, have an
 * exponent of two digits.
 */
export function numberText(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : doubleText(value)
}

/** A double as public servers print it, also one without a fraction: `1e+06`. */
export function doubleText(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}
