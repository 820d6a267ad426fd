/**
 * An old version of a large value in the terms of the one that replaced it. Most writes leave most of a large object as it was: what
 * both have in one piece is kept once.
 */

/** The old value: `head`, then a piece of the newer one, then `tail`. */
export interface ValueDelta {
  readonly head: Uint8Array
  readonly from: number
  readonly length: number
  readonly tail: Uint8Array
}

/** Smaller values are kept as they are: finding what two have in common would cost more than it saves. */
const smallest = 16 * 1024

/** The part of a value that the newer one must have, or the old one is kept whole. */
const leastShared = 0.75

/** Where so much is shared, no better place is looked for. */
const enough = 0.9

/** How far from its old place the middle of a value is looked for, and what is looked for. */
const window = 16 * 1024
const anchorBytes = 48
const mostCandidates = 8

/** What is left to keep of `old` beside `newer`; undefined where it is worth nothing. */
export function deltaOf(old: Uint8Array, newer: Uint8Array): ValueDelta | undefined {
  if (old.length < smallest || newer.length < old.length * leastShared) return undefined
  const [before, after] = [viewOf(old), viewOf(newer)]
  const middle = before.length >> 1
  const anchor = before.subarray(middle, middle + anchorBytes)
  let [start, end, from] = [0, 0, 0]
  for (const found of placesOf(anchor, after, middle, middle + after.length - before.length)) {
    const back = sharedBefore(before, middle, after, found)
    const forth = sharedAfter(before, middle, after, found)
    if (back + forth > end - start) {
      ;[start, end, from] = [middle - back, middle + forth, found - back]
    }
    if (end - start > before.length * enough) break
  }
  if (end - start < before.length * leastShared) return undefined
  return { head: copyOf(old, 0, start), from, length: end - start, tail: copyOf(old, end) }
}

/**
 * Where the middle of the old value may stand in the newer one: as far from its begin as before, as far from its end, and then where its
 * text is found near by.
 */
function* placesOf(
  anchor: Buffer,
  after: Buffer,
  fromBegin: number,
  fromEnd: number,
): Generator<number, void> {
  const isAt = (place: number): boolean =>
    place >= 0 && anchor.equals(after.subarray(place, place + anchor.length))
  if (isAt(fromBegin)) yield fromBegin
  if (fromEnd !== fromBegin && isAt(fromEnd)) yield fromEnd
  let at = Math.max(0, fromBegin - window)
  for (let tried = 0; tried < mostCandidates; tried++) {
    const found = after.indexOf(anchor, at)
    if (found < 0 || found > fromBegin + window) return
    yield found
    at = found + 1
  }
}

/** The old value again. */
export function restored({ head, from, length, tail }: ValueDelta, newer: Uint8Array): Uint8Array {
  const value = Buffer.allocUnsafeSlow(head.length + length + tail.length)
  value.set(head, 0)
  value.set(newer.subarray(from, from + length), head.length)
  value.set(tail, head.length + length)
  return value
}

/** A part of a value in memory of its own. */
function copyOf(value: Uint8Array, start: number, end?: number): Uint8Array {
  return Uint8Array.prototype.slice.call(value, start, end)
}

/** How many bytes before two places are the same. */
function sharedBefore(one: Buffer, end: number, other: Buffer, otherEnd: number): number {
  const same = (length: number, known: number): boolean =>
    one.compare(other, otherEnd - length, otherEnd - known, end - length, end - known) === 0
  return longest(Math.min(end, otherEnd), same)
}

/** How many bytes from two places on are the same. */
function sharedAfter(one: Buffer, start: number, other: Buffer, otherStart: number): number {
  const same = (length: number, known: number): boolean =>
    one.compare(other, otherStart + known, otherStart + length, start + known, start + length) === 0
  return longest(Math.min(one.length - start, other.length - otherStart), same)
}

/** How much is compared at once. */
const blockBytes = 4096

/** The largest length up to `most` that is the same, where every shorter one is. */
function longest(most: number, same: (length: number, known: number) => boolean): number {
  let known = 0
  while (known < most && same(Math.min(known + blockBytes, most), known)) {
    known = Math.min(known + blockBytes, most)
  }
  let open = Math.min(known + blockBytes, most + 1)
  while (open - known > 1) {
    const length = (known + open) >> 1
    if (same(length, known)) known = length
    else open = length
  }
  return known
}

/** The same memory as a Buffer, whose search and comparison are native. */
function viewOf(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}
