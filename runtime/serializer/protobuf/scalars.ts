/** Codecs of the scalar types, which are single values in protobuf and in JSON. */
import type { ValueCodec } from './value-codec.ts'

/** UTF-8 with its length. */
const string: ValueCodec = {
  wire: 2,
  zero: '',
  write: (out, value) => out.text(value as string),
  writeZero: (out) => out.byte(0),
  read: (input) => input.text(),
}

/** Base64 in JSON. Empty bytes are written, absent ones are not. */
const bytes: ValueCodec = {
  wire: 2,
  zero: null,
  nullable: true,
  entryZero: '',
  write(out, value) {
    const raw = Buffer.from(value as string, 'base64')
    out.raw(raw)
    out.varint(raw.length)
  },
  writeZero: (out) => out.byte(0),
  read: (input) => input.slice().toString('base64'),
}

/** One byte, 0 or 1. */
const bool: ValueCodec = {
  wire: 0,
  zero: false,
  write: (out, value) => out.byte(value === true ? 1 : 0),
  writeZero: (out) => out.byte(0),
  read: (input) => input.bool(),
}

/** A varint; a negative number takes ten bytes. */
const int32: ValueCodec = {
  wire: 0,
  zero: 0,
  write: (out, value) => out.signed(value as number),
  writeZero: (out) => out.byte(0),
  read: (input) => input.int32(),
}

/** The same on the wire; beyond 2^53 a bigint in JSON. */
const int64: ValueCodec = { ...int32, read: (input) => input.int64() }

/** Infinities and NaN, which JSON does not have, are refused. */
const double: ValueCodec = {
  wire: 1,
  zero: 0,
  write: (out, value) => out.double(value as number),
  writeZero: (out) => out.double(0),
  read(input) {
    const value = input.double()
    return Number.isFinite(value) ? value : input.fail('a number that JSON cannot hold')
  },
}

/** The codecs by the names that the tables use. */
export const scalars = { string, bytes, bool, int32, int64, double } as const
