import type { Json, JsonObject } from '../../kernel/values/json.ts'
import type { WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

/** Writes and reads the values of one type; the number of the field is not its business. */
export interface ValueCodec {
  /** The wire type: 0 is a varint, 1 eight bytes, 2 a length and that many bytes. */
  readonly wire: 0 | 1 | 2
  /** The value in JSON that an absent field of the wire stands for. */
  readonly zero: Json
  /** True if an absent value is never written, even where its field would write its zero: nil bytes. */
  readonly nullable?: boolean
  /** The value of a map's entry that has none on the wire, if it is not `zero`. */
  readonly entryZero?: Json
  /** Writes a value that is present, with its length if the wire type has one. */
  write(out: WireWriter, value: unknown): void
  /** Writes the zero of the type. */
  writeZero(out: WireWriter): void
  read(input: WireReader, depth: number): Json
}

/** An object while its fields are read. */
export type Target = Record<string, Json>

/** The codec of a message with fields. */
export interface MessageCodec extends ValueCodec {
  /** Reads into an object that may have fields already: a message that stands twice on the wire is one. */
  readInto(input: WireReader, depth: number, target: Target): JsonObject
  /** Fills in the fields that are always in JSON. */
  complete(target: Target): JsonObject
}
