import { RE2JS } from 're2js'
import { currentEvaluation, spend } from './work.ts'

const remembered = new Map<string, RE2JS | undefined>()
const most = 256
const longestRemembered = 4096

/**
 * The compiled pattern, or undefined if the text is none. Matching takes time linear in the input. The last 256 short
 * patterns are remembered.
 */
export function patternOf(text: string): RE2JS | undefined {
  const pattern = rememberedPattern(text)
  meterCompiling(pattern, text)
  return pattern
}

/** Compiling is paid for once in an evaluation, by what it would take: whether it was remembered must not show. */
function meterCompiling(pattern: RE2JS | undefined, text: string): void {
  if (pattern !== undefined && paidIn.get(pattern) === currentEvaluation()) return
  spend(stepsOfPattern + stepsOfCharacter * text.length)
  if (pattern === undefined) return
  spend(stepsOfInstruction * programSize(pattern))
  paidIn.set(pattern, currentEvaluation())
}

const paidIn = new WeakMap<RE2JS, number>()
const stepsOfPattern = 3000
const stepsOfCharacter = 100
const stepsOfInstruction = 150
/** Longer patterns are paid for before they are compiled. */
const longPattern = 1000

function rememberedPattern(text: string): RE2JS | undefined {
  if (remembered.has(text)) {
    const pattern = remembered.get(text)
    remembered.delete(text)
    remembered.set(text, pattern)
    return pattern
  }
  if (text.length > longPattern) spend(stepsOfCharacter * text.length)
  const pattern = compiled(text)
  if (text.length > longestRemembered) return pattern
  if (remembered.size >= most) {
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest)
      break
    }
  }
  remembered.set(text, pattern)
  return pattern
}

function compiled(text: string): RE2JS | undefined {
  try {
    return RE2JS.compile(text)
  } catch {
    return undefined
  }
}

/**
 * Whether the pattern is found in the text. A pattern's repetitions make its program far longer than its text, which
 * alone costs: the product of program and text is work that an evaluation has a limited amount of.
 */
export function search(pattern: RE2JS, text: string): boolean {
  meterSearch(pattern, text)
  return pattern.test(text)
}

/** Takes the steps that one walk of a pattern over a text may need. */
export function meterSearch(pattern: RE2JS, text: string): void {
  spend(stepsPerSearch + Math.ceil((programSize(pattern) * text.length) / stepsPerUnit))
}

const stepsPerUnit = 2
const stepsPerSearch = 30
const sizes = new WeakMap<RE2JS, number>()

function programSize(pattern: RE2JS): number {
  let size = sizes.get(pattern)
  if (size === undefined) {
    size = pattern.programSize()
    sizes.set(pattern, size)
  }
  return size
}
