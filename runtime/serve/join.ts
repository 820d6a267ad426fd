import type { Item } from '../registry/registry.ts'
import type { Pieces } from './exchange.ts'

/** Bytes of one group of items: large enough to write few, small enough to wait for a slow reader between them. */
const groupBytes = 256 * 1024

/**
 * Joins stored objects into the text of a list without parsing any. `strip` is what every object begins with and the
 * list leaves out (kind and apiVersion); an object that begins otherwise goes in whole.
 */
export function joinItems(
  head: string,
  items: readonly Item[],
  strip: string,
  tail: string,
): Uint8Array | Pieces {
  const cut = Buffer.from(strip)
  const parts: Part[] = [{ text: Buffer.from(head), from: 0, open: 0 }]
  for (const { bytes } of items) {
    const stripped = startsWith(bytes, cut)
    parts.push({ text: bytes, from: stripped ? cut.length - 1 : 0, open: stripped ? brace : 0 })
  }
  parts.push({ text: Buffer.from(tail), from: 0, open: 0 })
  const commas = Math.max(0, items.length - 1)
  const length = parts.reduce((sum, { text, from }) => sum + text.length - from, commas)
  if (length <= groupBytes) return group(parts, 0, parts.length, length)
  return { length, pieces: () => groups(parts) }
}

/** `open` replaces the first byte kept, which is the comma before the first field that stays. */
interface Part {
  readonly text: Uint8Array
  readonly from: number
  readonly open: number
}

const brace = 0x7b
const comma = 0x2c

function startsWith(bytes: Uint8Array, head: Uint8Array): boolean {
  if (bytes.length <= head.length) return false
  for (let at = head.length - 1; at >= 0; at--) if (bytes[at] !== head[at]) return false
  return true
}

function* groups(parts: readonly Part[]): Iterable<Uint8Array> {
  let first = 0
  let length = 0
  for (let at = 0; at < parts.length; at++) {
    length += sizeOf(parts, at)
    if (length < groupBytes && at < parts.length - 1) continue
    yield group(parts, first, at + 1, length)
    first = at + 1
    length = 0
  }
}

/** A part with the comma before it: every item but the first has one; head and tail have none. */
function sizeOf(parts: readonly Part[], at: number): number {
  const { text, from } = parts[at] as Part
  return text.length - from + (at > 1 && at < parts.length - 1 ? 1 : 0)
}

function group(parts: readonly Part[], first: number, end: number, length: number): Uint8Array {
  const out = Buffer.allocUnsafe(length)
  let offset = 0
  for (let at = first; at < end; at++) {
    const { text, from, open } = parts[at] as Part
    if (at > 1 && at < parts.length - 1) out[offset++] = comma
    out.set(from === 0 ? text : text.subarray(from), offset)
    if (open !== 0) out[offset] = open
    offset += text.length - from
  }
  return out
}
