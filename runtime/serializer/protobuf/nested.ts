import type { WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

/** Writes a nested message, its length before it. `write` writes its fields, the last one first. */
export function nested(out: WireWriter, write: () => void): void {
  const before = out.size
  write()
  out.varint(out.size - before)
}

/** Reads the fields of a nested message. `field` reads the value of a tag that it knows; others, for which it gives false, are skipped. */
export function eachField(input: WireReader, field: (tag: number) => boolean): void {
  const { end } = input
  const limit = input.limit()
  input.end = limit
  while (input.at < limit) {
    const tag = input.tag()
    if (!field(tag)) input.skip(tag)
  }
  input.end = end
}
