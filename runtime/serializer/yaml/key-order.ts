const ascii = /^[\0-\x7f]*$/
const letter = /^\p{L}/u
const digit = /^\p{Nd}/u

/** The characters of a text: a text of ASCII is its own. A map may have thousands of keys, which are sorted at once. */
type Characters = string | readonly string[]

/** Orders keys as people would: `a2` before `a10`, letters behind anything else. */
export function compareKeys(a: string, b: string): number {
  const [left, right] = ascii.test(a) && ascii.test(b) ? [a, b] : [[...a], [...b]]
  const shared = Math.min(left.length, right.length)
  for (let at = 0; at < shared; at++) {
    const [one, other] = [left[at]!, right[at]!]
    if (one === other) continue
    const [first, second] = [isLetter(one), isLetter(other)]
    if (first && second) return codePointOf(one) - codePointOf(other)
    if (first || second) return first ? 1 : -1
    return compareNumbers(left, right, at)
  }
  return left.length - right.length
}

/** Compares the digits from `at` on as numbers; those of equal numbers by their count, anything else by its character. */
function compareNumbers(left: Characters, right: Characters, at: number): number {
  const ends = [endOfDigits(left, at), endOfDigits(right, at)] as const
  const behind = (left[at] === '0' || right[at] === '0') && followsDigits(left, at)
  const one = numberBetween(left, at, ends[0], behind)
  const other = numberBetween(right, at, ends[1], behind)
  if (one.length !== other.length) return one.length - other.length
  if (one !== other) return one < other ? -1 : 1
  if (ends[0] !== ends[1]) return ends[0] - ends[1]
  return codePointOf(left[at]!) - codePointOf(right[at]!)
}

/** Digits without zeros in front of them, unless others stand before: the longer number is the larger one. A digit of another script counts as zero. */
function numberBetween(chars: Characters, start: number, end: number, behind: boolean): string {
  const part = chars.slice(start, end)
  const digits = typeof part === 'string' ? part : part.join('').replace(/\D/g, '0')
  return behind ? digits : digits.replace(/^0+/, '')
}

function endOfDigits(chars: Characters, start: number): number {
  let at = start
  while (at < chars.length && isDigit(chars[at]!)) at++
  return at
}

/** True if a digit other than zero stands in the run of digits before `at`. */
function followsDigits(chars: Characters, at: number): boolean {
  for (let before = at - 1; before >= 0 && isDigit(chars[before]!); before--) {
    if (chars[before] !== '0') return true
  }
  return false
}

function isLetter(char: string): boolean {
  return char < '\x80'
    ? (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z')
    : letter.test(char)
}

function isDigit(char: string): boolean {
  return char < '\x80' ? char >= '0' && char <= '9' : digit.test(char)
}

function codePointOf(char: string): number {
  return char.codePointAt(0) ?? 0
}
