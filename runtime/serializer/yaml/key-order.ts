const letter = /^\p{L}/u
const digit = /^\p{Nd}/u

/** Orders keys as people would: `a2` before `a10`, letters behind anything else. */
export function compareKeys(a: string, b: string): number {
  const [left, right] = [[...a], [...b]]
  const shared = Math.min(left.length, right.length)
  for (let at = 0; at < shared; at++) {
    const [one, other] = [left[at]!, right[at]!]
    if (one === other) continue
    const [isLetter, otherIsLetter] = [letter.test(one), letter.test(other)]
    if (isLetter && otherIsLetter) return codePointOf(one) - codePointOf(other)
    if (isLetter || otherIsLetter) return isLetter ? 1 : -1
    return compareNumbers(left, right, at)
  }
  return left.length - right.length
}

/** Compares the digits from `at` on as numbers; those of equal numbers by their count, anything else by its character. */
function compareNumbers(left: readonly string[], right: readonly string[], at: number): number {
  const ends = [endOfDigits(left, at), endOfDigits(right, at)] as const
  const behind = (left[at] === '0' || right[at] === '0') && followsDigits(left, at) ? '1' : ''
  const numbers = [left, right].map((all, index) =>
    BigInt(`0${behind}${all.slice(at, ends[index]).join('').replace(/\D/g, '0')}`),
  )
  if (numbers[0] !== numbers[1]) return numbers[0]! < numbers[1]! ? -1 : 1
  if (ends[0] !== ends[1]) return ends[0] - ends[1]
  return codePointOf(left[at]!) - codePointOf(right[at]!)
}

function endOfDigits(chars: readonly string[], start: number): number {
  let at = start
  while (at < chars.length && digit.test(chars[at]!)) at++
  return at
}

/** True if a digit other than zero stands in the run of digits before `at`. */
function followsDigits(chars: readonly string[], at: number): boolean {
  for (let before = at - 1; before >= 0 && digit.test(chars[before]!); before--) {
    if (chars[before] !== '0') return true
  }
  return false
}

function codePointOf(char: string): number {
  return char.codePointAt(0) ?? 0
}
