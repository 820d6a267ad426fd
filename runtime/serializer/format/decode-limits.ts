import { StatusError } from '../../kernel/errors/status-error.ts'

/**
 * How much a decoded body may hold. The limit on its bytes is not enough: three megabytes of text can hold a million values.
 */
export interface DecodeLimits {
  /** Levels of objects and lists. */
  readonly depth: number
  /** Values in total, those inside others included. */
  readonly values: number
  /** Different property names. */
  readonly keys: number
  /** Entries of one list or object. */
  readonly items: number
}

/** What a body of a request may hold unless the server is configured otherwise. */
export const defaultLimits: DecodeLimits = {
  depth: 1000,
  values: 100_000,
  keys: 10_000,
  items: 20_000,
}

/** Characters. Shorter texts cannot exceed any limit but that of depth. */
const small = 8 * 1024

/**
 * Checks a JSON text against the limits without parsing it, in a few milliseconds for three megabytes. Property names are counted by hash, so
 * a few of many different ones may be missed. False if the text nests too deeply, which the parser reports with the
 * position; true for texts that are not JSON, which are the parser's business, too.
 *
 * @throws StatusError RequestEntityTooLarge if the text holds too much
 */
export function checkDecodeLimits(text: string, limits: DecodeLimits): boolean {
  if (text.length < small) return shallow(text, limits.depth)
  let depth = 0
  let values = 1
  const names = new NameCounter()
  const commas: number[] = [0]
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = closingQuote(text, at)
        if (text.charCodeAt(end + 1) === 0x3a || isName(text, end + 1)) names.add(text, at + 1, end)
        at = end
        break
      }
      case 0x2c:
        values++
        commas[depth]!++
        if (commas[depth]! >= limits.items) throw tooMany(limits)
        break
      case 0x5b:
      case 0x7b:
        values++
        if (++depth > limits.depth) return false
        commas[depth] = 0
        break
      case 0x5d:
      case 0x7d:
        depth = Math.max(0, depth - 1)
    }
    if (values > limits.values) throw tooMuch(`more than ${limits.values} values`)
    if (names.count > limits.keys)
      throw tooMuch(`more than ${limits.keys} different property names`)
  }
  return true
}

/** True if the text nests no deeper than `limit`. */
function shallow(text: string, limit: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = closingQuote(text, at)
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > limit) return false
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return true
}

/**
 * The index of the quote that ends the string whose opening quote is at `start`; the length of the text if none does. A
 * quote behind an odd number of backslashes is escaped.
 */
export function closingQuote(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let first = end
    while (text.charCodeAt(first - 1) === 0x5c) first--
    if ((end - first) % 2 === 0) return end
  }
}

/** True if a colon follows, after white space: the string before it is a property name. */
function isName(text: string, at: number): boolean {
  let next = at
  while (text.charCodeAt(next) <= 0x20) next++
  return text.charCodeAt(next) === 0x3a
}

/** Bits of the hash table of names: 128 KB, far more than names are allowed. */
const slots = 1 << 20

/**
 * Counts different names by a hash (FNV-1a) of their first 64 and last 16 characters, so that long names cost no more. A
 * name whose slot is taken by another one is not counted.
 */
class NameCounter {
  readonly #seen = new Uint8Array(slots >> 3)
  count = 0

  /** Adds the name between two offsets of the text. */
  add(text: string, start: number, end: number): void {
    let hash = (end - start) | 0
    const head = Math.min(end, start + 64)
    for (let at = start; at < head; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    for (let at = Math.max(head, end - 16); at < end; at++) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    }
    const slot = (hash ^ (hash >>> 15)) & (slots - 1)
    const bit = 1 << (slot & 7)
    const byte = slot >> 3
    const seen = this.#seen[byte] ?? 0
    if ((seen & bit) !== 0) return
    this.#seen[byte] = seen | bit
    this.count++
  }
}

/** The error for a body with a list or object that is too long. */
export function tooMany({ items }: DecodeLimits): StatusError {
  return tooMuch(`a list or object of more than ${items} entries`)
}

/** The error for a body that holds too much: `what` completes "it has ...". */
export function tooMuch(what: string): StatusError {
  return new StatusError('RequestEntityTooLarge', `Request entity too large: it has ${what}`)
}
