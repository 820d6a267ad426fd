import type { Json, JsonObject } from '../../kernel/values/json.ts'
import type { WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

/** How a value of one type is written and read: everything about it but the number of its field. */
export interface ValueCodec {
  /** The wire type that it has: 0 an integer, 1 eight bytes, 2 a length and so many bytes. */
  readonly wire: 0 | 1 | 2
  /** What an absent value is in JSON. */
  readonly zero: Json
  /** True if an absent value is never written, whatever its field says: nil bytes. */
  readonly nullable?: boolean
  /** What an entry of a map without a value holds, where that is not the zero. */
  readonly entryZero?: Json
  /** Writes a value that is there, its length included. */
  write(out: WireWriter, value: unknown): void
  /** Writes the value that absent stands for. */
  writeZero(out: WireWriter): void
  read(input: WireReader, depth: number): Json
}

/** An object while it is read. */
export type Target = Record<string, Json>

/** The form of a message with fields of its own. */
export interface MessageCodec extends ValueCodec {
  /** Reads into an object that may hold something already. */
  readInto(input: WireReader, depth: number, target: Target): JsonObject
  /** Fills in the zeros that JSON has. */
  complete(target: Target): JsonObject
}
