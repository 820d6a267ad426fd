import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'

/** Writes a nested message with its length before it. */
export function nested(out: Writer, write: () => void): void {
  const before = out.size
  write()
  out.varint(out.size - before)
}

/** Reads the fields of a nested message; `field` says whether it took the field, and others are passed over. */
export function eachField(input: Reader, field: (tag: number) => boolean): void {
  const { end } = input
  const limit = input.limit()
  input.end = limit
  while (input.at < limit) {
    const tag = input.tag()
    if (!field(tag)) input.skip(tag)
  }
  input.end = end
}
