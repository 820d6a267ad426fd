/**
 * Reads a value out of an object's JSON without parsing the object: selectors and metadata-only responses look at labels and
 * metadata, which stand near the start.
 *
 * Only for what `encodeJson` wrote: compact and well formed. What stands before the value is skipped byte by byte, so the
 * labels cost a few hundred bytes however large the object is.
 */

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** A path as the bytes of its property names. Made once, used for many objects. */
export type RawPath = readonly Buffer[]

/** Prepares a dotted path of property names such as `metadata.labels`. */
export function rawPath(path: string): RawPath {
  return path.split('.').map((step) => Buffer.from(`${JSON.stringify(step)}:`))
}

/** The JSON of the value at a path, as a view of the object's bytes (no copy); undefined if there is no such value. */
export function rawJsonAt(bytes: Uint8Array, path: RawPath): Buffer | undefined {
  let at = 0
  for (const step of path) {
    at = valueStart(bytes, at, step)
    if (at < 0) return undefined
  }
  const end = endOfValue(bytes, at)
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at)
}

/** The offset of a property's value in the object that begins at `start`; -1 if it has no such property. */
function valueStart(bytes: Uint8Array, start: number, step: Buffer): number {
  if (bytes[start] !== openBrace) return -1
  let at = start + 1
  while (bytes[at] === quote) {
    if (beginsWith(bytes, at, step)) return at + step.length
    at = endOfValue(bytes, endOfString(bytes, at) + 1)
    if (bytes[at] !== comma) return -1
    at++
  }
  return -1
}

/** Compares without making a view: this runs for every property before the wanted one. */
function beginsWith(bytes: Uint8Array, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}

/** The offset behind the value that begins at `start`. */
function endOfValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start]
  if (first === quote) return endOfString(bytes, start)
  if (first === openBrace || first === openBracket) return endOfNested(bytes, start)
  let at = start
  while (at < bytes.length && !endsScalar(bytes[at])) at++
  return at
}

/** Compact JSON has no white space, so that a scalar ends at a comma or a bracket. */
function endsScalar(byte: number | undefined): boolean {
  return byte === comma || byte === closeBrace || byte === closeBracket
}

/** Counts brackets outside of strings. */
function endOfNested(bytes: Uint8Array, start: number): number {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfString(bytes, at) - 1
    else if (byte === openBrace || byte === openBracket) depth++
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at + 1
  }
  return bytes.length
}

/** The offset behind the closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at + 1
}
