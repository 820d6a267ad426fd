/** Texts of digits with a checksum. */

const separators = /[\t\n\f\r -]/g

/** Ten digits with a checksum modulo 11, whose last one may be X; blanks and hyphens do not count. */
export function isIsbn10(text: string): boolean {
  const digits = text.replace(separators, '')
  if (!/^\d{9}[\dX]$/.test(digits)) return false
  const sum = [...digits].reduce(
    (all, digit, at) => all + (at + 1) * (digit === 'X' ? 10 : Number(digit)),
    0,
  )
  return sum % 11 === 0
}

/** Thirteen digits with a checksum modulo 10; blanks and hyphens do not count. */
export function isIsbn13(text: string): boolean {
  const digits = text.replace(separators, '')
  if (!/^\d{13}$/.test(digits)) return false
  const sum = [...digits].reduce(
    (all, digit, at) => all + (at % 2 === 0 ? 1 : 3) * Number(digit),
    0,
  )
  return sum % 10 === 0
}

const issuers =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/

/** The digits of a card of a known issuer with the checksum of Luhn; what is no digit does not count. */
export function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D+/g, '')
  if (!issuers.test(digits)) return false
  const sum = [...digits].reverse().reduce((all, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
    return all + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
