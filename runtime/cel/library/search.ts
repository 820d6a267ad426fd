/**
 * Substring search in UTF-16 units, in time linear in the text whatever the part. The engine's own `indexOf` is
 * quadratic for a long part that nearly matches everywhere.
 */
import { spendSteps } from '../limits/step-limit.ts'

/** Parts up to this length are left to the engine: its forward search skips well, its backward search does not. */
const shortForward = 200
const shortBackward = 8

/** The index at which `part` first begins at or after `from`, or -1. */
export function firstIndex(text: string, part: string, from = 0): number {
  if (part.length <= shortForward) return text.indexOf(part, from)
  return scan(text, part, from, 1)
}

/** The index at which `part` last begins at or before `from`, or -1. */
export function lastIndex(text: string, part: string, from: number = text.length): number {
  if (part.length <= shortBackward) return text.lastIndexOf(part, from)
  return scan(text, part, Math.min(from + part.length, text.length) - 1, -1)
}

const stepsPerUnit = 2

/**
 * Knuth, Morris and Pratt's search, in either direction: reads the text once and remembers how much of the part matches
 * so far.
 */
function scan(text: string, part: string, from: number, step: 1 | -1): number {
  const size = part.length
  if (size > text.length) return -1
  spendSteps(stepsPerUnit * (text.length + size))
  const first = step === 1 ? 0 : size - 1
  const unit = (at: number) => part.charCodeAt(first + at * step)
  const borders = bordersOf(size, unit)
  let fits = 0
  for (let index = from; index >= 0 && index < text.length; index += step) {
    const next = text.charCodeAt(index)
    while (fits > 0 && unit(fits) !== next) fits = borders[fits - 1] as number
    if (unit(fits) === next) fits++
    if (fits === size) return step === 1 ? index - size + 1 : index
  }
  return -1
}

/** For each prefix of the part, the length of its longest proper prefix that is also a suffix. */
function bordersOf(size: number, unit: (at: number) => number): Int32Array {
  const borders = new Int32Array(size)
  let length = 0
  for (let at = 1; at < size; at++) {
    while (length > 0 && unit(length) !== unit(at)) length = borders[length - 1] as number
    if (unit(length) === unit(at)) length++
    borders[at] = length
  }
  return borders
}
