import { StatusError } from '../../kernel/errors/status-error.ts'

/** How large a decoded text may be. Bytes alone say little: three megabytes may hold a million values. */
export interface DecodeLimits {
  /** Levels of objects and lists. */
  readonly depth: number
  /** Values, those inside others included. */
  readonly values: number
  /** Different property names. */
  readonly keys: number
  /** Entries of one list or object. */
  readonly items: number
}

export const defaultLimits: DecodeLimits = {
  depth: 1000,
  values: 100_000,
  keys: 10_000,
  items: 20_000,
}

/** Texts below this length hold too little to be worth counting. */
const small = 8 * 1024

/**
 * Counts what a JSON text holds without reading it, in a few milliseconds for three megabytes, and refuses a text that
 * holds too much before anything is made of it. Different names are counted by hash, so a few may be missed. False if the
 * text nests beyond the limit: reading will tell where.
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

/** The index of the quote that ends the string which begins at `start`; the text's length if there is none. */
export function closingQuote(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let first = end
    while (text.charCodeAt(first - 1) === 0x5c) first--
    if ((end - first) % 2 === 0) return end
  }
}

/** True if a colon comes after the spaces at `at`. */
function isName(text: string, at: number): boolean {
  let next = at
  while (text.charCodeAt(next) <= 0x20) next++
  return text.charCodeAt(next) === 0x3a
}

const slots = 1 << 20

/** Counts different names by a hash of their ends; a slot that is taken by another name hides it. */
class NameCounter {
  readonly #seen = new Uint8Array(slots >> 3)
  count = 0

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

/** Refuses a body whose lists or objects are too long. */
export function tooMany({ items }: DecodeLimits): StatusError {
  return tooMuch(`a list or object of more than ${items} entries`)
}

/** Refuses a body that holds too much. */
export function tooMuch(what: string): StatusError {
  return new StatusError('RequestEntityTooLarge', `Request entity too large: it has ${what}`)
}
