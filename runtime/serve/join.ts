import type { Item } from '../registry/registry.ts'
import type { Pieces } from './exchange.ts'

/** Bytes of one group of items: large enough to write few, small enough to wait for a slow reader between them. */
const groupBytes = 1024 * 1024

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
  const join = new Join(Buffer.from(head), items, Buffer.from(strip), Buffer.from(tail))
  const { length } = join
  if (length > groupBytes) return { length, pieces: () => join.groups() }
  const [whole] = join.groups()
  return whole ?? new Uint8Array()
}

const brace = 0x7b
const comma = 0x2c

/** Sizes come first, from one look at each object; the bytes are copied group by group when they are sent. */
class Join {
  readonly length: number
  readonly #head: Buffer
  readonly #items: readonly Item[]
  /** How many bytes of each object are left out; the comma behind them becomes its opening brace. */
  readonly #cuts: Uint16Array
  readonly #tail: Buffer

  constructor(head: Buffer, items: readonly Item[], strip: Buffer, tail: Buffer) {
    this.#head = head
    this.#items = items
    this.#cuts = new Uint16Array(items.length)
    this.#tail = tail
    let length = head.length + Math.max(0, items.length - 1) + tail.length
    for (let at = 0; at < items.length; at++) {
      const { bytes } = items[at] as Item
      const cut = cutOf(bytes, strip)
      this.#cuts[at] = cut
      length += bytes.length - cut
    }
    this.length = length
  }

  /** The whole text, in groups of whole items. */
  *groups(): Iterable<Uint8Array> {
    const { length: count } = this.#items
    let first = 0
    do {
      const { end, length } = this.#groupFrom(first)
      yield this.#copy(first, end, length)
      first = end
    } while (first < count)
  }

  #groupFrom(first: number): { readonly end: number; readonly length: number } {
    const { length: count } = this.#items
    let length = first === 0 ? this.#head.length : 0
    let end = first
    while (end < count && length < groupBytes) {
      length += this.#sizeOf(end) + (end > 0 ? 1 : 0)
      end++
    }
    return { end, length: end === count ? length + this.#tail.length : length }
  }

  #sizeOf(at: number): number {
    return (this.#items[at] as Item).bytes.length - (this.#cuts[at] as number)
  }

  #copy(first: number, end: number, length: number): Uint8Array {
    const out = Buffer.allocUnsafe(length)
    let offset = first === 0 ? this.#head.copy(out) : 0
    for (let at = first; at < end; at++) {
      const { bytes } = this.#items[at] as Item
      const cut = this.#cuts[at] as number
      if (at > 0) out[offset++] = comma
      out.set(cut === 0 ? bytes : bytes.subarray(cut), offset)
      if (cut > 0) out[offset] = brace
      offset += bytes.length - cut
    }
    if (end === this.#items.length) this.#tail.copy(out, offset)
    return out
  }
}

function cutOf(bytes: Uint8Array, strip: Buffer): number {
  if (strip.length === 0 || bytes.length <= strip.length) return 0
  for (let at = strip.length - 1; at >= 0; at--) if (bytes[at] !== strip[at]) return 0
  return strip.length - 1
}
