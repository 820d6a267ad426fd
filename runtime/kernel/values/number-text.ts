/**
 * A number as public servers print it for people: doubles from a million on, and those below a ten thousandth, have an
 * exponent of two digits.
 */
export function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value)
  const [digits = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}
